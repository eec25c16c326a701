// `npm run platform`: the operator manages platforms while the service runs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/root.js';
import { expectStatus } from '../support/client.js';
import { given } from '../support/given.js';
import { issuerHeaders } from '../support/issuer.js';
import { startTestService, type TestService } from '../support/service.js';
import { temporaryDirectory } from '../support/temporary.js';

const key = randomBytes(32).toString('base64');
const dataDir = temporaryDirectory({ after });
let service: TestService;
before(async () => {
  service = await startTestService({ KEY_ENCRYPTION_KEY: key });
});
after(() => service.stop());

const runTool = async (tool: string, args: readonly string[], withKey = key): Promise<string> => {
  const env = { PATH: process.env['PATH'], DATABASE_URL: service.databaseUrl, DATA_DIR: dataDir, KEY_ENCRYPTION_KEY: withKey };
  return (await promisify(execFile)(process.execPath, [join(projectRoot, `dist/src/${tool}.js`), ...args], { env })).stdout;
};
const run = (...args: string[]): Promise<string> => runTool('platform-cli', args);
const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? assert.fail(text);
const clientIn = (printed: string) => service.as(found(printed, /^Token id +(\S+)$/m), found(printed, /^Token secret +(\S+)$/m));

test('create, list, rotate-token and limits', async () => {
  const made = await run('create', 'Shop');
  const first = clientIn(made);
  const { id } = await expectStatus(200, first.get('/config'));
  assert.equal(found(made, /^Platform +(\S+) +Shop$/m), id);
  assert.match(await run('list'), new RegExp(`^${id}  sandbox  .*regulated no, end-user terms optional  Shop$`, 'm'));

  const second = clientIn(await run('rotate-token', id));
  assert.deepEqual([(await first.get('/config')).status, (await second.get('/config')).status], [401, 200]);
  const third = clientIn(await run('rotate-token', id, '--overlap-hours', '24'));
  const statuses = await Promise.all([first, second, third].map(async (client) => (await client.get('/config')).status));
  assert.deepEqual(statuses, [401, 200, 200], 'the overlap does not reactivate expired tokens');

  for (const empty of ['', ' '])
    await assert.rejects(run('rotate-token', id, '--overlap-hours', empty), /--overlap-hours takes a whole number/);
  assert.equal((await third.get('/config')).status, 200, 'a number that was left empty stops no token');

  assert.match(await run('limits', id, '--regulated', 'on', '--live-cards', '2'), /live cards 2, .*regulated yes/);
  const origins = 'https://app.acme.example,https://acme.example';
  assert.match(await run('limits', id, '--sca-origins', origins), /passkeys on https:\/\/app\.acme\.example https:\/\/acme\.example/);
  assert.doesNotMatch(await run('limits', id, '--sca-origins', 'default'), /passkeys on/);
  assert.equal((await expectStatus(200, third.get('/config'))).isRegulatedFinancialInstitution, true);
  const business = { customerType: 'BUSINESS', businessInfo: { legalName: 'Analytical Engines Ltd', country: 'GB' } };
  assert.equal((await expectStatus(201, third.post('/customers', business))).kybStatus, 'APPROVED');
});

test('balances: the service-side accounts of one platform, or of all', async () => {
  const platform = await service.newPlatform();
  const { id } = await expectStatus(200, platform.get('/config'));
  await given(platform).fundedAccount('USD', 250);
  assert.match(await run('balances', id), /^FUNDING -2\.50 USD$/m);
  assert.match(await run('balances'), /^RESERVE 0\.00 USD$/m);
});

test('issuer-key, issuer-keys, revoke-issuer-key: credentials of a processor for one card program', async () => {
  const platform = await service.newPlatform();
  const { id } = await expectStatus(200, platform.get('/config'));
  const printed = await run('issuer-key', id, '--program', 'service_full');
  const keyId = found(printed, /^Key id +(\S+)$/m);
  const secret = found(printed, /^Secret +(\S+)$/m);
  assert.match(await run('issuer-keys', id), new RegExp(`^${keyId}  service_full  secret  `));
  const ask = () => platform.post('/issuer/authorizations', '{}', { headers: issuerHeaders({ keyId, secret }, '{}') });
  assert.equal((await ask()).status, 400, 'known, and sends nothing of use');

  const certificate = await run('issuer-key', id, '--program', 'service_full', '--certificate-sha256', 'AB'.repeat(32));
  assert.doesNotMatch(certificate, /Secret/);
  assert.match(await run('revoke-issuer-key', keyId), new RegExp(`^Revoked ${keyId}$`, 'm'));
  assert.equal((await ask()).status, 401);
  await assert.rejects(run('revoke-issuer-key', keyId), /no issuer key/);
});

for (const wrong of [
  [],
  ['issuer-key', 'Platform:nobody', '--program', 'service_full'],
  ['issuer-key', 'x', '--program', 'y'],
  ['revoke-issuer-key', 'x'],
  ['constructor'],
  ['rotate-token', 'Platform:nobody'],
  ['limits', 'x', '--regulated', 'perhaps'],
  ['limits', 'x', '--sca-origins', 'acme.example'],
])
  test(`"${wrong.join(' ')}" is refused in a connection or two`, async () => {
    await assert.rejects(run(...wrong), ({ code, stderr }: { code: number; stderr: string }) => {
      assert.equal(code, 1);
      assert.doesNotMatch(stderr, /\n\s+at /);
      return stderr !== '';
    });
  });

test('a word or a flag that a command does not take is refused before anything is done', async () => {
  const platform = await service.newPlatform();
  const { id } = await expectStatus(200, platform.get('/config'));
  const before = await run('list');
  for (const [tool, args, message] of [
    ['platform-cli', ['rotate-token', id, '24'], /^not expected: 24\nusage:/],
    ['platform-cli', ['create', 'Acme', 'Inc'], /^not expected: Inc\n/],
    ['platform-cli', ['create', 'Acme', '--regulated', 'on'], /^create takes no --regulated\n/],
    ['review-cli', ['reject', 'Verification:x', '--reason', 'Not', 'readable'], /^not expected: readable\n/],
    ['stablecoin-cli', ['list', 'ENABLED'], /^not expected: ENABLED\n/],
    ['distribute', ['--plna'], /^not expected: --plna\n/],
  ] as const)
    await assert.rejects(runTool(tool, args), ({ stderr }: { stderr: string }) => {
      assert.match(stderr, message);
      return true;
    });
  assert.equal(await run('list'), before);
  assert.equal((await platform.get('/config')).status, 200, 'the token is as it was');
});

test('a wrong KEY_ENCRYPTION_KEY is named in one line, by every tool that opens something sealed', async () => {
  const wrong = randomBytes(32).toString('base64');
  const platform = await service.newPlatform();
  const { id } = await expectStatus(200, platform.get('/config'));
  for (const [tool, ...args] of [
    ['platform-cli', 'create', 'Shop'],
    ['platform-cli', 'rotate-token', id],
    ['review-cli', 'list'],
    ['rotate-keys'],
  ] as const)
    await assert.rejects(runTool(tool, args, wrong), ({ stderr }: { stderr: string }) => {
      assert.match(
        stderr,
        /^The configuration is wrong:\n {2}KEY_ENCRYPTION_KEY: is not the key this database was sealed with\.[^\n]*\n$/,
        tool,
      );
      return true;
    });
  assert.equal((await platform.get('/config')).status, 200, 'the token is as it was');
});

test('rotate-keys names the snapshots, which keep the key they were taken with, before an older key is dropped', async () => {
  const platform = await service.newPlatform();
  assert.match(await runTool('rotate-keys', []), /The others may be dropped from KEY_ENCRYPTION_KEY\.\n$/);
  await expectStatus(201, platform.post('/sandbox/snapshots', { name: 'before' }));
  const printed = await runTool('rotate-keys', []);
  assert.match(printed, /^1 snapshot of a sandbox platform may need an older key: .*\n$/m);
  assert.doesNotMatch(printed, /may be dropped/);
});
