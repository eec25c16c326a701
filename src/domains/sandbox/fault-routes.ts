// Operations on the faults of a sandbox platform.
import { noContent, type Operation, ok, operation } from '../../http/operation.js';
import { SandboxFaults, SandboxFaultsRequest } from './fault-schemas.js';
import type { Faults } from './faults.js';

const TAG = 'Sandbox';

export const faultRoutes = (faults: Faults, operations: () => readonly Operation[]): Operation[] => [
  operation({
    id: 'getSandboxFaults',
    method: 'GET',
    path: '/sandbox/faults',
    tag: TAG,
    summary: 'List the faults of the platform',
    description: 'Lists what goes wrong on purpose on this platform, and how often it still does.',
    permission: 'VIEW',
    sandbox: true,
    success: { 200: SandboxFaults },
    handle: async ({ platformId }) => ok({ data: await faults.list(platformId) }),
  }),
  operation({
    id: 'setSandboxFaults',
    method: 'PUT',
    path: '/sandbox/faults',
    tag: TAG,
    summary: 'Set the faults of the platform',
    description:
      'Replaces the faults of this platform: requests that are refused, late or cut, webhooks that are lost or doubled, and providers that refuse, are slow or silent. An answer that a fault made, delayed or had a part in names its kind in the header `Switchyard-Fault`; what a provider is asked for after the answer, such as a new card, shows in the object and its events. All processes of the installation follow within two seconds. No other platform is affected.',
    permission: 'MANAGE',
    sandbox: true,
    body: SandboxFaultsRequest,
    success: { 200: SandboxFaults },
    handle: async ({ platformId, body }) => ok({ data: await faults.set(platformId, body.faults, operations()) }),
  }),
  operation({
    id: 'deleteSandboxFaults',
    method: 'DELETE',
    path: '/sandbox/faults',
    tag: TAG,
    summary: 'Remove all faults of the platform',
    description: 'Removes every fault of this platform. Requests that a fault delays at the moment are not affected.',
    permission: 'MANAGE',
    sandbox: true,
    success: { 204: null },
    handle: async ({ platformId }) => {
      await faults.set(platformId, [], operations());
      return noContent();
    },
  }),
];
