// Which banks and mobile wallets a list shows. Pure.
import type { CurrencyCode } from '../../../kernel/money.js';
import { INSTITUTIONS, type Institution } from '../../accounts/external-accounts/actions.js';

/** Both filters narrow the list; without any it is complete. */
export const findInstitutions = (filter: { readonly country?: string; readonly currency?: CurrencyCode }): readonly Institution[] =>
  INSTITUTIONS.filter(
    ({ country, currency }) =>
      (filter.country === undefined || filter.country === country) && (filter.currency === undefined || filter.currency === currency),
  );
