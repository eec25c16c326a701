// The client against the real service: typed calls, pages, errors, keys, signatures, uploads, the clock and the stream.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createSwitchyard, isCode, SignatureRequired, type Switchyard, SwitchyardError } from '../../client/client.js';
import { encryptOtp, newSessionKey, stamper } from '../../client/signing.js';
import { CHAINS, newWallet } from '../../client/wallets.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
let sy: Switchyard;
before(async () => {
  service = await startTestService();
  sy = clientFor(service);
});
after(() => service.stop());

const clientFor = ({ baseUrl, platform }: TestService) => createSwitchyard({ baseUrl, token: `${platform.tokenId}:${platform.secret}` });
const newCustomer = (fullName = 'Ada Lovelace') =>
  sy.customers.create({ customerType: 'INDIVIDUAL', fullName, email: `ada-${crypto.randomUUID()}@example.com` });

/** A customer with a USDB wallet and a session. */
async function signedIn() {
  const customer = await newCustomer();
  const [account] = await sy.customers.internalAccounts.list({ customerId: String(customer.id), currency: 'USDB' }).all();
  assert.ok(account);
  const [credential] = await sy.auth.credentials.list({ accountId: account.id }).all();
  assert.ok(credential?.id);
  const challenge = await sy.auth.credentials.challenge(credential.id);
  assert.ok('otpEncryptionTargetBundle' in challenge);
  const session = await newSessionKey();
  const encryptedOtpBundle = await encryptOtp(String(challenge.otpEncryptionTargetBundle), session, '000000');
  await sy.auth.credentials.verify(credential.id, { type: 'EMAIL_OTP', encryptedOtpBundle }, { sign: stamper(session) });
  return { customer, account, session };
}

describe('calls', () => {
  test('a customer is created, read, changed and listed', async () => {
    const ada = await newCustomer();
    assert.equal((await sy.customers.get(String(ada.id))).id, ada.id);
    const changed = await sy.customers.update(String(ada.id), { customerType: 'INDIVIDUAL', nationality: 'GB' });
    assert.equal(changed.customerType === 'INDIVIDUAL' && changed.nationality, 'GB');
    const page = await sy.customers.list({ limit: 1 });
    assert.equal(page.data.length, 1);
  });

  test('nothing given: the environment says where and who', async () => {
    const before = { ...process.env };
    Object.assign(process.env, {
      SWITCHYARD_URL: service.baseUrl,
      SWITCHYARD_TOKEN_ID: service.platform.tokenId,
      SWITCHYARD_TOKEN_SECRET: service.platform.secret,
    });
    try {
      assert.ok(await createSwitchyard().config.get());
    } finally {
      for (const name of ['SWITCHYARD_URL', 'SWITCHYARD_TOKEN_ID', 'SWITCHYARD_TOKEN_SECRET']) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });

  test('any path can be called', async () => {
    assert.ok(await sy.request('GET', '/customers', { query: { limit: 1 } }));
  });

  test('an id with a slash stays one segment of the path', async () => {
    await assert.rejects(sy.customers.get('../config'), (error) => isCode(error, 'CUSTOMER_NOT_FOUND'));
    assert.throws(() => sy.customers.get(''), /customerId must be a non-empty text/);
    for (const step of ['.', '..']) assert.throws(() => sy.customers.get(step), /customerId must not be \./);
  });
});

describe('lists', () => {
  test('await gives one page; for await, all and pages give every one', async () => {
    const mine = await Promise.all(Array.from({ length: 5 }, (_, i) => newCustomer(`Lister ${i}`)));
    const ids = new Set(mine.map(({ id }) => String(id)));
    assert.equal((await sy.customers.list({ limit: 2 })).data.length, 2);
    const seen: string[] = [];
    for await (const customer of sy.customers.list({ limit: 2 })) seen.push(String(customer.id));
    assert.equal(new Set(seen).size, seen.length, 'none comes twice');
    assert.ok([...ids].every((id) => seen.includes(id)));
    assert.deepEqual(
      (await sy.customers.list({ limit: 2 }).all()).map(({ id }) => id),
      seen,
    );
    assert.equal((await sy.customers.list({ limit: 2 }).all(3)).length, 3);
    let pages = 0;
    for await (const page of sy.customers.list({ limit: 2 }).pages()) pages += page.data.length > 0 ? 1 : 0;
    assert.equal(pages, Math.ceil(seen.length / 2));
  });

  test('a list without further pages is iterated as well', async () => {
    assert.ok((await sy.webhooks.signingKeys.list().all()).length > 0);
  });
});

describe('errors', () => {
  test('a refusal has status, code, details and the id of the request', async () => {
    const error = await sy.customers.get('Customer:nope').then(
      () => assert.fail('it was found'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof SwitchyardError);
    assert.deepEqual([error.status, error.code, error.operation], [404, 'CUSTOMER_NOT_FOUND', 'customers.get']);
    assert.match(String(error.requestId), /\w/);
    assert.ok(isCode(error, 'CUSTOMER_NOT_FOUND', 'NOT_FOUND'));
    assert.ok(!isCode(error, 'NOT_FOUND'));
  });

  test('the fields of a bad request are named', async () => {
    await assert.rejects(
      sy.customers.create({ customerType: 'INDIVIDUAL', email: 'no address' }),
      (error) => isCode(error, 'INVALID_INPUT') && error.details.errors?.[0]?.field === 'email',
    );
  });
});

test('a given idempotency key makes a repeat the first answer; a made one is new for each call', async () => {
  const body = { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' } as const;
  const idempotencyKey = crypto.randomUUID();
  const first = await sy.customers.create(body, { idempotencyKey });
  assert.equal((await sy.customers.create(body, { idempotencyKey })).id, first.id);
  assert.notEqual((await sy.customers.create(body)).id, first.id);
});

describe('signatures', () => {
  test('every leg of a delegated key in one call', async () => {
    const { customer, account, session } = await signedIn();
    const card = await sy.cards.create({ customerId: String(customer.id), form: 'VIRTUAL', fundingSource: account.id });
    const asked: string[] = [];
    const sign = stamper(session);
    const key = await sy.auth.delegatedKeys.create(
      { cardId: String(card.id), internalAccountId: account.id, nickname: 'Groceries' },
      {
        sign: (payload, challenge) => {
          asked.push(challenge.requestId);
          return sign(payload, challenge);
        },
      },
    );
    assert.equal(key.status, 'ACTIVE');
    assert.equal(new Set(asked).size, 2, 'asked once per leg');
  });

  test('without `sign` the challenge is thrown, for an app to sign', async () => {
    const { account } = await signedIn();
    await assert.rejects(
      sy.internalAccounts.update(account.id, { privateEnabled: true }),
      (error) => error instanceof SignatureRequired && error.challenge.payloadToSign.length > 0,
    );
  });

  test('a session of another wallet is refused', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    await assert.rejects(sy.internalAccounts.update(one.account.id, { privateEnabled: true }, { sign: stamper(other.session) }), (error) =>
      isCode(error, 'WALLET_SIGNATURE_INVALID'),
    );
  });

  for (const chain of CHAINS)
    test(`a test wallet of ${chain} proves its ownership`, async () => {
      const customer = await newCustomer();
      const wallet = newWallet(chain);
      const account = await sy.customers.externalAccounts.create({
        customerId: String(customer.id),
        currency: chain === 'bitcoin' ? 'BTC' : 'USDC',
        ownershipType: 'FIRST_PARTY',
        accountInfo: { accountType: wallet.accountType, address: wallet.address },
      });
      const id = String(account.id);
      const challenge = await sy.customers.externalAccounts.challenge(id, { method: 'WALLET_SIGNATURE' });
      assert.ok('messageToSign' in challenge);
      const verified = await sy.customers.externalAccounts.verify(id, { signature: await wallet.sign(String(challenge.messageToSign)) });
      assert.equal(verified.status, 'ACTIVE');
    });
});

test('a document is uploaded as a form and downloaded as bytes', async () => {
  const customer = await newCustomer();
  const file = new File([Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')], 'passport.pdf', {
    type: 'application/pdf',
  });
  const document = await sy.documents.upload({
    file,
    documentType: 'PASSPORT',
    country: 'GB',
    documentNumber: '123456789',
    issuingAuthority: 'HMPO',
    documentHolder: String(customer.id),
  });
  const bytes = await sy.documents.download(String(document.id));
  assert.deepEqual(Buffer.from(bytes), Buffer.from(await file.arrayBuffer()));
});

test('the sandbox clock is frozen, moved by a duration, and runs on', async () => {
  const frozen = await sy.sandbox.clock.freeze('2031-03-12T15:00:00Z');
  assert.deepEqual([Date.parse(frozen.now), frozen.frozen], [Date.parse('2031-03-12T15:00:00Z'), true]);
  assert.equal(Date.parse((await sy.sandbox.clock.advance('1d')).now), Date.parse('2031-03-13T15:00:00Z'));
  assert.equal((await sy.sandbox.clock.resume()).frozen, false);
  assert.throws(() => sy.sandbox.clock.advance('soon' as never), /not a duration/);
});

test('the stream gives events after the last one seen, in order, and ends with the loop', async () => {
  const first = await newCustomer();
  const [event] = await sy.webhooks.events.list({ objectId: String(first.id) }).all(1);
  assert.ok(event);
  const later = [await newCustomer('Second'), await newCustomer('Third')].map(({ id }) => String(id));
  const seen: string[] = [];
  for await (const message of sy.webhooks.events.stream({ since: event.id })) {
    if (message.type === 'CUSTOMER.KYC_APPROVED') seen.push(String(message.data.id));
    if (seen.length === later.length) break;
  }
  assert.deepEqual(seen, later);
});

test('a stream that may not be read ends with the refusal', async () => {
  const stranger = createSwitchyard({ baseUrl: service.baseUrl, token: 'nobody:wrong' });
  await assert.rejects(
    async () => {
      for await (const _event of stranger.webhooks.events.stream()) assert.fail('nothing may come');
    },
    (error) => isCode(error, 'UNAUTHORIZED'),
  );
});
