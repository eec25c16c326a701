// Which domains messages are sent to: the counterparty of the sandbox, and the providers that the operator settles with.
import { SANDBOX_DOMAIN, sandboxPeer } from './sandbox-peer.js';
import type { UmaPeer, UmaPeers } from './uma.js';

/** `network` are the providers that the operator has named, by domain. */
export const createUmaPeers = ({
  isSandbox,
  network,
}: {
  readonly isSandbox: boolean;
  readonly network: ReadonlyMap<string, UmaPeer>;
}): UmaPeers => ({
  find: (domain) => (isSandbox && domain === SANDBOX_DOMAIN ? sandboxPeer : network.get(domain)),
});
