import { challengeSuite } from '../../../support/external-accounts/challenge-suite.js';

challengeSuite('platform');
