// Builds the console: one script, one style sheet and the fonts, with a hash in every name and compressed beside the plain file.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

async function buildConsole(out = join(root, 'dist/console')) {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'console/main.tsx'), join(root, 'console/styles/console.css')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    loader: { '.woff2': 'file' },
    assetNames: '[name]-[hash]',
    entryNames: '[name]-[hash]',
    outdir: out,
    write: false,
    tsconfigRaw: {},
  });
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const write = (name, bytes) => {
    writeFileSync(join(out, name), bytes);
    if (name.endsWith('.woff2')) return;
    writeFileSync(join(out, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    writeFileSync(join(out, `${name}.br`), brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  };
  for (const { path, contents } of outputFiles) write(basename(path), contents);
  const named = (ending) => basename(outputFiles.find(({ path }) => path.endsWith(ending)).path);
  const page = readFileSync(join(root, 'console/index.html'), 'utf8');
  write('index.html', Buffer.from(page.replace('STYLE', named('.css')).replace('SCRIPT', named('.js'))));
}

await buildConsole();
