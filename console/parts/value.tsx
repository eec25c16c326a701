// How single values look: ids, money, times, statuses.

import { hrefOf } from '../address.ts';
import type { Item, Json } from '../api.ts';
import { pageOf, valueIn } from '../resources/index.ts';
import type { Look } from '../resources/types.ts';
import { Countdown } from './countdown.tsx';
import { Copied, CopyButton } from './json.tsx';
import { LastUse } from './last-use.tsx';
import { time } from './time.ts';

const TONES: readonly (readonly [RegExp, string])[] = [
  [/^(?:ACTIVE|SETTLED|DELIVERED|APPROVED|COMPLETED|VERIFIED|PASSED|PASS|MATCHED|PROVISIONED|ENABLED|CLAIMED|2\d\d)$/, 'ok'],
  [/^(?:PENDING|PROCESSING|PROVISIONING|ENABLING|IN_PROGRESS|READY|UNDER|HOLD|RESOLVE|CREATED|3\d\d)/, 'warn'],
  [/^(?:DECLINED|FAILED|FAIL|REJECTED|EXCEPTION|UNVERIFIED|NOT_MATCHED|INVALID|[45]\d\d)/, 'bad'],
  [/^(?:AUTHORIZED|FROZEN|PARTIALLY|REFUNDED|OPEN)/, 'info'],
];

/** Where an object says in what currency an amount of it is. */
const CURRENCY_OF = { quoted: 'quote.sendingCurrency', sending: 'sourceCurrency', receiving: 'destinationCurrency' } as const;

/** Made once: a formatter costs more than a row of a list. */
const COUNT = new Intl.NumberFormat('en-US');

export function Badge({ text }: { readonly text: string }) {
  const tone = TONES.find(([pattern]) => pattern.test(text))?.[1] ?? 'neutral';
  return <span class={`badge ${tone}`}>{text.replaceAll('_', ' ').toLowerCase()}</span>;
}

/** Kind and the last six; the whole on hover. It leads to its page where there is one, with a button that copies it; elsewhere, and where it is the object itself, a click copies it. */
export function Id({ text, isOwn = false }: { readonly text: string; readonly isOwn?: boolean }) {
  const colon = text.indexOf(':');
  const short = colon < 0 ? `…${text.slice(-6)}` : `${text.slice(0, colon)} …${text.slice(-6)}`;
  const page = isOwn ? undefined : pageOf(text);
  return page === undefined ? (
    <Copied text={text} shown={short} />
  ) : (
    <span class="linked-id">
      <a class="id" href={hrefOf(page)} title={text}>
        {short}
      </a>
      <CopyButton text={text} />
    </span>
  );
}

export const isMoney = (value: Json): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'amount' in value && 'currency' in value;

export function money(value: Json): string {
  const { amount, currency } = value as { amount?: number; currency?: { code?: string; decimals?: number } };
  if (typeof amount !== 'number') return '';
  const decimals = currency?.decimals ?? 2;
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(?:\d{3})+$)/g, ',');
  const rest = decimals > 0 ? `.${digits.slice(-decimals)}` : '';
  return `${amount < 0 ? '−' : ''}${whole}${rest} ${currency?.code ?? ''}`;
}

export function Value({ value, as, object }: { readonly value: Json | undefined; readonly as: Look | undefined; readonly object?: Item }) {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return <span class="faint">–</span>;
  if (isMoney(value)) return <span class="number">{money(value)}</span>;
  switch (as) {
    case 'id':
      return (
        <span class="ids">
          {[value].flat().map((one) => (
            <Id key={String(one)} text={String(one)} isOwn={object?.['id'] === one} />
          ))}
        </span>
      );
    case 'badge':
      return <Badge text={String(value)} />;
    case 'ms':
      return <span class="number">{COUNT.format(Number(value))} ms</span>;
    case 'mono':
      return (
        <span class="mono" title={String(value)}>
          {String(value).replaceAll(/([A-Z]\w+):[0-9a-f-]{30}([0-9a-f]{6})/g, '$1…$2')}
        </span>
      );
    case 'time': {
      const real = object?.['receivedAt'];
      return (
        <time class="mono" dateTime={String(value)} title={typeof real === 'string' ? `real time ${time(real)}` : String(value)}>
          {time(String(value))}
        </time>
      );
    }
    case 'countdown':
      return object?.['status'] === 'OPEN' ? <Countdown until={String(value)} /> : <time class="mono">{time(String(value))}</time>;
    case 'quoted':
    case 'sending':
    case 'receiving':
      return <span class="number">{money({ amount: value, currency: valueIn(object ?? {}, CURRENCY_OF[as]) ?? null })}</span>;
    case 'last-use':
      return <LastUse tokenId={String(value)} />;
    case 'link':
      return (
        <a href={String(value)} target="_blank" rel="noreferrer">
          {String(value)}
        </a>
      );
    default:
      return <>{Array.isArray(value) ? value.join(', ') : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)}</>;
  }
}
