// Bundles the command line into one CommonJS file, dist/cli/main.cjs. Node starts it in less than half the time that the compiled modules take.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** The client stays outside: the commands that stream or sign load its compiled modules. */
const client = {
  name: 'client',
  setup({ onResolve }) {
    onResolve({ filter: /\/client\/[a-z]+\.js$/ }, ({ path }) => ({ path: `../client/${basename(path)}`, external: true }));
  },
};

const outfile = join(root, 'dist/cli/main.cjs');
await build({
  entryPoints: [join(root, 'cli/main.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  minify: true,
  keepNames: false,
  legalComments: 'none',
  define: { 'import.meta.dirname': '__dirname' },
  // What a package needs is loaded by the command that uses it.
  packages: 'external',
  plugins: [client],
  tsconfigRaw: {},
});
chmodSync(outfile, 0o755);

// Help without a command is the same until the next build.
const help = join(root, 'dist/cli/help.txt');
rmSync(help, { force: true });
if (existsSync(join(root, 'dist/client/generated/operations.json')))
  writeFileSync(help, execFileSync(process.execPath, [outfile, '--help']));
