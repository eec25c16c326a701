// The interface of rates for the domains that price payments.
export {
  bandOf,
  conversionFee,
  dailyLimitOf,
  equivalentOf,
  isAbove,
  NETWORKS_OF,
  networkFeeIn,
  platformFee,
  priceOf,
  priceReceiving,
  priceSending,
  rateBetween,
  rateDetailsOf,
  SERVICE_TERMS,
  shownRate,
  unitsOfUsd,
} from './rules.js';
