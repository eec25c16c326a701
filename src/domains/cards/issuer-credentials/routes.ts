// Sandbox operations with which a platform gives its own test issuer credentials. In live mode the operator does (`npm run platform`).
import type { Db } from '../../../db/pool.js';
import { created, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { invalidField } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { findProgram } from '../cards/actions.js';
import { createIssuerCredential, listCredentials, revokeIssuerCredential } from './actions.js';
import {
  IssuerCredentialCreateRequest,
  IssuerCredentialList,
  IssuerCredentialSchema,
  parseCertificate,
  renderIssuerCredential,
} from './schemas.js';

export type IssuerCredentialDeps = { readonly db: Db; readonly custody: KeyCustody };

export const issuerCredentialRoutes = ({ db, custody }: IssuerCredentialDeps): Operation[] => [
  operation({
    id: 'createSandboxIssuerCredential',
    method: 'POST',
    path: '/sandbox/issuer-credentials',
    tag: 'Card Issuer',
    summary: "Create a credential for an issuer's processor; its secret is shown once",
    permission: 'MANAGE',
    sandbox: true,
    body: IssuerCredentialCreateRequest,
    success: { 201: IssuerCredentialSchema },
    write: async (tx, { platformId, now, body }) => {
      if (!findProgram(body.program)) throw invalidField('program', 'must be a program of GET /sandbox/card-programs');
      const request = { program: body.program, certificateSha256: parseCertificate(body), now };
      const { credential, secret } = createIssuerCredential(tx, custody, platformId, request);
      return created(renderIssuerCredential(credential, secret));
    },
  }),
  operation({
    id: 'listSandboxIssuerCredentials',
    method: 'GET',
    path: '/sandbox/issuer-credentials',
    tag: 'Card Issuer',
    summary: "List the credentials of issuers' processors, newest first",
    permission: 'VIEW',
    sandbox: true,
    success: { 200: IssuerCredentialList },
    handle: async ({ platformId }) => {
      const credentials = await listCredentials(db, platformId);
      return ok({ data: credentials.map((credential) => renderIssuerCredential(credential)) });
    },
  }),
  operation({
    id: 'deleteSandboxIssuerCredentialById',
    method: 'DELETE',
    path: '/sandbox/issuer-credentials/{id}',
    tag: 'Card Issuer',
    summary: "Revoke a credential of an issuer's processor",
    permission: 'MANAGE',
    sandbox: true,
    success: { 204: null },
    errors: ['NOT_FOUND'],
    write: async (tx, { platformId, now, params }) => {
      await revokeIssuerCredential(tx, platformId, now, parseId('IssuerCredential', params.id));
      return noContent();
    },
  }),
];
