// The agreements that customers accept, each in its current version.
import { type Operation, ok, operation } from '../../../http/operation.js';
import { AGREEMENTS, currentAgreement } from '../customers/actions.js';
import { AgreementDocumentListResponse, EndUserTerms } from '../customers/schemas.js';

export const agreementRoutes: readonly Operation[] = [
  operation({
    id: 'getEndUserTerms',
    method: 'GET',
    path: '/customers/end-user-terms',
    tag: 'Customers',
    summary: 'Get the current end user terms',
    permission: 'VIEW',
    deprecated: true,
    success: { 200: EndUserTerms },
    handle: async () => {
      const { version, url } = currentAgreement('SERVICE_END_USER_TERMS');
      return ok({ version, url });
    },
  }),
  operation({
    id: 'listAgreementDocuments',
    method: 'GET',
    path: '/customers/agreements',
    tag: 'Customers',
    summary: 'List the agreements a customer may be asked to accept, each in its current version',
    permission: 'VIEW',
    success: { 200: AgreementDocumentListResponse },
    handle: async () => ok({ data: AGREEMENTS }),
  }),
];
