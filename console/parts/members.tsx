// The members of an object, by the look that their names and values suggest.
import type { Item, Json } from '../api.ts';
import { wordsOf } from '../form-model.ts';
import { valueIn } from '../resources/index.ts';
import type { Look } from '../resources/types.ts';
import { Copied, JsonBlock } from './json.tsx';
import { isMoney, Value } from './value.tsx';

export const STATUS = ['status', 'kycStatus', 'kybStatus', 'verificationStatus', 'deliveryStatus', 'issuanceStatus'];

function lookOf(name: string, value: Json): Look | undefined {
  if (/[sS]tatus$/.test(name)) return 'badge';
  if (/At$|^timestamp$|^now$/.test(name)) return 'time';
  if (name === 'durationMs') return 'ms';
  if (/[uU]rl$/.test(name) && typeof value === 'string' && /^https?:/.test(value)) return 'link';
  if (/^(?:path|operation|code|publicKey|address|iban|messageToSign|\w+Ref)$/.test(name)) return 'mono';
  return /(?:^i|I)ds?$|^fundingSource$|^documentHolder$/.test(name) && !/^(?:platform[CA]|client)/.test(name) ? 'id' : undefined;
}

/** Where amounts that are plain numbers have their currency: beside them. Fees are of what is sent. */
const CURRENCIES: readonly (readonly [RegExp, string])[] = [
  [/^totalReceivingAmount$/, 'receivingCurrency'],
  [/^totalSendingAmount$|[fF]eesIncluded$/, 'sendingCurrency'],
  [/^fees$/, 'sentAmount.currency'],
];

function asMoney(object: Item, name: string, value: Json): Json {
  const place = CURRENCIES.find(([names]) => names.test(name))?.[1];
  const currency = place === undefined ? undefined : valueIn(object, place);
  return typeof value === 'number' && currency !== undefined ? { amount: value, currency } : value;
}

const isPlain = (value: Json): boolean =>
  value === null || typeof value !== 'object' || isMoney(value) || (Array.isArray(value) && value.every((one) => typeof one !== 'object'));

/** An object whose members can be shown one by one. */
const isFlat = (value: Json): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isPlain);

const Plain = ({ object }: { readonly object: Item }) => (
  <dl class="members">
    {Object.entries(object)
      .filter(([, value]) => isPlain(value))
      .map(([name, value]) => (
        <div key={name}>
          <dt>{wordsOf(name)}</dt>
          <dd>
            {name === 'id' ? <Copied text={String(value)} /> : <Value value={asMoney(object, name, value)} as={lookOf(name, value)} />}
          </dd>
        </div>
      ))}
  </dl>
);

export function Members({ object, without = [] }: { readonly object: Item; readonly without?: readonly string[] }) {
  const shown = Object.entries(object).filter(([name]) => !without.includes(name));
  const deep = shown.filter(([, value]) => !isPlain(value));
  return (
    <>
      <Plain object={Object.fromEntries(shown)} />
      {deep.map(([name, value]) =>
        isFlat(value) ? (
          <section key={name} class="part" aria-label={wordsOf(name)}>
            <h2>{wordsOf(name)}</h2>
            <Plain object={value} />
          </section>
        ) : (
          <JsonBlock key={name} label={wordsOf(name)} value={value} />
        ),
      )}
    </>
  );
}
