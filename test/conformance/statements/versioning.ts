import { inFile, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const rates = inFile('operations/payments/rates/getExchangeRates.test.ts');

export const versioning = section('versioning', 'Version, rates and experimental parts', [
  [1, 'The version is `2025-10-13`.', spec('the version is the last segment of the base address')],
  [
    2,
    'The version is the last segment of the base address.',
    spec('the version is the last segment of the base address'),
    inFile('contract/requests.test.ts')('two Authorization headers: 401'),
  ],
  [3, 'The transfers in one currency are deprecated.', spec('the operations of Same-Currency Transfers are deprecated')],
  [
    4,
    'Quotes replace them and serve transfers in one currency.',
    inFile('operations/payments/quotes/executeQuote.test.ts')('a USD payout shows its ACH rail, settled with the payment'),
  ],
  [5, 'The management of agents is experimental.', spec('the description of the agents says that they are experimental')],
  [
    6,
    'Exchange rates are kept for about five minutes.',
    rates('updatedAt is the start of the five-minute slot, or the later change of the sandbox market'),
  ],
  [7, 'Exchange rates include the fees of the platform.', rates('a row prices the amount as a quote of the platform would')],
]);
