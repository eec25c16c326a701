import { deleteSuite } from '../../../support/external-accounts/read-suite.js';

deleteSuite('customers');
