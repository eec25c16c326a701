import { authentication } from './authentication.js';
import { cardLimits } from './card-limits.js';
import { cardStatus } from './card-status.js';
import { cardUpdate } from './card-update.js';
import { cards } from './cards.js';
import { delegatedKeys } from './delegated-keys.js';
import { errors } from './errors.js';
import { errors400 } from './errors-400.js';
import { errors409 } from './errors-409.js';
import { errorsOther } from './errors-other.js';
import { errorsStablecoin } from './errors-stablecoin.js';
import { events } from './events.js';
import { externalAccounts } from './external-accounts.js';
import { service } from './service.js';
import { statements } from './statements.js';
import { verifyStatements } from './verify.js';
import { versioning } from './versioning.js';

/** In the order of the specification. */
export const SECTIONS = [
  service,
  externalAccounts,
  verifyStatements,
  delegatedKeys,
  cards,
  cardStatus,
  cardUpdate,
  cardLimits,
  statements,
  authentication,
  events,
  errors,
  errors400,
  errorsStablecoin,
  errorsOther,
  errors409,
  versioning,
];
