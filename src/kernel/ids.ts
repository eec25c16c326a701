// Identifiers as the API shows them: `Card:019542f5-…`. The kind is part of the type; the database stores the bare uuid.
import { createHash, randomFillSync } from 'node:crypto';

export type Id<Kind extends string> = `${Kind}:${string}`;
export type PlatformId = Id<'Platform'>;
export type TokenId = Id<'Token'>;
export type CustomerId = Id<'Customer'>;
export type InternalAccountId = Id<'InternalAccount'>;
export type ExternalAccountId = Id<'ExternalAccount'>;
export type CardId = Id<'Card'>;
export type CardFundingSourceId = Id<'CardFundingSource'>;
export type DelegatedKeyId = Id<'DelegatedKey'>;
export type TransactionId = Id<'Transaction'>;
export type AgentId = Id<'Agent'>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const pool = Buffer.alloc(10 * 512);
let poolAt = pool.length;
let lastMs = 0;
let lastTime = '';
let sequence = 0;

/** A version 7 uuid: sorts by the time it was made, also within one millisecond of this process. */
export function newUuid(): string {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  const ms = Math.max(Date.now(), lastMs);
  sequence = ms === lastMs ? sequence + 1 : pool.readUInt16BE(poolAt) & 0x7ff;
  // 12 bits count within a millisecond; when they run out we borrow the next one.
  const time = sequence > 0xfff ? ms + 1 : ms;
  if (sequence > 0xfff) sequence = 0;
  if (time !== lastMs) {
    lastMs = time;
    const digits = time.toString(16).padStart(12, '0');
    lastTime = `${digits.slice(0, 8)}-${digits.slice(8)}-`;
  }
  // Byte by byte from a table: several ids are made for every request.
  const at = poolAt;
  poolAt += 10;
  const hex = (i: number): string => HEX[pool.readUInt8(at + i)] ?? '';
  const variant = HEX[0x80 | (pool.readUInt8(at + 2) & 0x3f)];
  return `${lastTime}${HEX[0x70 | (sequence >> 8)]}${HEX[sequence & 0xff]}-${variant}${hex(3)}-${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`;
}

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

/** When a version 7 uuid was made; undefined for another uuid. */
export const madeAt = (uuid: string): number | undefined =>
  VERSION_7.test(uuid) ? Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) : undefined;

/** The lowest version 7 uuid of a moment. */
export function uuidAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}

export const newId = <Kind extends string>(kind: Kind): Id<Kind> => `${kind}:${newUuid()}`;

/** A uuid derived from a name: the same name always gives the same uuid, so the id needs no look-up. */
export function derivedUuid(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The uuid of an id, for SQL. */
export const uuidOf = (id: Id<string>): string => id.slice(id.indexOf(':') + 1);

/** The wire form of a uuid read from the database. */
export const idOf = <Kind extends string>(kind: Kind, uuid: string): Id<Kind> => `${kind}:${uuid}`;

/** Reads an id sent by a caller; undefined when it could never name a record of that kind. */
export function parseId<Kind extends string>(kind: Kind, text: string): Id<Kind> | undefined {
  if (!text.startsWith(`${kind}:`)) return undefined;
  const uuid = text.slice(kind.length + 1);
  return UUID.test(uuid) ? idOf(kind, uuid) : undefined;
}
