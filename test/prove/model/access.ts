// Histories of embedded wallets: credentials, one-time codes, sessions, signed requests, exports and delegated keys.
import { createPublicKey, type JsonWebKey, randomUUID, verify as verifySignature } from 'node:crypto';
import { type SoftwareAuthenticator, softwareAuthenticator } from '../../support/authenticator.js';
import { provisioned, requestCard } from '../../support/cards.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import { newPhone } from '../../support/sca.js';
import { delegationBody, newKeys, nonceOf, oidcToken, openExport, passkeyBody } from '../../support/wallet.js';
import { type Command, DAY, type Expected, MINUTE } from './history.js';
import { WalletHistory } from './wallet-history.js';
import {
  BAD_INPUT,
  byId,
  type CredentialType,
  type DelegatedKey,
  type Ending,
  isOtp,
  iso,
  NO_ACCOUNT,
  NO_CREDENTIAL,
  NO_SESSION,
  NOT_PROVISIONED,
  type Owner,
  REPLACEMENT_LIFE,
  REQUEST_KEPT,
  REQUEST_LIFE,
  type Request,
  type Retry,
  SESSION_LIFE,
  type Session,
  TOKEN_LIFE,
} from './wallet-state.js';

const WEIGHTS = {
  owner: 2,
  remove: 0.7,
  add: 7,
  challenge: 6,
  verify: 10,
  guess: 2,
  oidc: 2,
  refresh: 4,
  leave: 4,
  drop: 4,
  replace: 4,
  contact: 2,
  reveal: 2,
  hide: 3,
  sign: 12,
  delegate: 4,
  undelegate: 2,
  look: 4,
  requests: 4,
  strange: 1,
  advance: 8,
} as const;
type Kind = keyof typeof WEIGHTS;

export class AccessHistory extends WalletHistory {
  private readonly authenticators: SoftwareAuthenticator[] = [];

  override commands(): Readonly<Record<Kind, Command>> {
    return this.commandsOf<Kind>(WEIGHTS, this);
  }

  protected override async prepare(): Promise<void> {
    await this.owner(true);
    await this.signIn(this.owners[0] as Owner);
  }

  // ---- customers

  async owner(hasEmail = this.random.chance(0.6)): Promise<void> {
    if (this.owners.filter(({ isDeleted }) => !isDeleted).length >= 3) return;
    const name = `Owner ${this.owners.length}`;
    const email = hasEmail ? `${randomUUID()}@example.com` : undefined;
    const phone = newPhone();
    const build = given(this.platform);
    const customer = await build.customer({ fullName: name, email, phoneNumber: phone });
    this.note('owner', hasEmail ? 'with email' : 'without email');
    const [usd, usdb] = [await build.account(customer, 'USD'), await build.account(customer, 'USDB')];
    const owner: Owner = {
      name,
      id: customer.id,
      email,
      phone,
      usd: usd.id,
      usdb: usdb.id,
      credentials: [],
      sessions: [],
      keys: [],
      card: undefined,
      isProvisioned: false,
      isPrivate: false,
      isDeleted: false,
      phrase: undefined,
    };
    this.owners.push(owner);
    // "Account starts with one EMAIL_OTP credential on the customer email"
    const { data } = await expectStatus(200, this.platform.get(`/auth/credentials?accountId=${usdb.id}`));
    this.same(data.length, hasEmail ? 1 : 0, 'the first credential');
    if (email) this.credentialOf(owner, 'EMAIL_OTP', email, data[0]);
    await this.compareOwner(owner);
  }

  /** The empty accounts of a deleted customer are closed, and the credentials and sessions of a closed wallet end. */
  async remove(): Promise<void> {
    // A card keeps its account open.
    const owner = this.any(this.owners.filter(({ card }) => !card));
    if (!owner || (this.owners.length < 2 && !owner.isDeleted)) return;
    const answer = await this.platform.delete(`/customers/${owner.id}`);
    this.note('remove', owner.name);
    if (owner.isDeleted) return this.agree(answer, [410, 'CUSTOMER_DELETED']);
    this.agree(answer, 200);
    owner.isDeleted = true;
    for (const credential of owner.credentials) this.revoke(credential);
    await this.compareOwner(owner);
  }

  // ---- credentials

  /** "many passkeys; one OAuth per identity"; "at most one email and one SMS OTP per internal account" */
  private refusalOfProof(
    owner: Owner,
    type: CredentialType,
    authenticator?: SoftwareAuthenticator,
    subject?: string,
  ): Expected | undefined {
    const own = this.liveCredentials(owner);
    if (type === 'PASSKEY') {
      const isKnown = this.owners.some((each) =>
        this.liveCredentials(each).some((credential) => credential.authenticator === authenticator),
      );
      return isKnown ? [400, 'PASSKEY_CREDENTIAL_ALREADY_EXISTS'] : undefined;
    }
    if (type === 'OAUTH') return own.some((credential) => credential.subject === subject) ? BAD_INPUT : undefined;
    if (this.current(owner, type)) return [400, `${type}_CREDENTIAL_ALREADY_EXISTS`];
    return type === 'EMAIL_OTP' && owner.email === undefined ? BAD_INPUT : undefined;
  }

  async add(): Promise<void> {
    const owner = this.anyOwner();
    const type = this.random.pick(['PASSKEY', 'PASSKEY', 'OAUTH', 'EMAIL_OTP', 'SMS_OTP'] as const);
    const old = this.any(this.tokens.filter(({ at }) => this.now >= at + TOKEN_LIFE + MINUTE));
    const isStale = type === 'OAUTH' && old !== undefined && this.random.chance(0.2);
    const again = this.random.chance(0.2) ? this.any(this.authenticators) : undefined;
    const authenticator = type === 'PASSKEY' ? (again ?? softwareAuthenticator()) : undefined;
    const subject = type === 'OAUTH' ? `${owner.name} ${this.random.int(1, 2)}` : undefined;
    const refused = isStale ? BAD_INPUT : this.refusalOfProof(owner, type, authenticator, subject);
    const existing = this.liveCredentials(owner).length;
    const isWaiting = existing > 0 && !owner.isProvisioned;
    if (isWaiting && refused && !owner.isDeleted) return;
    if (authenticator && !again) this.authenticators.push(authenticator);

    const nickname = authenticator ? 'A phone' : (subject ?? (type === 'EMAIL_OTP' ? owner.email : owner.phone) ?? '');
    const proof = authenticator
      ? passkeyBody(authenticator, nickname)
      : { type, ...(subject && { oidcToken: isStale ? old.token : await oidcToken(this.platform, { subject }) }) };
    const body = { accountId: owner.usdb, ...proof };
    this.note('add', type, isStale ? 'stale' : '', again ? 'again' : '', `to ${existing}`);
    const add = (answer: Answer) => {
      this.same([answer.body.type, answer.body.nickname], [type, nickname], 'the new credential');
      this.credentialOf(owner, type, nickname, answer.body, { authenticator, subject });
    };
    const call = { method: 'POST', path: '/auth/credentials', body };
    const expected = owner.isDeleted ? NO_ACCOUNT : (refused ?? (isWaiting ? NOT_PROVISIONED : owner.isProvisioned ? 202 : 201));
    const answer = await this.platform.post(call.path, body);
    this.agree(answer, expected);
    if (expected === 201) {
      // "absent on first bootstrap registration (call challenge)"
      this.same(answer.body.otpEncryptionTargetBundle, undefined, 'the bundle of the first credential');
      add(answer);
    }
    if (expected === 202)
      await this.asked(owner, 'createAuthCredential', answer, {
        ...call,
        otherBody: { ...body, ...(type === 'PASSKEY' ? { nickname: 'Another' } : { accountId: owner.usd }) },
        maySign: () => true,
        end: () => {
          const late = this.refusalOfProof(owner, type, authenticator, subject);
          if (late) return { expected: late };
          if (isOtp(type) && this.sendsOf(owner, type).wait(this.now) > 0) return { expected: [429, 'RATE_LIMITED'] };
          return { expected: 201, apply: add };
        },
      });
    await this.compareOwner(owner);
  }

  // ---- sessions and credentials of the owner

  /** "refresh uses the current session"; "404 for unknown, revoked or expired" */
  async refresh(): Promise<void> {
    const session = this.anySession();
    if (!session) return;
    const { credential } = session;
    const keys = newKeys();
    const call = { method: 'POST', path: `/auth/sessions/${session.id}/refresh`, body: { clientPublicKey: keys.publicKey } };
    const answer = await this.platform.post(call.path, call.body);
    this.note('refresh', this.isLive(session) ? '' : 'ended');
    if (!this.isLive(session)) return this.agree(answer, NO_SESSION);
    this.agree(answer, 202);
    const retry: Retry = {
      ...call,
      targetId: session.id,
      otherBody: { clientPublicKey: newKeys().publicKey },
      maySign: (each) => each === session,
      end: () => ({ expected: 201, apply: ({ body }) => this.opened(credential, keys, body) }),
    };
    await this.asked(credential.owner, 'refreshAuthSession', answer, retry, 0.6, 1, session.keys.publicKey);
  }

  /** "session revoke may use itself" */
  async leave(): Promise<void> {
    const session = this.anySession();
    if (!session) return;
    const path = `/auth/sessions/${session.id}`;
    const answer = await this.platform.delete(path);
    this.note('leave', this.isLive(session) ? '' : 'ended');
    if (!this.isLive(session)) return this.agree(answer, NO_SESSION);
    this.agree(answer, 202);
    await this.asked(session.credential.owner, 'revokeAuthSession', answer, {
      method: 'DELETE',
      path,
      targetId: session.id,
      maySign: () => true,
      end: () => (this.isLive(session) ? { expected: 204, apply: () => this.endSession(session) } : { expected: NO_SESSION }),
    });
  }

  async drop(): Promise<void> {
    const credential = this.anyCredential();
    if (!credential) return;
    const { owner } = credential;
    const path = `/auth/credentials/${credential.id}`;
    const isLast = () => this.liveCredentials(owner).every((each) => each === credential || each.isReplacement);
    // "Revoke credential: needs another credential to remain (400 when single)"
    const refusal = () => (credential.isRevoked ? NO_CREDENTIAL : isLast() ? BAD_INPUT : undefined);
    if (!credential.isRevoked && !owner.isProvisioned && isLast()) return;
    const answer = await this.platform.delete(path);
    this.note('drop', credential.type, credential.isRevoked ? 'revoked' : isLast() ? 'the last' : '');
    const expected = refusal() ?? (owner.isProvisioned ? 202 : NOT_PROVISIONED);
    this.agree(answer, expected);
    if (expected !== 202) return;
    await this.asked(owner, 'revokeAuthCredential', answer, {
      method: 'DELETE',
      path,
      targetId: credential.id,
      // "credential revoke needs a session of another credential"
      maySign: (each) => each.credential !== credential,
      isUnclear: () => refusal() !== undefined,
      end: () => {
        const late = refusal();
        if (late) return { expected: late };
        return {
          expected: 204,
          apply: () => {
            this.revoke(credential);
            // A replacement of the revoked one-time password takes its place.
            const waiting = this.liveCredentials(owner).find(({ type, isReplacement }) => type === credential.type && isReplacement);
            if (waiting) waiting.isReplacement = false;
          },
        };
      },
    });
  }

  // ---- the email of the owner

  /** A credential with a named email, which replaces the current one once the customer's email is changed. */
  async replace(): Promise<void> {
    const owner = this.any(this.owners.filter((each) => each.isProvisioned && this.current(each, 'EMAIL_OTP')));
    if (!owner) return;
    if (this.liveSessions(owner).length === 0) await this.signIn(owner);
    const other = this.any(this.owners.flatMap((each) => (each === owner ? [] : (this.current(each, 'EMAIL_OTP')?.nickname ?? []))));
    const isTaken = other !== undefined && this.random.chance(0.1);
    const email = isTaken ? other : `${randomUUID()}@example.com`;
    const body = { type: 'EMAIL_OTP', accountId: owner.usdb, email };
    const answer = await this.platform.post('/auth/credentials', body);
    this.note('replace', isTaken ? 'by one that is taken' : '');
    this.agree(answer, isTaken ? [409, 'EMAIL_OTP_EMAIL_ALREADY_EXISTS'] : 202);
    if (isTaken) return;
    const add = (made: Answer) => {
      const isReplacement = this.current(owner, 'EMAIL_OTP') !== undefined;
      for (const each of this.liveCredentials(owner)) if (isReplacement && each.isReplacement) this.revoke(each);
      this.credentialOf(owner, 'EMAIL_OTP', email, made.body, { isReplacement });
    };
    const isLimited = () => this.sendsOf(owner, 'EMAIL_OTP').wait(this.now) > 0;
    await this.asked(owner, 'createAuthCredential', answer, {
      method: 'POST',
      path: '/auth/credentials',
      body,
      otherBody: { ...body, email: `${randomUUID()}@example.com` },
      maySign: () => true,
      end: () => (isLimited() ? { expected: [429, 'RATE_LIMITED'] } : { expected: 201, apply: add }),
    });
    const made = owner.credentials.at(-1);
    if (made?.isReplacement && !made.isRevoked && this.random.chance(0.7)) await this.proveCode(made);
    if (this.random.chance(0.5)) await this.changeEmail(owner);
  }

  async contact(): Promise<void> {
    const owner = this.any(this.owners.filter((each) => each.isProvisioned && this.current(each, 'EMAIL_OTP')));
    if (owner) await this.changeEmail(owner);
  }

  /** "contact change needs a verified replacement credential, set changed in between -> 409" */
  private async changeEmail(owner: Owner): Promise<void> {
    const ofEmail = () => this.liveCredentials(owner).filter(({ type }) => type === 'EMAIL_OTP');
    const [current, replacement] = [this.current(owner, 'EMAIL_OTP'), ofEmail().find(({ isReplacement }) => isReplacement)];
    const email = replacement && this.random.chance(0.9) ? replacement.nickname : `${randomUUID()}@example.com`;
    const verifiedAt = replacement?.nickname === email ? replacement.verifiedAt : undefined;
    const body = { customerType: 'INDIVIDUAL', email };
    const path = `/customers/${owner.id}`;
    const answer = await this.platform.patch(path, body);
    this.note('contact', replacement ? '' : 'without a replacement', verifiedAt === undefined ? 'not verified' : '');
    if (verifiedAt === undefined) return this.agree(answer, [400, 'AUTH_CREDENTIAL_VERIFICATION_REQUIRED']);
    if (this.now >= verifiedAt + REPLACEMENT_LIFE) return this.agree(answer, [400, 'AUTH_CREDENTIAL_VERIFICATION_EXPIRED']);
    this.agree(answer, 202);
    const seen = ofEmail();
    const isChanged = () => ofEmail().length !== seen.length || ofEmail().some((each, i) => each !== seen[i]);
    await this.asked(owner, 'updateCustomerById', answer, {
      method: 'PATCH',
      path,
      body,
      targetId: owner.id,
      otherBody: { ...body, fullName: 'Another Name' },
      gone: () => (owner.isDeleted ? [404, 'CUSTOMER_NOT_FOUND'] : undefined),
      maySign: () => true,
      end: () =>
        isChanged()
          ? { expected: [409, 'EMAIL_OTP_CREDENTIAL_SET_CHANGED'] }
          : {
              expected: 200,
              apply: (done) => {
                this.same(done.body.email, email, 'the email');
                if (current) this.revoke(current);
                if (replacement) replacement.isReplacement = false;
                owner.email = email;
              },
            },
    });
  }

  // ---- the wallet

  private async ofWallet(
    kind: 'reveal' | 'hide',
    operation: string,
    method: string,
    suffix: string,
    body: unknown,
    otherBody: unknown,
    done: (owner: Owner, answer: Answer) => void | Promise<void>,
  ) {
    const owner = this.anyOwner();
    const isWallet = this.random.chance(0.9);
    const path = `/internal-accounts/${isWallet ? owner.usdb : owner.usd}${suffix}`;
    const answer = await this.platform.request(method, path, body);
    this.note(kind, isWallet ? '' : 'of USD');
    const expected = owner.isDeleted ? NO_ACCOUNT : !isWallet ? BAD_INPUT : owner.isProvisioned ? 202 : NOT_PROVISIONED;
    this.agree(answer, expected);
    if (expected !== 202) return;
    const retry = { method, path, body, otherBody, targetId: owner.usdb, maySign: () => true };
    await this.asked(owner, operation, answer, { ...retry, end: () => ({ expected: 200, apply: (answered) => done(owner, answered) }) });
  }

  /** "plaintext BIP-39 words": the same words each time. */
  async reveal(): Promise<void> {
    const keys = newKeys();
    const otherBody = { clientPublicKey: newKeys().publicKeyUncompressed };
    const read = async (owner: Owner, { body }: Answer) => {
      const { recoveryPhrase: phrase, organizationId } = openExport(body.encryptedWalletCredentials, keys);
      this.same(organizationId, owner.usdb, 'the wallet of the export');
      owner.phrase ??= phrase;
      const others = this.owners.filter((each) => each !== owner && each.phrase === phrase);
      this.same([body.id, phrase.split(' ').length, phrase === owner.phrase, others], [owner.usdb, 12, true, []], 'the export');
    };
    await this.ofWallet(
      'reveal',
      'exportInternalAccount',
      'POST',
      '/export',
      { clientPublicKey: keys.publicKeyUncompressed },
      otherBody,
      read,
    );
  }

  async hide(): Promise<void> {
    const privateEnabled = this.random.chance(0.5);
    const change = (owner: Owner, { body }: Answer) => {
      owner.isPrivate = privateEnabled;
      this.same(body.privateEnabled, privateEnabled, 'privateEnabled');
    };
    await this.ofWallet('hide', 'updateInternalAccount', 'PATCH', '', { privateEnabled }, { privateEnabled: !privateEnabled }, change);
  }

  /** Three legs: the second makes the key PENDING, the third ACTIVE. */
  async delegate(): Promise<void> {
    const owner = this.any(this.owners.filter(({ isDeleted, isProvisioned }) => !isDeleted && isProvisioned));
    if (!owner) return;
    this.note('delegate', owner.card ? '' : 'a new card');
    owner.card ??= await this.issueCard(owner);
    const { card } = owner;
    const body = delegationBody({ account: { id: owner.usdb } }, card);
    const call = { method: 'POST', path: '/auth/delegated-keys', body, otherBody: { ...body, nickname: 'Other' } };
    const hasKey = () => owner.keys.some(({ status }) => status === 'ACTIVE');
    const answer = await this.platform.post(call.path, body);
    this.agree(answer, hasKey() ? [409, 'CONFLICT'] : 202);
    if (hasKey()) return;
    const refusedOr = (ending: Ending): Ending => (hasKey() ? { expected: [409, 'CONFLICT'] } : ending);
    const third = (key: DelegatedKey) => (done: Answer) => {
      key.status = 'ACTIVE';
      card.status = 'ACTIVE';
      this.same([done.body.id, done.body.publicKey, done.body.status], [key.id, key.publicKey, key.status], 'the delegated key');
    };
    const second = (signer: Session | undefined) => async (next: Answer) => {
      const key = await this.newKey(owner);
      // "Stamp the new payloadToSign with the same session key pair"
      const maySign = (session: Session) => session === signer;
      const retry = { ...call, maySign, end: () => refusedOr({ expected: 201, apply: third(key) }) };
      await this.asked(owner, 'createDelegatedKey', next, retry, 0.7, 2, signer?.keys.publicKey);
    };
    await this.asked(owner, 'createDelegatedKey', answer, {
      ...call,
      maySign: () => true,
      end: (by) => refusedOr({ expected: 202, apply: second(by) }),
    });
  }

  /** A repeated request with the same key issues one card. */
  private async issueCard(owner: Owner): Promise<{ id: string; status: string }> {
    const send = (key: string) => requestCard(this.platform, { customerId: owner.id, fundingSource: owner.usdb }, key);
    const key = randomUUID();
    const { id } = await expectStatus(201, send(key));
    this.same((await expectStatus(201, send(key))).id, id, 'the repeated request');
    return { id, status: (await provisioned(this.platform, id)).status };
  }

  private async newKey(owner: Owner): Promise<DelegatedKey> {
    const { data } = await expectStatus(200, this.platform.get(`/auth/delegated-keys?accountId=${owner.usdb}`));
    const fresh = data.filter(({ id }: DelegatedKey) => owner.keys.every((key) => key.id !== id));
    this.same(
      fresh.map(({ status }: DelegatedKey) => status),
      ['PENDING'],
      'the key of the second leg',
    );
    const key: DelegatedKey = { id: fresh[0].id, publicKey: fresh[0].publicKey, status: 'PENDING' };
    owner.keys.push(key);
    return key;
  }

  /** "Revoke: no signature; 204; not ACTIVE -> 400" */
  async undelegate(): Promise<void> {
    const owner = this.any(this.owners.filter(({ keys }) => keys.length > 0));
    const key = owner && this.any(owner.keys);
    if (!owner?.card || !key) return;
    const answer = await this.platform.delete(`/auth/delegated-keys/${key.id}`);
    this.note('undelegate', key.status);
    this.agree(answer, key.status === 'ACTIVE' ? 204 : BAD_INPUT);
    if (key.status !== 'ACTIVE') return;
    key.status = 'REVOKED';
    owner.card.status = 'PENDING';
    await this.compareOwner(owner);
  }

  // ---- the sandbox issuer

  async oidc(): Promise<void> {
    const subject = `Owner ${this.random.int(0, 3)} ${this.random.int(1, 2)}`;
    const nonce = this.random.chance(0.5) ? nonceOf(newKeys().publicKey) : undefined;
    const token = await oidcToken(this.platform, { subject, ...(nonce && { nonce }) });
    this.note('oidc', subject);
    this.tokens.push({ token, subject, at: this.now });
    const [header = '', claims = '', signature = ''] = token.split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    const { sub, aud, iat, nonce: shown } = read(claims);
    this.same([sub, aud, iat, shown], [subject, 'wallet-app', Math.floor(this.now / 1000), nonce], 'the claims');
    const { keys } = await expectStatus(200, this.platform.get('/sandbox/oidc/jwks.json'));
    const jwk = keys.find(({ kid }: { kid: string }) => kid === read(header).kid) as JsonWebKey;
    const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
    this.same(
      verifySignature('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url')),
      true,
      'the signature',
    );
  }

  // ---- reads

  async look(): Promise<void> {
    const owner = this.random.pick(this.owners);
    this.note('look', owner.name);
    await this.compareOwner(owner);
    const { privateEnabled, status } = await expectStatus(200, this.platform.get(`/internal-accounts/${owner.usdb}`));
    this.same([privateEnabled, status === 'CLOSED'], [owner.isPrivate, owner.isDeleted], 'the wallet');
    const { data } = await expectStatus(200, this.platform.get(`/auth/delegated-keys?accountId=${owner.usdb}`));
    const gist = ({ id, publicKey, status: state }: DelegatedKey) => ({ id, publicKey, status: state });
    this.same(byId(data.map(gist)), byId(owner.keys.map(gist)), 'delegated keys');
    for (const key of owner.keys) {
      const one = await expectStatus(200, this.platform.get(`/auth/delegated-keys/${key.id}`));
      this.same(
        { ...gist(one), cardId: one.cardId, accountId: one.accountId, nickname: one.nickname },
        { ...gist(key), cardId: owner.card?.id, accountId: owner.usdb, nickname: 'Groceries' },
        'a delegated key',
      );
      const bySource = await expectStatus(200, this.platform.get(`/auth/delegated-keys?fundingSourceId=${one.fundingSourceId}`));
      this.same(bySource.data.length, owner.keys.length, 'keys of the funding source');
    }
    if (owner.card)
      this.same((await expectStatus(200, this.platform.get(`/cards/${owner.card.id}`))).status, owner.card.status, 'the card');
  }

  private shownRequest({ id, owner, operation, targetId, leg, payload, expectedKey, createdAt, usedAt }: Request) {
    return {
      id,
      status: usedAt !== undefined ? 'USED' : this.now < createdAt + REQUEST_LIFE ? 'OPEN' : 'EXPIRED',
      operation,
      ...(targetId !== undefined && { targetId }),
      leg,
      payloadToSign: payload,
      internalAccountId: owner.usdb,
      ...(expectedKey !== undefined && { expectedPublicKey: expectedKey }),
      createdAt: iso(createdAt),
      expiresAt: iso(createdAt + REQUEST_LIFE),
      ...(usedAt !== undefined && { usedAt: iso(usedAt) }),
    };
  }

  /** All that are kept, in pages, the newest first; and one by its id. */
  async requests(): Promise<void> {
    const status = this.random.pick([undefined, 'OPEN', 'USED', 'EXPIRED']);
    const limit = this.random.pick([2, 5, 100]);
    this.note('requests', status ?? 'all', limit);
    const kept = this.issued.filter(({ createdAt }) => this.now < createdAt + REQUEST_LIFE + REQUEST_KEPT);
    const expected = kept.map((request) => this.shownRequest(request)).filter((shown) => status === undefined || shown.status === status);
    const listed: { id: string; expiresAt: string }[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query = `limit=${limit}${status ? `&status=${status}` : ''}${cursor && `&cursor=${cursor}`}`;
      const page = await expectStatus(200, this.platform.get(`/signed-requests?${query}`));
      listed.push(...page.data);
      this.same([page.totalCount, page.hasMore], [expected.length, listed.length < expected.length], 'the page');
      cursor = page.hasMore ? page.nextCursor : undefined;
    }
    this.same(byId(listed), byId(expected), 'the signed requests');
    const expiries = listed.map(({ expiresAt }) => expiresAt);
    this.same(expiries, [...expiries].sort().reverse(), 'the newest first');
    const one = this.any(this.issued);
    if (!one) return;
    const answer = await this.platform.get(`/signed-requests/${one.id}`);
    const isKept = kept.includes(one);
    this.agree(answer, isKept ? 200 : [404, 'NOT_FOUND']);
    if (isKept) this.same(answer.body, this.shownRequest(one), 'the signed request');
  }

  /** Ids that never existed. */
  async strange(): Promise<void> {
    this.note('strange');
    const none = '01a1e489-0000-7000-8000-000000000000';
    const { publicKey, publicKeyUncompressed } = newKeys();
    const token = await oidcToken(this.platform, { subject: 'nobody' });
    this.agree(
      await this.platform.post('/auth/credentials', { accountId: `InternalAccount:${none}`, type: 'OAUTH', oidcToken: token }),
      NO_ACCOUNT,
    );
    this.agree(await this.platform.post(`/auth/credentials/AuthMethod:${none}/challenge`), NO_CREDENTIAL);
    const sent = { type: 'OAUTH', oidcToken: token, clientPublicKey: publicKey };
    this.agree(await this.platform.post(`/auth/credentials/AuthMethod:${none}/verify`, sent), NO_CREDENTIAL);
    this.agree(await this.platform.delete(`/auth/credentials/AuthMethod:${none}`), NO_CREDENTIAL);
    this.agree(await this.platform.delete(`/auth/sessions/Session:${none}`), NO_SESSION);
    this.agree(await this.platform.post(`/auth/sessions/Session:${none}/refresh`, { clientPublicKey: publicKey }), NO_SESSION);
    this.agree(
      await this.platform.post(`/internal-accounts/InternalAccount:${none}/export`, { clientPublicKey: publicKeyUncompressed }),
      NO_ACCOUNT,
    );
    this.agree(await this.platform.patch(`/internal-accounts/InternalAccount:${none}`, { privateEnabled: true }), NO_ACCOUNT);
    for (const path of [`/auth/delegated-keys/DelegatedKey:${none}`, `/signed-requests/Request:${none}`])
      this.agree(await this.platform.get(path), [404, 'NOT_FOUND']);
    // "unknown -> empty `data`"; "missing/bad -> 400"
    for (const list of ['/auth/credentials', '/auth/sessions']) {
      this.same(await expectStatus(200, this.platform.get(`${list}?accountId=InternalAccount:${none}`)), { data: [] }, list);
      this.agree(await this.platform.get(list), BAD_INPUT);
    }
  }

  // ---- time

  async advance(): Promise<void> {
    const ends = this.owners.flatMap(({ sessions }) => sessions.map(({ createdAt }) => createdAt + SESSION_LIFE));
    const codes = this.owners.flatMap(({ credentials }) => credentials.flatMap(({ code }) => (code ? [code.expiresAt] : [])));
    const requests = this.issued.flatMap(({ createdAt }) => [createdAt + REQUEST_LIFE, createdAt + REQUEST_LIFE + REQUEST_KEPT]);
    const others = [10_000, 20_000, MINUTE, 2 * MINUTE, 5 * MINUTE, 40 * MINUTE, this.random.int(1, DAY)];
    await this.pass(this.waitFor([...ends, ...codes, ...requests], others));
    for (const owner of this.owners) await this.compareOwner(owner);
    // Most commands need a session.
    const owner = this.anyOwner();
    if (this.liveSessions(owner).length === 0) await this.signIn(owner);
  }

  protected override async finish(): Promise<void> {
    await this.look();
    await this.requests();
    await this.pass(DAY);
    this.same(
      this.owners.flatMap((owner) => this.liveSessions(owner)),
      [],
      'no session lives a day',
    );
    for (const owner of this.owners) await this.compareOwner(owner);
    this.same((await expectStatus(200, this.platform.get('/signed-requests'))).totalCount, 0, 'signed requests of a day ago');
  }

  /** Wallet operations complete at once, so no event tells of them. */
  protected override expected(): Map<string, string[]> {
    const expected = new Map<string, string[]>();
    for (const { id, usd, usdb, card, isDeleted } of this.owners) {
      expected.set(id, ['CUSTOMER.KYC_APPROVED APPROVED']);
      if (isDeleted) for (const account of [usd, usdb]) expected.set(account, ['INTERNAL_ACCOUNT.STATUS_UPDATED CLOSED']);
      if (card) expected.set(card.id, ['card.status_change PENDING']);
    }
    return expected;
  }
}
