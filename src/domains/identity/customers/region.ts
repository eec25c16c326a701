// The regulated region: the European Economic Area, where the law requires strong customer authentication and verified contacts.
import type { Customer } from './customer.js';

const EUROPEAN_UNION = 'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE';
const REGULATED: ReadonlySet<string> = new Set(`${EUROPEAN_UNION} IS LI NO`.split(' '));

/** Decided by the region given at creation, which never changes. It does not depend on whether the platform itself is regulated. */
export const isInRegulatedRegion = ({ region }: Pick<Customer, 'region'>): boolean => region !== null && REGULATED.has(region);
