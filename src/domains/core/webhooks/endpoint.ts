// Which URLs a platform may choose for its webhooks: schemes, ports and addresses. Nothing is resolved here.
import { BlockList, isIP, isIPv6 } from 'node:net';

export type OutboundPolicy = {
  readonly httpsOnly: boolean;
  readonly allowLoopback: boolean;
  /** Every address that is refused or not resolved is reported alike. */
  readonly hidesCause: boolean;
};
export const LIVE_POLICY: OutboundPolicy = { httpsOnly: true, allowLoopback: false, hidesCause: true };
export const SANDBOX_POLICY: OutboundPolicy = { httpsOnly: false, allowLoopback: true, hidesCause: false };

const subnets = (...ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', prefix] = range.split('/');
    list.addSubnet(net, Number(prefix), isIPv6(net) ? 'ipv6' : 'ipv4');
  }
  return list;
};

const LOOPBACK = { 4: subnets('127.0.0.0/8'), 6: subnets('::1/128') } as const;

// Every block of the IANA special-purpose registry that is not ordinary unicast, and the cloud metadata services on public addresses.
const REFUSED_IPV4 = subnets(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
);

// IPv6 has an allow-list: global unicast. It excludes mapped (::ffff:), NAT64 (64:ff9b::), unique-local, link-local and multicast addresses.
const GLOBAL_IPV6 = subnets('2000::/3');
// Refused within it: addresses that embed another address (Teredo and its block, 6to4), and documentation blocks.
const REFUSED_IPV6 = subnets('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');

export function isAddressAllowed(address: string, policy: OutboundPolicy): boolean {
  const family = isIP(address);
  // A zone index ("fe80::1%eth0") names an interface of this machine.
  if (address.includes('%')) return false;
  if (family === 4) return (policy.allowLoopback && LOOPBACK[4].check(address, 'ipv4')) || !REFUSED_IPV4.check(address, 'ipv4');
  if (family === 6) {
    if (policy.allowLoopback && LOOPBACK[6].check(address, 'ipv6')) return true;
    return GLOBAL_IPV6.check(address, 'ipv6') && !REFUSED_IPV6.check(address, 'ipv6');
  }
  return false;
}

/** Why nothing is ever sent to the URL; undefined for one that may be tried. The addresses of a host name are checked when it is resolved. */
export function endpointProblem(text: string, policy: OutboundPolicy): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && (policy.httpsOnly || url.protocol !== 'http:')))
    return `must be an ${policy.httpsOnly ? 'https' : 'https or http'} URL`;
  if (url.username !== '' || url.password !== '') return 'must not hold credentials';
  if (url.hash !== '') return 'must not have a fragment';
  if (url.hostname === '' || url.hostname.endsWith('.')) return 'must name a host, without a dot at its end';
  // Ports below 1024 belong to other protocols (mail, shells, files). An HTTP request to one of them is an attack.
  const port = portOf(url);
  if (port < 1024 && port !== 443 && !(port === 80 && !policy.httpsOnly))
    return `must have port 443${policy.httpsOnly ? '' : ', 80'} or one above 1023`;
  const literal = literalOf(url);
  return isIP(literal) !== 0 && !isAddressAllowed(literal, policy) ? 'must have a public address' : undefined;
}

/** The parsed URL, or undefined if the policy forbids it. */
export const parseEndpointUrl = (text: string, policy: OutboundPolicy): URL | undefined =>
  endpointProblem(text, policy) === undefined ? new URL(text) : undefined;

const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80));
const literalOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');
