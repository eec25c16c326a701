// `npm run pack:client [-- FOLDER]`: packs the client alone. What it uses of other packages is written into its files, so it has no
// dependencies.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { compile } from './build.mjs';
import { noticesOf } from './notices.mjs';

compile();
const root = join(import.meta.dirname, '..');
const compiled = join(root, 'dist/client');
const folder = join(root, 'dist/client-package');
const target = resolve(process.argv[2] ?? '.');

rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, 'generated'), { recursive: true });
/** A library falls back to Node's module where `crypto` is no global. It is one wherever the client runs. */
const webCrypto = {
  name: 'web-crypto',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?crypto$/ }, () => ({ path: 'crypto', namespace: 'web' }));
    onLoad({ filter: /.*/, namespace: 'web' }, () => ({ contents: 'export const webcrypto = globalThis.crypto;' }));
  },
};

const { metafile } = await build({
  entryPoints: ['client', 'signing', 'wallets', 'webhooks'].map((name) => join(compiled, `${name}.js`)),
  outdir: folder,
  bundle: true,
  splitting: true,
  metafile: true,
  format: 'esm',
  target: 'es2022',
  // Nothing of Node: what browsers load is what Node loads.
  platform: 'browser',
  plugins: [webCrypto],
  chunkNames: 'shared-[hash]',
});
for (const part of ['.', 'generated'])
  for (const name of readdirSync(join(compiled, part)))
    if (name.endsWith('.d.ts')) cpSync(join(compiled, part, name), join(folder, part, name));
for (const [from, to] of [
  ['client/package.json', 'package.json'],
  ['client/README.md', 'README.md'],
  ['LICENSE', 'LICENSE'],
  ['client/generated/operations.json', 'generated/operations.json'],
])
  cpSync(join(root, from), join(folder, to));
writeFileSync(join(folder, 'NOTICES.txt'), noticesOf(metafile));
const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
mkdirSync(target, { recursive: true });
execFileSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
process.stdout.write(`${join(target, `${name}-${version}.tgz`)}\n`);
