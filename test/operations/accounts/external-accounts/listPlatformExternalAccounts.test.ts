import { listSuite } from '../../../support/external-accounts/read-suite.js';

listSuite('platform');
