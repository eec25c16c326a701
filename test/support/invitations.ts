// Invitations through the API.
import { type Client, expectStatus } from './client.js';
import { given } from './given.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

/** An open invitation of a new customer. */
export async function givenInvitation(client: Client, fields: Record<string, unknown> = {}): Promise<Resource> {
  const customer = await given(client).customer();
  return expectStatus(201, client.post('/invitations', { inviterUma: customer.umaAddress, ...fields }));
}

export const claim = (client: Client, code: string, inviteeUma: string) => client.post(`/invitations/${code}/claim`, { inviteeUma });
export const cancel = (client: Client, code: string) => client.post(`/invitations/${code}/cancel`);
