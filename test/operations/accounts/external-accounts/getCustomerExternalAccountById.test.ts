import { getSuite } from '../../../support/external-accounts/read-suite.js';

getSuite('customers');
