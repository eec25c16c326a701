// Builds the console: the first script, scripts that are loaded when needed, a style sheet and the fonts, with a hash in every name and
// compressed beside the plain file.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { htmlOf } from './draw-page.mjs';
import { noticesOf } from './notices.mjs';

const root = join(import.meta.dirname, '..');
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** The operations that a console session may call. */
const called = () =>
  readJson('client/generated/operations.json').operations.filter(({ permission }) => ['VIEW', 'TRANSACT', 'MANAGE'].includes(permission));

const module = (value) => `export default ${JSON.stringify(value)}`;

const MODULES = {
  operations: () =>
    `export const basePath = ${JSON.stringify(readJson('client/generated/operations.json').basePath)};${module(
      Object.fromEntries(
        called().map(({ id, method, path, permission, key, multipart, body, paged, query }) => [
          id,
          {
            method,
            path,
            permission,
            ...(key && { key: true }),
            ...(multipart && { isMultipart: true }),
            ...(body && { hasBody: true }),
            ...(paged && { isPaged: true }),
            ...(query?.properties.sortOrder && { isSorted: true }),
          },
        ]),
      ),
    )}`,
  recipes: () =>
    module(
      readdirSync(join(root, 'recipes'))
        .filter((name) => name.endsWith('.json'))
        .sort()
        .map((name) => readJson(`recipes/${name}`)),
    ),
};

/** `switchyard:NAME`: data of the API document and the recipes, as far as the console needs it. */
const dataModules = {
  name: 'data',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^switchyard:/ }, ({ path }) => ({ path: path.slice('switchyard:'.length), namespace: 'data' }));
    onLoad({ filter: /.*/, namespace: 'data' }, ({ path }) => ({ contents: MODULES[path](), loader: 'js' }));
    // The client is written for Node and names its modules by what the compiler makes of them.
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, resolveDir, importer }) =>
      importer.includes('node_modules') ? undefined : { path: join(resolveDir, path.replace(/\.js$/, '.ts')) },
    );
  },
};

const SOURCES = { jsx: 'automatic', jsxImportSource: 'preact', tsconfigRaw: {} };

/** What the pages hold before the script runs, by the name of their file. */
async function startOfPages() {
  const { outputFiles } = await build({
    ...SOURCES,
    entryPoints: [join(root, 'console/start.tsx')],
    bundle: true,
    format: 'esm',
    write: false,
  });
  const { START } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
  return Object.entries(START).map(([name, element]) => [`${name}.html`, htmlOf(element)]);
}

async function buildConsole(out = join(root, 'dist/console')) {
  const { outputFiles, metafile } = await build({
    ...SOURCES,
    entryPoints: [join(root, 'console/boot.ts'), join(root, 'console/main.tsx'), join(root, 'console/styles/console.css')],
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    loader: { '.woff2': 'file' },
    assetNames: '[name]-[hash]',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: out,
    write: false,
    plugins: [dataModules],
  });
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const write = (name, bytes) => {
    writeFileSync(join(out, name), bytes);
    if (name.endsWith('.woff2')) return;
    writeFileSync(join(out, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    writeFileSync(join(out, `${name}.br`), brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  };
  // The style is in the page.
  const isStyle = ({ path }) => path.endsWith('.css');
  for (const file of outputFiles) if (!isStyle(file)) write(basename(file.path), file.contents);
  const fonts = ['inter', 'jetbrains-mono'].map((name) => ({
    title: `${name}.woff2`,
    text: readFileSync(join(root, `console/fonts/${name}-LICENSE.txt`), 'utf8'),
  }));
  writeFileSync(join(out, 'NOTICES.txt'), noticesOf(metafile, fonts));
  const entry = (source) => Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(source));
  const [script] = entry('boot.ts');
  const [main, { imports }] = entry('main.tsx');
  const first = [main, ...imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path)];
  const names = first.map((path) => `<meta name="script" content="/console/assets/${basename(path)}" />`);
  // In the page, so that it is seen without another request. The policy of the page names the hash of the style.
  const style = outputFiles.find(isStyle).text.replaceAll('url("./', 'url("/console/assets/').trim();
  const page = readFileSync(join(root, 'console/index.html'), 'utf8')
    .replace('/* style */', () => style)
    .replace('SCRIPT', basename(script))
    .replace('<!-- scripts -->', names.join('\n    '));
  for (const [name, start] of await startOfPages()) writeFileSync(join(out, name), page.replace('<!-- start -->', start));
}

await buildConsole();
