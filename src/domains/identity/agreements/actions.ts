// What payments ask about a customer.
import type { Platform } from '../../core/platform/platform.js';
import { hasAcceptedTerms } from '../customers/actions.js';
import type { Customer } from '../customers/customer.js';
import { refuseUnready, unreadiness } from './rules.js';

/**
 * To be called before money of a customer moves: when a quote is created, when it is executed, and for every transfer. Answers 403
 * CUSTOMER_NOT_VERIFIED unless the customer is APPROVED, then 403 END_USER_TERMS_NOT_ACCEPTED where terms are required.
 */
export const requireReadyToPay = (customer: Customer, platform: Platform): void =>
  refuseUnready({ customer, platform, hasAcceptedTerms: hasAcceptedTerms(customer) });

/** As `requireReadyToPay`, where money that may not move stays where it is. */
export const isReadyToPay = (customer: Customer, platform: Platform): boolean =>
  unreadiness({ customer, platform, hasAcceptedTerms: hasAcceptedTerms(customer) }) === undefined;
