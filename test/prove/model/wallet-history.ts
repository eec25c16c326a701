// Owners of embedded wallets sign in and sign: codes, tokens and passkeys open sessions, whose keys answer signed requests.
import { createHash } from 'node:crypto';
import { softwareAuthenticator } from '../../support/authenticator.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { encryptOtp, type Keys, newKeys, nonceOf, oidcToken, SANDBOX_OTP, signatureHeaders, stamp } from '../../support/wallet.js';
import { ComposedHistory } from './composed-history.js';
import { MINUTE } from './history.js';
import {
  Allowance,
  BAD_INPUT,
  byId,
  CODE_LIFE,
  type Code,
  type Credential,
  type CredentialType,
  type Ending,
  INVALID_SIGNATURE,
  isOtp,
  iso,
  NO_CREDENTIAL,
  newFailures,
  newSends,
  type Owner,
  REQUEST_LIFE,
  type Request,
  type Retry,
  SESSION_LIFE,
  type Session,
  TOKEN_LIFE,
  TRIES,
} from './wallet-state.js';

type Way = 'right' | 'other' | 'ended' | 'stranger' | 'body' | 'malformed' | 'unsigned' | 'unnamed';
const TAMPERED: readonly Way[] = ['body', 'malformed', 'unsigned', 'unnamed'];

export abstract class WalletHistory extends ComposedHistory {
  protected readonly owners: Owner[] = [];
  protected readonly issued: Request[] = [];
  protected readonly tokens: { readonly token: string; readonly subject: string; readonly at: number }[] = [];

  // ---- random choices

  /** Mostly an owner who is there. */
  protected anyOwner(): Owner {
    const present = this.owners.filter(({ isDeleted }) => !isDeleted);
    return this.random.pick(present.length > 0 && this.random.chance(0.9) ? present : this.owners);
  }
  protected liveCredentials(owner: Owner): Credential[] {
    return owner.credentials.filter(({ isRevoked }) => !isRevoked);
  }
  protected isLive({ isRevoked, createdAt }: Session): boolean {
    return !isRevoked && this.now < createdAt + SESSION_LIFE;
  }
  /** The credential of this type that is in use. */
  protected current(owner: Owner, type: CredentialType): Credential | undefined {
    return this.liveCredentials(owner).find((each) => each.type === type && !each.isReplacement);
  }
  protected liveSessions(owner: Owner): Session[] {
    return owner.sessions.filter((session) => this.isLive(session));
  }
  protected anyCredential(): Credential | undefined {
    const { credentials } = this.anyOwner();
    const live = credentials.filter(({ isRevoked }) => !isRevoked);
    return this.any(live.length > 0 && this.random.chance(0.9) ? live : credentials);
  }
  protected anySession(): Session | undefined {
    const owner = this.anyOwner();
    const live = this.liveSessions(owner);
    return this.any(live.length > 0 && this.random.chance(0.85) ? live : owner.sessions);
  }

  // ---- credentials

  /** What the next code of this type would use up. */
  protected sendsOf(owner: Owner, type: CredentialType): Allowance {
    const earlier = owner.credentials.filter((each) => each.type === type).map(({ sends }) => sends);
    return Allowance.after(earlier, newSends(), this.now);
  }

  protected credentialOf(
    owner: Owner,
    type: CredentialType,
    nickname: string,
    body: { readonly id: string; readonly otpEncryptionTargetBundle?: string },
    { authenticator, subject, isReplacement = false }: Partial<Pick<Credential, 'authenticator' | 'subject' | 'isReplacement'>> = {},
  ): void {
    const made: Credential = {
      id: body.id,
      owner,
      type,
      nickname,
      createdAt: this.now,
      authenticator,
      subject,
      isRevoked: false,
      isReplacement,
      verifiedAt: undefined,
      code: undefined,
      bundles: [],
      sends: this.sendsOf(owner, type),
      failures: newFailures(),
    };
    owner.credentials.push(made);
    if (!body.otpEncryptionTargetBundle) return;
    made.sends.take(this.now);
    this.sent(made, body.otpEncryptionTargetBundle);
  }

  /** "One use per OTP": a new code replaces the open one. */
  protected sent(credential: Credential, bundle: string): void {
    credential.code = { bundle, expiresAt: this.now + CODE_LIFE, triesLeft: TRIES };
    credential.bundles.push(bundle);
  }

  protected revoke(credential: Credential): void {
    credential.isRevoked = true;
    for (const session of credential.owner.sessions) if (session.credential === credential) session.isRevoked = true;
  }

  protected endSession(session: Session): void {
    session.isRevoked = true;
  }

  protected isOpen(credential: Credential): credential is Credential & { code: Code } {
    return credential.code !== undefined && this.now < credential.code.expiresAt && credential.code.triesLeft > 0;
  }

  async challenge(): Promise<void> {
    const credential = this.anyCredential();
    if (credential) await this.often(() => this.challengeOf(credential), 0.2, 7);
  }

  protected async challengeOf(credential: Credential): Promise<void> {
    const { type } = credential;
    this.note('challenge', type, credential.isRevoked ? 'revoked' : '');
    if (type === 'PASSKEY' && !credential.isRevoked) return void (await this.challengePasskey(credential));
    const answer = await this.platform.post(
      `/auth/credentials/${credential.id}/challenge`,
      type === 'PASSKEY' ? { clientPublicKey: newKeys().publicKey } : {},
    );
    if (credential.isRevoked) return this.agree(answer, NO_CREDENTIAL);
    if (!isOtp(type)) return this.agree(answer, BAD_INPUT);
    const wait = credential.sends.wait(this.now);
    this.agree(answer, wait > 0 ? [429, 'RATE_LIMITED'] : 200);
    if (wait > 0) return this.same(answer.headers.get('retry-after'), String(Math.ceil(wait / 1000)), 'Retry-After');
    credential.sends.take(this.now);
    this.sent(credential, answer.body.otpEncryptionTargetBundle);
  }

  /** "`challenge` = lower-case hex SHA-256 of the session-creation body" */
  protected async challengePasskey(credential: Credential): Promise<Request> {
    const keys = newKeys();
    const path = `/auth/credentials/${credential.id}/challenge`;
    const { challenge, requestId, credentialId } = await expectStatus(200, this.platform.post(path, { clientPublicKey: keys.publicKey }));
    const { payloadToSign } = await expectStatus(200, this.platform.get(`/signed-requests/${requestId}`));
    const hash = createHash('sha256').update(payloadToSign).digest('hex');
    this.same([credentialId, challenge], [credential.authenticator?.credentialId, hash], 'the challenge of the passkey');
    const request: Request = {
      id: requestId,
      owner: credential.owner,
      operation: 'verifyAuthCredential',
      targetId: credential.id,
      leg: 1,
      payload: payloadToSign,
      expectedKey: undefined,
      createdAt: this.now,
      usedAt: undefined,
      retry: undefined,
      passkey: { credential, keys, challenge },
    };
    this.issued.push(request);
    return request;
  }

  // ---- sign-in

  async verify(): Promise<void> {
    const credential = this.anyCredential();
    if (!credential) return;
    if (isOtp(credential.type)) return this.often(() => this.verifyCode(credential), 0.4, 8);
    return credential.type === 'OAUTH' ? this.verifyToken(credential) : this.verifyPasskey(credential);
  }

  /** "five tries" of a code, and a limit of wrong codes of a credential: many wrong ones, and then the right one. */
  async guess(): Promise<void> {
    const credential = this.any(this.owners.flatMap((owner) => this.liveCredentials(owner).filter(({ type }) => isOtp(type))));
    if (!credential) return;
    this.note('guess', credential.type);
    for (let i = this.random.int(4, 13); i > 0; i -= 1) {
      if (!this.isOpen(credential) && this.random.chance(0.8)) await this.challengeOf(credential);
      await this.verifyCode(credential, 'wrong');
    }
    await this.verifyCode(credential, 'right');
  }

  protected async verifyCode(credential: Credential, always?: 'right' | 'wrong'): Promise<void> {
    const { type, owner } = credential;
    if (!this.isOpen(credential) && !credential.isRevoked && credential.sends.wait(this.now) === 0 && this.random.chance(0.6))
      await this.challengeOf(credential);
    const how = always ?? this.random.weighted({ right: 6, wrong: 4, old: 1 });
    const isOpen = this.isOpen(credential);
    const bundle = how === 'old' ? credential.bundles.at(-2) : credential.bundles.at(-1);
    const isLimited = credential.failures.wait(this.now) > 0;
    // Without an open code, a target that was replaced or a spent allowance would be a second reason.
    if (!bundle || (!isOpen && !credential.isRevoked && (how === 'old' || isLimited))) return;
    const keys = newKeys();
    const body = { type, encryptedOtpBundle: await encryptOtp(bundle, keys, how === 'wrong' ? '314159' : SANDBOX_OTP) };
    const path = `/auth/credentials/${credential.id}/verify`;
    const answer = await this.platform.post(path, body);
    this.note('verify', type, how, isOpen ? '' : 'late', credential.isRevoked ? 'revoked' : '');
    if (credential.isRevoked) return this.agree(answer, NO_CREDENTIAL);
    if (isLimited) return this.agree(answer, [429, 'RATE_LIMITED']);
    if (!isOpen) return this.agree(answer, [401, 'UNAUTHORIZED']);
    if (how === 'old') return this.agree(answer, BAD_INPUT);
    const { code } = credential as { code: Code };
    if (how === 'wrong') {
      credential.failures.take(this.now);
      code.triesLeft -= 1;
      return this.agree(answer, [401, 'UNAUTHORIZED']);
    }
    this.agree(answer, 202);
    code.triesLeft = 0;
    await this.asked(owner, 'verifyAuthCredential', answer, {
      method: 'POST',
      path,
      body,
      targetId: credential.id,
      otherBody: { type, encryptedOtpBundle: '{}' },
      loginKeys: keys,
      maySign: () => false,
      end: () => this.endOfLogin(credential, keys),
    });
    await this.compareOwner(owner);
  }

  /** "204 when a replacement OTP credential is verified" */
  private endOfLogin(credential: Credential, keys: Keys): Ending {
    if (credential.isRevoked) return { expected: NO_CREDENTIAL };
    if (!credential.isReplacement) return { expected: 200, apply: ({ body: session }) => this.signedIn(credential, keys, session) };
    return {
      expected: 204,
      apply: () => {
        credential.verifiedAt = this.now;
        credential.failures = newFailures();
      },
    };
  }

  /** "`iat` at most 60 s old, `iss`/`aud`/`sub` must equal the stored identity; `nonce` = sha256(clientPublicKey)" */
  protected async verifyToken(credential: Credential): Promise<void> {
    const { subject = '', owner } = credential;
    const how = this.random.weighted({ right: 6, subject: 1, audience: 1, nonce: 1, none: 1, stale: 2 });
    const old = this.any(this.tokens.filter(({ at }) => this.now >= at + TOKEN_LIFE + MINUTE));
    if (how === 'stale' && !old) return;
    const keys = newKeys();
    const token = await oidcToken(this.platform, {
      subject: how === 'subject' ? 'somebody else' : subject,
      ...(how === 'audience' && { audience: 'another-app' }),
      ...(how !== 'none' && { nonce: nonceOf(how === 'nonce' ? newKeys().publicKey : keys.publicKey) }),
    });
    const body = { type: 'OAUTH', oidcToken: how === 'stale' ? old?.token : token, clientPublicKey: keys.publicKey };
    const answer = await this.platform.post(`/auth/credentials/${credential.id}/verify`, body);
    this.note('verify', 'OAUTH', how, credential.isRevoked ? 'revoked' : '');
    if (credential.isRevoked) return this.agree(answer, NO_CREDENTIAL);
    this.agree(answer, how === 'right' ? 200 : [401, 'UNAUTHORIZED']);
    if (how === 'right') this.signedIn(credential, keys, answer.body);
    await this.compareOwner(owner);
  }

  protected async verifyPasskey(credential: Credential): Promise<void> {
    const { owner, isRevoked, authenticator } = credential;
    const known = this.issued.filter((each) => each.passkey && (each.passkey.credential === credential || this.random.chance(0.1)));
    const request =
      known.length > 0 && this.random.chance(0.6)
        ? this.random.pick(known)
        : isRevoked
          ? undefined
          : await this.challengePasskey(credential);
    if (!request?.passkey || !authenticator) return;
    const how = this.random.weighted({ right: 6, authenticator: 1, challenge: 1, unnamed: 1 });
    const signer = how === 'authenticator' ? softwareAuthenticator() : authenticator;
    const assertion = signer.get(Buffer.from(how === 'challenge' ? 'another challenge' : request.passkey.challenge));
    const headers: Record<string, string> = how === 'unnamed' ? {} : { 'Request-Id': request.id };
    const answer = await this.platform.post(`/auth/credentials/${credential.id}/verify`, { type: 'PASSKEY', assertion }, { headers });
    const isIts = request.passkey.credential === credential;
    const isOpen = request.usedAt === undefined && this.now < request.createdAt + REQUEST_LIFE;
    this.note('verify', 'PASSKEY', how, isOpen ? '' : 'late', isIts ? '' : "another's", isRevoked ? 'revoked' : '');
    if (isRevoked) return this.agree(answer, NO_CREDENTIAL);
    if (how === 'unnamed') return this.agree(answer, [401, 'REQUEST_ID_MISSING']);
    if (how !== 'right' || !isIts || !isOpen) return this.agree(answer, INVALID_SIGNATURE);
    this.agree(answer, 200);
    request.usedAt = this.now;
    this.signedIn(credential, request.passkey.keys, answer.body);
    await this.compareOwner(owner);
  }

  protected opened(credential: Credential, keys: Keys, body: { readonly id: string }): void {
    const session: Session = { id: body.id, credential, keys, createdAt: this.now, isRevoked: false };
    this.same(body, { ...this.shownSession(session), updatedAt: iso(this.now) }, 'the new session');
    credential.owner.sessions.push(session);
    credential.owner.isProvisioned = true;
  }

  /** A proof of the credential opens a session, and the count of wrong codes begins anew. A refreshed session proves nothing. */
  protected signedIn(credential: Credential, keys: Keys, body: { readonly id: string }): void {
    this.opened(credential, keys, body);
    credential.failures = newFailures();
  }

  protected shownSession({ id, credential: { owner, type, nickname }, createdAt }: Session) {
    return { id, accountId: owner.usdb, type, nickname, createdAt: iso(createdAt), expiresAt: iso(createdAt + SESSION_LIFE) };
  }

  /** A session, if a credential can open one now. */
  protected async signIn(owner: Owner): Promise<void> {
    const credential = this.current(owner, 'EMAIL_OTP');
    if (credential) await this.proveCode(credential);
  }

  /** A code and its proof, if the limits allow them now. */
  protected async proveCode(credential: Credential): Promise<void> {
    const { owner, type } = credential;
    if (credential.sends.wait(this.now) > 0 || credential.failures.wait(this.now) > 0) return;
    await this.challengeOf(credential);
    const keys = newKeys();
    const body = { type, encryptedOtpBundle: await encryptOtp(credential.bundles.at(-1) ?? '', keys) };
    const call = { method: 'POST', path: `/auth/credentials/${credential.id}/verify`, body, targetId: credential.id };
    const answer = await this.platform.post(call.path, body);
    this.agree(answer, 202);
    credential.code = undefined;
    const retry = { ...call, loginKeys: keys, maySign: () => false, end: () => this.endOfLogin(credential, keys) };
    await this.answer(await this.asked(owner, 'verifyAuthCredential', answer, retry, 0), 'right');
  }

  // ---- signed requests

  /** Notes the request of a 202. Mostly it is signed at once. */
  protected async asked(
    owner: Owner,
    operation: string,
    { body }: Answer,
    retry: Retry,
    signs = 0.6,
    leg = 1,
    expectedKey = retry.loginKeys?.publicKey,
  ): Promise<Request> {
    this.same(body.expiresAt, iso(this.now + REQUEST_LIFE), 'the expiry of the challenge');
    const { requestId: id, payloadToSign: payload } = body;
    const request = {
      id,
      owner,
      operation,
      targetId: retry.targetId,
      leg,
      payload,
      expectedKey,
      createdAt: this.now,
      usedAt: undefined,
      retry,
    };
    this.issued.push(request);
    if (this.random.chance(signs)) await this.answer(request, 'right');
    return request;
  }

  async sign(): Promise<void> {
    const fresh = this.issued.filter(
      ({ retry, usedAt, createdAt }) => retry && usedAt === undefined && this.now < createdAt + REQUEST_LIFE,
    );
    const request =
      fresh.length > 0 && this.random.chance(0.8) ? this.random.pick(fresh) : this.any(this.issued.filter(({ retry }) => retry));
    if (!request) return;
    const ways = { right: 8, other: 2, ended: 1, stranger: 1, body: 1, malformed: 1, unsigned: 1, unnamed: 1 };
    await this.answer(request, this.random.weighted<Way>(ways), true);
  }

  /** "`requestId` single use; mismatch, reuse or expiry -> 401" */
  protected async answer(request: Request, way: Way, notes = false): Promise<void> {
    const { owner, retry } = request;
    if (!retry) return;
    const isOpen = request.usedAt === undefined && this.now < request.createdAt + REQUEST_LIFE;
    const isTampered = TAMPERED.includes(way);
    // A tampered request that could not be used anyway has two reasons to be refused.
    if (isTampered && !isOpen) return;
    const live = this.liveSessions(owner);
    const isRight = way === 'right' || isTampered;
    const session = this.any(
      isRight
        ? live.filter(retry.maySign)
        : way === 'other'
          ? live.filter((each) => !retry.maySign(each))
          : way === 'ended'
            ? owner.sessions.filter((each) => !this.isLive(each))
            : [],
    );
    const keys = isRight ? (retry.loginKeys ?? session?.keys) : way === 'stranger' ? newKeys() : session?.keys;
    if (!keys || (way === 'body' && retry.otherBody === undefined) || (!isRight && isOpen && retry.isUnclear?.())) return;
    if (notes)
      this.note('sign', request.operation, `leg ${request.leg}`, way, isOpen ? '' : request.usedAt === undefined ? 'expired' : 'used');

    const both = signatureHeaders(way === 'malformed' ? 'not a stamp' : await stamp(keys, request.payload), request.id);
    const headers = Object.fromEntries(
      Object.entries(both).filter(
        ([name]) => name !== (way === 'unsigned' ? 'Service-Wallet-Signature' : way === 'unnamed' ? 'Request-Id' : ''),
      ),
    );
    const answer = await this.platform.request(retry.method, retry.path, way === 'body' ? retry.otherBody : retry.body, { headers });
    const gone = retry.gone?.();
    if (gone !== undefined) return this.agree(answer, gone);
    if (!isOpen || !isRight) return this.agree(answer, INVALID_SIGNATURE);
    if (way === 'body') return this.agree(answer, [401, 'WALLET_SIGNATURE_BODY_MISMATCH']);
    if (way === 'malformed') return this.agree(answer, [401, 'WALLET_SIGNATURE_MALFORMED']);
    if (way === 'unsigned') return this.agree(answer, [401, 'WALLET_SIGNATURE_MISSING']);
    if (way === 'unnamed') return this.agree(answer, [401, 'REQUEST_ID_MISSING']);
    const { expected, apply } = retry.end(session);
    this.agree(answer, expected);
    // A refused retry changes nothing: the request stays open.
    if (typeof expected !== 'number') return;
    request.usedAt = this.now;
    await apply?.(answer);
    await this.compareOwner(owner);
  }

  // ---- reads

  protected async compareOwner(owner: Owner): Promise<void> {
    const read = async (path: string) => (await expectStatus(200, this.platform.get(path))).data;
    const credentials = await read(`/auth/credentials?accountId=${owner.usdb}`);
    const shown = this.liveCredentials(owner).map(({ id, type, nickname, createdAt, authenticator }) => ({
      id,
      accountId: owner.usdb,
      type,
      ...(authenticator && { credentialId: authenticator.credentialId }),
      nickname,
      createdAt: iso(createdAt),
    }));
    this.same(
      byId(credentials.map(({ updatedAt: _, ...each }: Record<string, string>) => each)),
      byId(shown),
      `credentials of ${owner.name}`,
    );
    const sessions = await read(`/auth/sessions?accountId=${owner.usdb}`);
    const live = this.liveSessions(owner).map((session) => this.shownSession(session));
    this.same(byId(sessions.map(({ updatedAt: _, ...each }: Record<string, string>) => each)), byId(live), `sessions of ${owner.name}`);
  }
}
