// Regions in which the law asks for verified contacts and for strong customer authentication: the European Economic Area. Pure.
import type { Customer } from './customer.js';

const REGULATED_REGIONS: ReadonlySet<string> = new Set(
  'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE IS LI NO'.split(' '),
);

/** A customer without a region is in none. The region is given at creation and never changes. */
export const isInRegulatedRegion = ({ region }: Pick<Customer, 'region'>): boolean => region !== null && REGULATED_REGIONS.has(region);

export type ContactChannel = 'EMAIL' | 'PHONE';

/** The channels that still have to be verified; none outside a regulated region. */
export function unverifiedChannels(customer: Customer): ContactChannel[] {
  if (!isInRegulatedRegion(customer)) return [];
  return [
    ...(customer.emailVerifiedAt === null ? (['EMAIL'] as const) : []),
    ...(customer.phoneVerifiedAt === null ? (['PHONE'] as const) : []),
  ];
}
