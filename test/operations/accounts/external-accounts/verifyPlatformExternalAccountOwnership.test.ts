import { verifySuite } from '../../../support/external-accounts/verify-suite.js';

verifySuite('platform');
