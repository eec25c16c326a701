// Makes a recorded exchange fit to be read: the same every time it can be, and without anything that is or looks like a secret.
import type { Example } from '../../src/http/words.js';

/** Members that hold a secret, a code or a cursor. What stands for them cannot be mistaken for a real one. */
const STANDINS: Readonly<Record<string, string>> = {
  clientSecret: 'example-secret-shown-once',
  secret: 'example-secret',
  secretBase32Encoded: 'EXAMPLESECRET',
  totpUri: 'otpauth://totp/Switchyard?secret=EXAMPLESECRET',
  sessionToken: 'example-session-token',
  token: 'example-token',
  oidcToken: 'example.oidc.token',
  livenessAccessToken: 'example-token',
  accessToken: 'example-access-token',
  deviceCode: 'EXAMPLE-CODE',
  nextCursor: 'example-cursor',
};

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const MINUTE_MS = 60_000;
/** When all examples happen. */
const NOON = Date.parse('2026-03-01T12:00:00.000Z');
/** Longer lists are cut: one row says what a row is. */
const ROWS = 2;

/** One exchange. Ids are numbered in the order in which they appear; times keep their distance from `now`, in minutes. */
export function presentable(example: Example, now: number): Example {
  const ids = new Map<string, string>();
  const idFor = (uuid: string): string => {
    const made = ids.get(uuid) ?? `01954200-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(uuid, made);
    return made;
  };
  const timeFor = (text: string): string => {
    const distance = Math.round((Date.parse(text) - now) / MINUTE_MS) * MINUTE_MS;
    // A time that is far away was chosen, not measured.
    return Math.abs(distance) > 400 * 24 * 60 * MINUTE_MS ? text : new Date(NOON + distance).toISOString();
  };
  const clean = (text: string): string =>
    text
      .replaceAll(/\$c[0-9a-f]{32}@[0-9a-f]{12}\.uma\.localhost/g, '$$ada@example.uma.localhost')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}@example\.com/g, 'ada@example.com')
      .replaceAll(UUID, idFor)
      .replaceAll(TIME, timeFor)
      .replaceAll(/https?:\/\/127\.0\.0\.1:\d+\/2025-10-13/g, 'https://switchyard.example/2025-10-13')
      .replaceAll(/https?:\/\/127\.0\.0\.1:\d+/g, 'https://app.example')
      .replaceAll(/([?&]token=)[^&"]+/g, '$1example-token')
      .replaceAll(/(\/kyc\/)[\w-]{20,}/g, '$1example-token')
      .replaceAll(/AGENT(?:-[2-9A-Z]{4}){3}/g, 'AGENT-2345-6789-ABCD')
      .replaceAll(/whsec_[\w+/=]+/g, 'whsec_example');
  const walk = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string') return STANDINS[name] ?? clean(value);
    if (Array.isArray(value) && name === 'recoveryCodes') return ['example-code-1', 'example-code-2'];
    if (Array.isArray(value)) return value.slice(0, name === 'data' ? ROWS : 20).map((part) => walk(part, name));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, walk(part, key)]));
  };
  return walk(example) as Example;
}

/** The fields of a form by name. What a file holds is said, not shown. */
export function fieldsOf(form: string): Record<string, string> {
  const fields = form.matchAll(/name="([^"]+)"(; filename="[^"]*")?[^\r]*\r\n(?:[^\r]+\r\n)*\r\n([\s\S]*?)\r\n(?=--)/g);
  return Object.fromEntries([...fields].map(([, name = '', file, value = '']) => [name, file ? '(the bytes of the file)' : value]));
}

/** The members of a value, without what they hold. Two requests of one shape differ only in their values. */
export function shapeOf(value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((part) => shapeOf(part, `${place}[]`)))].sort();
  if (value === null || typeof value !== 'object') return [place];
  return Object.entries(value)
    .flatMap(([name, part]) => shapeOf(part, `${place}.${name}`))
    .sort();
}
