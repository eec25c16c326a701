// Who is calling. HTTP Basic carries `<token id>:<secret>`; another scheme (agents' bearer tokens) would be a second entry in SCHEMES.
import { ApiError } from '../kernel/errors.js';
import type { Caller, Permission } from './operation.js';

/** Looks a credential up; undefined for unknown, wrong, expired and deleted alike. */
export type FindCaller = (tokenId: string, secret: string) => Promise<Caller | undefined>;

const SCHEMES: Readonly<Record<string, (value: string, find: FindCaller) => Promise<Caller | undefined>>> = {
  basic: async (value, find) => {
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return undefined;
    const text = Buffer.from(value, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    return colon < 1 ? undefined : find(text.slice(0, colon), text.slice(colon + 1));
  },
};

export async function authenticate(header: string | undefined, find: FindCaller): Promise<Caller> {
  const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(header ?? '') ?? [];
  const caller = await SCHEMES[scheme.toLowerCase()]?.(value, find);
  if (!caller)
    throw new ApiError('UNAUTHORIZED', undefined, { headers: { 'www-authenticate': 'Basic realm="switchyard", charset="UTF-8"' } });
  return caller;
}

/** MANAGE includes TRANSACT, and both include VIEW: a token that may change a thing may also look at it. */
const GRANTS: Readonly<Record<Permission, readonly Permission[]>> = {
  VIEW: ['VIEW', 'TRANSACT', 'MANAGE'],
  TRANSACT: ['TRANSACT'],
  MANAGE: ['MANAGE'],
};

export function authorize(caller: Caller, needed: Permission): void {
  if (!GRANTS[needed].some((permission) => caller.permissions.includes(permission))) throw new ApiError('FORBIDDEN');
}
