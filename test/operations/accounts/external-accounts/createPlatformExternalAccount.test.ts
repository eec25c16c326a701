import { createSuite } from '../../../support/external-accounts/create-suite.js';

createSuite('platform');
