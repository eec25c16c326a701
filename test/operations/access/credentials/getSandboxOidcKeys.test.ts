// "sandbox: an issuer whose key the service publishes"
import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../../support/service.js';
import { oidcToken } from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

test('200: the published keys verify a token of the sandbox issuer and contain no private key', async () => {
  const answer = await fetch(`${service.baseUrl}/sandbox/oidc/jwks.json`);
  assert.equal(answer.status, 200);
  const { keys } = (await answer.json()) as { keys: (JsonWebKey & { kid: string })[] };
  const [header = '', claims = '', signature = ''] = (await oidcToken(service.platform, { subject: 'ada' })).split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
  const key = keys.find((each) => each.kid === kid);
  assert.ok(key);
  assert.equal('d' in key, false);
  const publicKey = { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  const isSigned = (text: string) => verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
  assert.equal(isSigned(`${header}.${claims}`), true);
  assert.equal(isSigned(`${header}.${claims}A`), false);
});
