// The notices of what a bundle contains of other packages: their licences ask that they stay with copies.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const LICENCE = /^licen[cs]e(?:\.md|\.txt)?$/i;

/** Folders of the packages that are part of a bundle, from the metafile of esbuild. */
export function packagesIn(metafile) {
  const folders = Object.entries(metafile.inputs)
    .filter(([, { bytes }]) => bytes > 0)
    .map(([path]) => /^(?:.*\/)?(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll('\\', '/'))?.[1]);
  return [...new Set(folders.filter(Boolean))].sort();
}

export function noticesOf(metafile, further = []) {
  const packages = packagesIn(metafile).map((folder) => {
    const path = join(root, folder);
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const file = readdirSync(path).find((each) => LICENCE.test(each));
    if (file === undefined) throw new Error(`${name} has no licence file`);
    return { title: `${name} ${version} (${license})`, text: readFileSync(join(path, file), 'utf8') };
  });
  return `${[...packages, ...further].map(({ title, text }) => `${title}\n\n${text.trim()}\n`).join(`\n${'-'.repeat(80)}\n\n`)}`;
}
