// What the pages of some objects show beside their members.
import type { ComponentChildren } from 'preact';
import type { Item } from '../api.ts';
import type { Part } from '../parts/sequence.tsx';
import { text } from '../resources/shared.ts';
import type { Resource } from '../resources/types.ts';
import { Attempts } from './extras/attempts.tsx';
import { Declined } from './extras/declined.tsx';
import { DocumentFile } from './extras/document-file.tsx';
import { Entries } from './extras/entries.tsx';
import { Policies } from './extras/policies.tsx';
import { Ready } from './extras/ready.tsx';
import { SameCall } from './extras/same-call.tsx';
import { Signed } from './extras/signed.tsx';
import { Spending } from './extras/spending.tsx';
import { WalletProof } from './extras/wallet-proof.tsx';

type Extra = (object: Item, version: number, onChanged: () => void) => Part['show'];

/** A part that loads nothing. */
const still =
  (show: (object: Item, onChanged: () => void) => ComponentChildren): Extra =>
  (object, _version, onChanged) =>
  (onReady) => <Ready onReady={onReady}>{show(object, onChanged)}</Ready>;

const entries: Extra = (object, version) => (onReady) => <Entries account={object} version={version} onReady={onReady} />;
const proof = still((object, onChanged) => <WalletProof account={object} onChanged={onChanged} />);

const EXTRAS: Readonly<Record<string, readonly Extra[]>> = {
  accounts: [entries],
  'platform-accounts': [entries],
  'external-accounts': [proof],
  'platform-external-accounts': [proof],
  cards: [(object, version) => (onReady) => <Spending card={object} version={version} onReady={onReady} />],
  keys: [() => (onReady) => <Policies onReady={onReady} />],
  transactions: [(object) => (onReady) => <Declined transaction={object} onReady={onReady} />],
  'signed-requests': [(object) => (onReady) => <Signed request={object} onReady={onReady} />],
  events: [still((object, onChanged) => <Attempts event={object} onChanged={onChanged} />)],
  requests: [still((object) => <SameCall request={object} />)],
  documents: [still((object) => <DocumentFile id={text(object, 'id')} name={text(object, 'fileName')} />)],
};

export const extrasOf = ({ name }: Resource, object: Item, version: number, onChanged: () => void): readonly Part[] =>
  (EXTRAS[name] ?? []).map((extra, at) => ({ key: `extra ${at}`, show: extra(object, version, onChanged) }));
