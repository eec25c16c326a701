// Whose credentials a test client carries.
import assert from 'node:assert/strict';
import { sql } from '../../../src/db/sql.js';
import { idOf, type PlatformId } from '../../../src/kernel/ids.js';
import type { Client } from '../client.js';
import type { TestService } from '../service.js';

export async function platformIdOf(service: Pick<TestService, 'db'>, client: Client): Promise<PlatformId> {
  const row = await service.db.one<{ platform_id: string }>(sql`select platform_id from api_tokens where client_id = ${client.tokenId}`);
  assert.ok(row);
  return idOf('Platform', row.platform_id);
}
