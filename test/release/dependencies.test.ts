// The packages that the project depends on, read from package.json, the lock file and node_modules. Nothing is asked of the network.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { projectRoot } from '../../src/root.js';
import { ADVISORIES, isAffected, JUDGED } from './advisories.js';

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly licenses?: readonly { readonly type: string }[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
};
type Locked = {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
};

const read = <Content>(path: string): Content => JSON.parse(readFileSync(join(projectRoot, path), 'utf8')) as Content;

const manifest = read<Manifest>('package.json');
const lock = read<{ readonly lockfileVersion: number; readonly packages: Readonly<Record<string, Locked & Manifest>> }>(
  'package-lock.json',
);
const packages = Object.entries(lock.packages).filter(([folder]) => folder !== '');

/** What is installed. Packages of other systems are in the lock file alone. */
const installed = (folder: string): Manifest | undefined =>
  existsSync(join(projectRoot, folder, 'package.json')) ? read<Manifest>(`${folder}/package.json`) : undefined;

const licenceOf = ([folder, { license }]: (typeof packages)[number]): string => {
  const own = installed(folder);
  return own?.license ?? own?.licenses?.map(({ type }) => type).join(' OR ') ?? license ?? 'none';
};

/** Licences that ask for no more than their notice. */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'MIT OR Apache-2.0', 'Unlicense']);
/** Used by tests and not part of a release. */
const ALLOWED_IN_TESTS = new Set(['MPL-2.0']);

describe('versions', () => {
  test('package.json names exact versions', () => {
    const named = { ...manifest.dependencies, ...manifest.devDependencies };
    assert.ok(Object.keys(named).length > 0);
    assert.deepEqual(
      Object.entries(named).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
      [],
    );
  });

  test('the lock file is of this package.json', () => {
    const { dependencies, devDependencies } = lock.packages[''] ?? assert.fail('no root');
    assert.deepEqual({ dependencies, devDependencies }, { dependencies: manifest.dependencies, devDependencies: manifest.devDependencies });
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      assert.equal(lock.packages[`node_modules/${name}`]?.version, version, name);
  });
});

describe('origin', () => {
  test('every package has an integrity hash, and comes from the registry', () => {
    assert.equal(lock.lockfileVersion, 3);
    assert.ok(packages.length > 100);
    for (const [folder, { integrity, resolved, link }] of packages) {
      assert.match(integrity ?? '', /^sha512-[A-Za-z0-9+/]{86}==$/, folder);
      assert.equal(link, undefined, folder);
      if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, folder);
    }
  });

  test('no package runs a script when it is installed', () => {
    const scripted = new Set(
      packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([folder]) => folder.replace(/^.*node_modules\//, '')),
    );
    assert.deepEqual(
      Object.keys(manifest.allowScripts ?? {}).sort(),
      [...scripted].sort(),
      'allowScripts names every package that has a script',
    );
    assert.deepEqual(
      Object.entries(manifest.allowScripts ?? {}).filter(([, isAllowed]) => isAllowed),
      [],
    );
  });
});

describe('licences', () => {
  test('every package of a release has a licence that asks for no more than its notice', () => {
    const others = packages.filter(([, { dev }]) => !dev).filter((each) => !ALLOWED.has(licenceOf(each)));
    assert.deepEqual(
      others.map((each) => `${each[0]} ${licenceOf(each)}`),
      [],
    );
  });

  test('every package of the tests has a known licence', () => {
    const others = packages.filter((each) => !ALLOWED.has(licenceOf(each)) && !ALLOWED_IN_TESTS.has(licenceOf(each)));
    assert.deepEqual(
      others.map((each) => `${each[0]} ${licenceOf(each)}`),
      [],
    );
  });

  test('the console has the notices of what it contains', () => {
    const notices = readFileSync(join(projectRoot, 'dist/console/NOTICES.txt'), 'utf8');
    for (const name of ['preact', '@preact/signals', '@noble/curves'])
      assert.match(notices, new RegExp(`^${name.replace('/', '\\/')} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'), name);
    assert.match(notices, /^inter\.woff2$/m);
    assert.match(notices, /SIL OPEN FONT LICENSE/i);
  });
});

describe('advisories', () => {
  const nameOf = (folder: string): string => folder.replace(/^.*node_modules\//, '');
  const found = packages.flatMap(([folder, { version }]) =>
    ADVISORIES.filter((advisory) => advisory.package === nameOf(folder) && isAffected(version, advisory.affects)).map(({ id }) => ({
      id,
      used: `${nameOf(folder)} ${version}`,
    })),
  );

  test('no version of the lock file has a recorded advisory that nobody has judged', () => {
    assert.deepEqual(
      found.filter(({ id }) => !Object.hasOwn(JUDGED, id)),
      [],
    );
  });

  test('every judgement and every record is of a package that is used', () => {
    const names = new Set(packages.map(([folder]) => nameOf(folder)));
    assert.deepEqual([...new Set(found.map(({ id }) => id))].sort(), Object.keys(JUDGED).sort());
    for (const advisory of ADVISORIES) assert.ok(names.has(advisory.package), advisory.package);
  });

  test('versions are compared with the bounds of an advisory', () => {
    const affects = '<5.28.5 || >=6.0.0 <6.21.1 || >=7.0.0-beta.2 <=7.2.3';
    for (const version of ['4.99.0', '5.28.4', '6.0.0', '6.21.0', '6.21.1-rc.1', '7.0.0-beta.2', '7.0.0', '7.2.3'])
      assert.ok(isAffected(version, affects), version);
    for (const version of ['5.28.5', '5.100.0', '6.21.1', '7.0.0-beta.1', '7.2.4', '10.0.0'])
      assert.ok(!isAffected(version, affects), version);
    assert.throws(() => isAffected('1.0.0', '~1.0.0'));
  });

  test('what was judged by how the service uses a package is true: it signs and verifies nothing with the UMA SDK', () => {
    const sources = (readdirSync(join(projectRoot, 'src'), { recursive: true }) as string[]).filter((path) => path.endsWith('.ts'));
    assert.ok(sources.length > 100);
    for (const path of sources) {
      const text = readFileSync(join(projectRoot, 'src', path), 'utf8');
      assert.doesNotMatch(text, /from '(?:elliptic|secp256k1)'/, path);
      if (text.includes('@uma-sdk/core')) assert.doesNotMatch(text, /\b(?:signPayload|getSigned\w+|verify\w+Signatures?)\b/, path);
    }
  });
});
