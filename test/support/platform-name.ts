import assert from 'node:assert/strict';
import type { Client } from './client.js';

/** The name of a platform, as the refusal of a reset with another name tells it. */
export async function platformNameOf(client: Client): Promise<string> {
  const { body } = await client.post('/sandbox/reset', { name: '?' });
  const name = /"(.*)"/.exec(body.details?.errors?.[0]?.message)?.[1];
  assert.ok(name, 'the refusal names the platform');
  return name;
}
