// `npm run review`: an installation without a KYC vendor decides by hand.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/root.js';
import type { Client } from '../support/client.js';
import { expectStatus } from '../support/client.js';
import { eventsAbout } from '../support/database-state.js';
import { completePerson, identity } from '../support/identity/verifications.js';
import { startTestService, type TestService } from '../support/service.js';
import { temporaryDirectory } from '../support/temporary.js';

const key = randomBytes(32).toString('base64');
const dataDir = temporaryDirectory({ after });
let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService({ MODE: 'live', KEY_ENCRYPTION_KEY: key });
  platform = await service.newPlatform();
});
after(() => service.stop());

const run = async (...args: string[]): Promise<{ output: string; failed: boolean }> => {
  const env = { PATH: process.env['PATH'], MODE: 'live', DATABASE_URL: service.databaseUrl, DATA_DIR: dataDir, KEY_ENCRYPTION_KEY: key };
  return promisify(execFile)(process.execPath, [join(projectRoot, 'dist/src/review-cli.js'), ...args], { env }).then(
    ({ stdout }) => ({ output: stdout, failed: false }),
    (error: { stderr: string }) => ({ output: error.stderr, failed: true }),
  );
};
const submitted = async () => {
  const person = await completePerson(platform);
  return { person, verification: await identity(platform).submit(person) };
};
const statusOf = async (person: { id: string }) => (await expectStatus(200, platform.get(`/customers/${person.id}`))).kycStatus;

test('live: nobody is approved at creation, and a complete packet waits for people', async () => {
  const { person, verification } = await submitted();
  assert.equal(verification.verificationStatus, 'PENDING_MANUAL_REVIEW');
  assert.equal(await statusOf(person), 'PENDING');
  assert.match((await run('list')).output, new RegExp(`^${verification.id}  ${person.id}  Platform:`, 'm'));
});

test('show, approve: the customer and its events', async () => {
  const { person, verification } = await submitted();
  const shown = JSON.parse((await run('show', verification.id)).output);
  assert.deepEqual([shown.customer.id, shown.documents[0].documentType], [person.id, 'PASSPORT']);
  assert.equal((await run('approve', verification.id)).output.trim(), `${verification.id}  APPROVED`);
  assert.equal(await statusOf(person), 'APPROVED');
  assert.deepEqual(
    (await eventsAbout(service.db, person.id)).map(({ type }) => type),
    ['CUSTOMER.KYC_PENDING', 'CUSTOMER.KYC_APPROVED'],
  );
  const again = await run('reject', verification.id, '--reason', 'late');
  assert.deepEqual([again.failed, /is APPROVED and waits for no decision/.test(again.output)], [true, true]);
  assert.match((await run('hold', person.id)).output, /HOLD/);
  assert.match((await run('release', person.id)).output, /APPROVED/);
});

test('ask, resubmit, reject', async () => {
  const { person, verification } = await submitted();
  assert.match(
    (await run('ask', verification.id, '--type', 'EXPIRED_DOCUMENT', '--resource', person.id, '--reason', 'Expired.')).output,
    /RESOLVE_ERRORS/,
  );
  const asked = await expectStatus(200, platform.get(`/verifications/${verification.id}`));
  assert.deepEqual(asked.errors, [{ resourceId: person.id, type: 'EXPIRED_DOCUMENT', reason: 'Expired.' }]);
  assert.equal((await identity(platform).submit(person)).verificationStatus, 'PENDING_MANUAL_REVIEW');
  await run('reject', verification.id, '--type', 'APPLICANT_SANCTIONED', '--reason', 'Listed.');
  const rejected = await expectStatus(200, platform.get(`/verifications/${verification.id}`));
  assert.deepEqual([rejected.verificationStatus, rejected.errors[0].type], ['REJECTED', 'APPLICANT_SANCTIONED']);
  assert.equal(await statusOf(person), 'REJECTED');
});

test('every platform is asked: verifications of two of them are listed and decided', async () => {
  const here = await submitted();
  const other = await service.newPlatform();
  const person = await completePerson(other);
  const verification = await identity(other).submit(person);
  const { output } = await run('list');
  for (const { id } of [here.verification, verification]) assert.match(output, new RegExp(`^${id}  `, 'm'));
  assert.match((await run('approve', verification.id)).output, /APPROVED/);
  assert.match((await run('hold', person.id)).output, /HOLD/);
  assert.equal((await expectStatus(200, other.get(`/customers/${person.id}`))).kycStatus, 'HOLD');
  assert.equal(await statusOf(here.person), 'PENDING');
  await expectStatus(200, other.delete(`/customers/${person.id}`));
  assert.match((await run('release', person.id)).output, /no customer/);
});

describe('wrong use is one line', () => {
  for (const args of [[], ['approve', 'Verification:01a1e141-d124-7566-a823-262cc273f644']])
    test(args.join(' ') || 'nothing', async () => {
      const { output, failed } = await run(...args);
      assert.equal(failed, true);
      assert.doesNotMatch(output, / at .*\.js:/);
    });
});
