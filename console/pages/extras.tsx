// What the pages of some objects show beside their members.
import type { ComponentChildren } from 'preact';
import type { Item } from '../api.ts';
import type { Part } from '../parts/sequence.tsx';
import { text } from '../resources/shared.ts';
import type { Resource } from '../resources/types.ts';
import { Attempts } from './extras/attempts.tsx';
import { DocumentFile } from './extras/document-file.tsx';
import { Ready } from './extras/ready.tsx';
import { SameCall } from './extras/same-call.tsx';
import { StatementLink } from './extras/statement-link.tsx';
import { WalletProof } from './extras/wallet-proof.tsx';

type Extra = (object: Item, version: number, onChanged: () => void) => Part['show'];

/** A part that loads nothing. */
const still =
  (show: (object: Item, onChanged: () => void) => ComponentChildren): Extra =>
  (object, _version, onChanged) =>
  (onReady) => <Ready onReady={onReady}>{show(object, onChanged)}</Ready>;

const EXTRAS: Readonly<Record<string, Extra>> = {
  accounts: still((object) => <StatementLink account={object} />),
  'platform-accounts': still((object) => <StatementLink account={object} />),
  'external-accounts': still((object, onChanged) => <WalletProof account={object} onChanged={onChanged} />),
  'platform-external-accounts': still((object, onChanged) => <WalletProof account={object} onChanged={onChanged} />),
  events: still((object, onChanged) => <Attempts event={object} onChanged={onChanged} />),
  requests: still((object) => <SameCall request={object} />),
  documents: still((object) => <DocumentFile id={text(object, 'id')} name={text(object, 'fileName')} />),
};

export function extrasOf({ name }: Resource, object: Item, version: number, onChanged: () => void): readonly Part[] {
  const extra = EXTRAS[name];
  return extra ? [{ key: 'extra', show: extra(object, version, onChanged) }] : [];
}
