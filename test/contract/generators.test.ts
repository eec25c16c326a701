// The generators that users run on our document make types that fit the service: one fixed program compiles with those of each.
// They are installed apart, with a lock and a TypeScript of their own: `npm ci --prefix test/contract/generators`.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { readConfig } from '../../src/config.js';
import { describeApi } from '../../src/describe-api.js';
import { projectRoot } from '../../src/root.js';

const run = promisify(execFile);
const installed = join(projectRoot, 'test/contract/generators/node_modules');
const bin = (name: string): string => join(installed, '.bin', name);
const isMissing = !existsSync(installed) && process.env['REQUIRE_GENERATORS'] !== '1';
const skip = isMissing ? 'not installed: run `npm ci --prefix test/contract/generators`' : false;

let folder: string;
before(() => {
  if (isMissing) return;
  // Beside the generators, so that the program finds nothing else.
  folder = mkdtempSync(join(installed, '..', 'node_modules/.run-'));
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(describeApi(readConfig({}))));
});
after(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** What users write: unions are told apart, null clears, refusals have codes, events have the payload of their type. */
const PROGRAM = `
export const wallet: Info = { accountType: 'ETHEREUM_WALLET', address: '0x0' };
// @ts-expect-error the name of a schema is no account type
export const wrongWallet: Info = { accountType: 'EthereumWalletExternalAccountInfo', address: '0x0' };
export const change: Change = { maxSpendPerDay: null };
// @ts-expect-error a card has no such status
export const wrongChange: Change = { status: 'MELTED' };
export const idOf = (customer: Created): string => customer.id;
export const nameOf = (customer: Created): string | undefined =>
  customer.customerType === 'BUSINESS' ? customer.businessInfo?.legalName : customer.fullName;
export const codeOf = (refusal: Refusal): string => refusal.code;
export const attemptsOf = (row: Row): number => (row.type === 'TEST' ? row.attemptCount : row.attempts.length);
export function cityOf(event: AnyEvent): string | undefined {
  if (event.type === 'CARD_TRANSACTION.DECLINED') return event.data.merchant.city;
  if (event.type === 'CUSTOMER.KYC_APPROVED') return event.data.id;
  // @ts-expect-error a payload is known only by its type
  return event.data.merchant;
}
`;

async function compiles(imports: string): Promise<void> {
  writeFileSync(join(folder, 'program.ts'), imports + PROGRAM);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022'];
  const { stdout } = await run(bin('tsc'), [...options, 'program.ts'], { cwd: folder }).catch((error: { stdout: string }) => error);
  assert.equal(stdout, '');
}

describe('generated types', { skip }, () => {
  test('of openapi-typescript', async () => {
    await run(bin('openapi-typescript'), ['openapi.json', '-o', 'types.ts'], { cwd: folder });
    await compiles(`
import type { components, operations } from './types.js';
type Schemas = components['schemas'];
type Info = Schemas['ExternalAccountInfoOneOf'];
type Change = Schemas['CardUpdateRequest'];
type AnyEvent = Schemas['Event'];
type Created = operations['createCustomer']['responses'][201]['content']['application/json'];
type Row = operations['listWebhookEvents']['responses'][200]['content']['application/json']['data'][number];
type Refusal = operations['createCard']['responses'][409]['content']['application/json'];
`);
  });

  test('of @hey-api/openapi-ts', async () => {
    await run(bin('openapi-ts'), ['-i', 'openapi.json', '-o', 'hey', '-p', '@hey-api/typescript'], { cwd: folder });
    await compiles(`
import type { CardUpdateRequest, CreateCardErrors, CreateCustomerResponses, Event, ExternalAccountInfoOneOf, WebhookEvent } from './hey/types.gen.js';
type Info = ExternalAccountInfoOneOf;
type Change = CardUpdateRequest;
type AnyEvent = Event;
type Created = CreateCustomerResponses[201];
type Row = WebhookEvent;
type Refusal = CreateCardErrors[409];
`);
  });
});
