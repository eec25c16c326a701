// Reads the URL of a database that may name several servers, in the form of libpq. The driver knows one host.

export type Host = { readonly host: string; readonly port: number };

/** `url` names no host if there are several, or if the server must be asked whether it takes writes. */
export type Address = { readonly url: string; readonly hosts: readonly Host[]; readonly isChosen: boolean };

const DEFAULT_PORT = 5432;
const ATTRIBUTES = ['any', 'read-write', 'primary'];

/** Reads `postgresql://user:password@one:5432,two:5432/name?target_session_attrs=read-write`, as libpq does. The message of an error is for the operator. */
export function addressOf(text: string): Address {
  const [, scheme = '', user = '', authority = '', path = '', search = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text) ?? [];
  if (scheme === '') throw new Error('is not such a URL');
  const query = new URLSearchParams(search);
  const attributes = query.get('target_session_attrs');
  if (attributes !== null && !ATTRIBUTES.includes(attributes)) throw new Error('asks for a server that takes no writes');
  const hosts = hostsOf(authority, query.get('host'), query.get('port'));
  if (hosts.length < 2 && (attributes ?? 'any') === 'any') return { url: withoutAttributes(text), hosts, isChosen: false };
  for (const name of ['host', 'port', 'target_session_attrs']) query.delete(name);
  const rest = query.size > 0 ? `?${query}` : '';
  return { url: `${scheme}${user}localhost${path}${rest}`, hosts, isChosen: true };
}

const withoutAttributes = (text: string): string =>
  text.replace(/([?&])target_session_attrs=any(&|$)/, (_, before, after) => (after ? before : ''));

/** Parameters win over the authority of the URL. One port may be given for all hosts. */
function hostsOf(authority: string, named: string | null, ports: string | null): Host[] {
  const listed = authority.split(',').map((part) => /^(\[[^\]]+\]|[^:]*)(?::(\d*))?$/.exec(part) ?? unreadable());
  const names = named?.split(',') ?? listed.map(([, name = '']) => decodeURIComponent(name.replace(/^\[(.+)\]$/, '$1')));
  const numbers = ports?.split(',') ?? (named === null || listed.length === names.length ? listed.map(([, , port = '']) => port) : ['']);
  if (numbers.length > 1 && numbers.length !== names.length) throw new Error('names other numbers of hosts and ports');
  return names.map((name, i) => ({ host: name || 'localhost', port: portOf(numbers.length > 1 ? numbers[i] : numbers[0]) }));
}

const unreadable = (): never => {
  throw new Error('names a host that cannot be read');
};

function portOf(text = ''): number {
  const port = text === '' ? DEFAULT_PORT : Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : unreadable();
}
