// Published advisories about packages that the lock file names, and the versions they concern. Kept by hand, because CI asks no network:
// `npm audit` is run for a release, and what it reports beyond this list is added here.

export type Advisory = {
  readonly id: string;
  readonly package: string;
  /** Alternatives, each a list of bounds that all apply. */
  readonly affects: string;
};

const of = (name: string, advisories: Readonly<Record<string, string>>): Advisory[] =>
  Object.entries(advisories).map(([id, affects]) => ({ id, package: name, affects }));

export const ADVISORIES: readonly Advisory[] = [
  ...of('@modelcontextprotocol/sdk', {
    'GHSA-345p-7cg4-v4c7': '>=1.10.0 <1.26.0',
    'GHSA-8r9q-7v3j-jr4g': '<1.25.2',
    'GHSA-w48q-cv73-mx4w': '<1.24.0',
  }),
  ...of('ajv', { 'GHSA-v88g-cgmw-v5xw': '<6.12.3' }),
  ...of('base-x', { 'GHSA-xq7p-g2vc-g82p': '<3.0.11 || >=4.0.0 <4.0.1 || >=5.0.0 <5.0.1' }),
  ...of('bn.js', { 'GHSA-378v-28hj-76wf': '<4.12.3 || >=5.0.0 <5.2.3' }),
  ...of('body-parser', { 'GHSA-qwcr-r2fm-qrc7': '<1.20.3', 'GHSA-wqch-xfxh-vrr4': '>=2.2.0 <2.2.1' }),
  ...of('cookie', { 'GHSA-pxg6-pf52-xh8x': '<0.7.0' }),
  ...of('cross-spawn', { 'GHSA-3xgq-45jj-v275': '<6.0.6 || >=7.0.0 <7.0.5' }),
  ...of('debug', { 'GHSA-8mgj-vmr8-frr6': '>=4.4.2 <4.4.3', 'GHSA-gxpj-cx7g-858c': '<2.6.9 || >=3.0.0 <3.1.0' }),
  ...of('elliptic', {
    'GHSA-848j-6mx2-7j84': '<=6.6.1',
    'GHSA-f7q4-pwc6-w24p': '>=2.0.0 <6.5.7',
    'GHSA-vjh7-7g9h-fjfh': '<6.6.1',
  }),
  ...of('esbuild', { 'GHSA-67mh-4wv8-f99h': '<0.25.0' }),
  ...of('express', { 'GHSA-qw6h-vgh9-j6wx': '<4.20.0 || >=5.0.0-alpha.1 <5.0.0', 'GHSA-rv95-896h-c2vc': '<4.19.2' }),
  ...of('fastify', {
    'GHSA-jx2c-rxcm-jvmq': '<5.7.2',
    'GHSA-mg2h-6x62-wpwc': '>=4.29.0 <4.29.1 || >=5.0.0 <5.3.2',
    'GHSA-mrq3-vjjr-p77c': '<5.7.3',
  }),
  ...of('find-my-way', { 'GHSA-rrr8-f88r-h8q6': '<8.2.2 || >=9.0.0 <9.0.1' }),
  ...of('hono', { 'GHSA-3vhc-576x-3qv4': '<4.11.4', 'GHSA-f67f-6cw9-8mq4': '<4.11.4', 'GHSA-m732-5p4w-x69g': '<4.10.2' }),
  ...of('jose', { 'GHSA-hhhv-q57g-882q': '<2.0.7 || >=3.0.0 <4.15.5' }),
  ...of('ms', { 'GHSA-w9mr-4mfr-499f': '<2.0.0' }),
  ...of('negotiator', { 'GHSA-7mc5-chhp-fmc3': '<0.6.1' }),
  ...of('nodemailer', {
    'GHSA-9h6g-pr28-7cqp': '<6.9.9',
    'GHSA-hwqf-gcqm-7353': '<6.6.1',
    'GHSA-mm7p-fcc7-pg87': '<7.0.7',
    'GHSA-rcmh-qjqh-p98v': '<7.0.11',
  }),
  ...of('path-to-regexp', { 'GHSA-9wv6-86v2-598j': '<0.1.10 || >=1.0.0 <1.9.0 || >=2.0.0 <3.3.0 || >=4.0.0 <6.3.0 || >=7.0.0 <8.0.0' }),
  ...of('pg', { 'GHSA-wc9v-mj63-m9g5': '<7.1.2' }),
  ...of('preact', { 'GHSA-36hm-qxxp-pg3m': '>=10.26.5 <10.26.10 || >=10.27.0 <10.27.3 || >=10.28.0 <10.28.2' }),
  ...of('qs', { 'GHSA-6rw7-vpxm-498p': '<6.14.1', 'GHSA-hrpp-h998-j3pp': '<6.10.3', 'GHSA-w7fw-mjwx-w883': '>=6.7.0 <6.14.2' }),
  ...of('secp256k1', { 'GHSA-584q-6j8j-r5pm': '<3.8.1 || >=4.0.0 <4.0.4 || >=5.0.0 <5.0.1' }),
  ...of('semver', { 'GHSA-c2qf-rxjj-qqgw': '<5.7.2 || >=6.0.0 <6.3.1 || >=7.0.0 <7.5.2' }),
  ...of('send', { 'GHSA-m6fv-jmcg-4jfg': '<0.19.0' }),
  ...of('serve-static', { 'GHSA-cm22-4g7w-348p': '<1.16.0 || >=2.0.0 <2.1.0' }),
  ...of('tiny-secp256k1', { 'GHSA-7mc2-6phr-23xc': '<1.1.7' }),
  ...of('undici', {
    'GHSA-c76h-2ccp-4975': '>=4.5.0 <5.28.5 || >=6.0.0 <6.21.1 || >=7.0.0 <7.2.3',
    'GHSA-cxrh-j4jr-qwg3': '<5.29.0 || >=6.0.0 <6.21.2 || >=7.0.0 <7.5.0',
  }),
  ...of('ws', { 'GHSA-3h5v-q93c-6h6q': '<5.2.4 || >=6.0.0 <6.2.3 || >=7.0.0 <7.5.10 || >=8.0.0 <8.17.1' }),
  ...of('yaml', { 'GHSA-48c2-rrv3-qjmp': '<1.10.3 || >=2.0.0 <2.8.3', 'GHSA-f9xv-q969-pqx4': '>=2.0.0-5 <2.2.2' }),
  ...of('zod', { 'GHSA-m95q-7qp3-xv42': '<3.22.3' }),
];

/** Advisories about a version that is used, and why they do not concern the service. */
export const JUDGED: Readonly<Record<string, string>> = {
  'GHSA-848j-6mx2-7j84':
    'elliptic makes wrong signatures in rare cases. It comes with the UMA SDK, whose functions for signing and verifying the service does not call: both are done by @noble/curves.',
};

type Version = { readonly numbers: readonly number[]; readonly before: string };

/** `before`: what stands before the release, as `beta.3`; empty for the release itself. */
function parseVersion(text: string): Version {
  const [release = '', before = ''] = text.split(/-(.*)/);
  return { numbers: release.split('.').map(Number), before };
}

function compare(a: Version, b: Version): number {
  for (let i = 0; i < 3; i += 1) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.before === b.before) return 0;
  if (a.before === '' || b.before === '') return a.before === '' ? 1 : -1;
  return a.before < b.before ? -1 : 1;
}

const HOLDS: Readonly<Record<string, (difference: number) => boolean>> = {
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>=': (difference) => difference >= 0,
};

/** Whether a version is one that `affects` names. */
export function isAffected(version: string, affects: string): boolean {
  const found = parseVersion(version);
  return affects.split('||').some((bounds) =>
    bounds
      .trim()
      .split(' ')
      .every((bound) => {
        const [, operator = '', named = ''] = /^(<=|>=|<)(.+)$/.exec(bound) ?? [];
        const holds = HOLDS[operator];
        if (!holds) throw new Error(`${bound} is no bound`);
        return holds(compare(found, parseVersion(named)));
      }),
  );
}
