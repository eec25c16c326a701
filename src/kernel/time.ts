// Parses and formats instants. Nothing here reads the current time: `now` comes from the platform's clock in the database.
import { assert } from './errors.js';

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** An RFC 3339 timestamp with offset, to the millisecond; undefined when it is not one, names an impossible moment, or cannot be written in UTC. */
export function parseTimestamp(text: string): Date | undefined {
  const match = TIMESTAMP.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const zone = match[8] ?? 'Z';
  const [zoneHour, zoneMinute] = /[Zz]/.test(zone) ? [0, 0] : [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59 || year === 0) return undefined;
  const millis = Math.trunc(Number(`0${match[7] ?? '.0'}`) * 1000);
  const offset = (zone.startsWith('-') ? -1 : 1) * (zoneHour * 60 + zoneMinute) * 60_000;
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  at.setUTCHours(hour, minute, second, millis);
  at.setTime(at.getTime() - offset);
  return at.getUTCFullYear() < 1 || at.getUTCFullYear() > 9999 ? undefined : at;
}

/** A timestamp, or a date as its first instant in UTC. */
export const parseInstant = (text: string): Date | undefined => parseTimestamp(isDate(text) ? `${text}T00:00:00Z` : text);

/** A timestamp or date that already passed its schema. */
export function timestamp(text: string): Date {
  const at = parseInstant(text);
  assert(at, 'a checked timestamp parses');
  return at;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Whether the text is a calendar date that exists. */
export function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (!match) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

const daysIn = (year: number, month: number): number => new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

export const plusMs = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

/** The UTC calendar day of an instant, as `YYYY-MM-DD`. */
export const utcDay = (at: Date): string => at.toISOString().slice(0, 10);

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
