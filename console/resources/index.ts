// Every page that is made from a description.
import type { Item, Json } from '../api.ts';
import { AGENTS } from './agents.ts';
import { CARDS } from './cards.ts';
import { DEVELOPERS } from './developers.ts';
import { IDENTITY } from './identity.ts';
import { MONEY } from './money.ts';
import { PAYMENTS } from './payments.ts';
import { GROUPS, type Group, type Resource } from './types.ts';

export const RESOURCES: readonly Resource[] = [...MONEY, ...PAYMENTS, ...CARDS, ...IDENTITY, ...AGENTS, ...DEVELOPERS];

export const resourceOf = (name: string): Resource | undefined => RESOURCES.find((resource) => resource.name === name);

export type Link = { readonly title: string; readonly path: string };

/** Pages that are no list of objects. */
const OWN: Readonly<Partial<Record<Group, readonly Link[]>>> = {
  Money: [{ title: 'Statements', path: '/statements' }],
  Payments: [{ title: 'UMA', path: '/uma' }],
  Developers: [
    { title: 'Webhooks', path: '/webhooks' },
    { title: 'All operations', path: '/operations' },
  ],
  Sandbox: [
    { title: 'Clock', path: '/clock' },
    { title: 'Simulate', path: '/simulate' },
    { title: 'Signing desk', path: '/signing' },
    { title: 'Test wallets', path: '/wallets' },
    { title: 'Reset', path: '/reset' },
  ],
};

export const linksOf = (group: Group): readonly Link[] => [
  ...RESOURCES.filter((resource) => resource.group === group && !resource.isInner).map(({ title, name }) => ({ title, path: `/${name}` })),
  ...(OWN[group] ?? []),
];

/** A service in live mode has no sandbox. */
export const groupsOf = (isSandbox: boolean): readonly Group[] => (isSandbox ? GROUPS : GROUPS.filter((group) => group !== 'Sandbox'));

/** The page of an id: ids name their kind, and a bare uuid is a request. */
export function pageOf(text: string): string | undefined {
  const [, kind] = /^([A-Z][A-Za-z]+):[0-9a-f-]{36}$/.exec(text) ?? [];
  if (kind === undefined) return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? `/requests/${text}` : undefined;
  const resource = RESOURCES.find((one) => one.kind === kind);
  return resource && `/${resource.name}/${text}`;
}

/** The value of a column: the first of its alternatives that the object has. */
export function valueIn(object: Item, name: string): Json | undefined {
  for (const path of name.split('|')) {
    let value: Json | undefined = object;
    for (const part of path.split('.')) value = (value as Item | undefined)?.[part];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}
