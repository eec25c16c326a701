// Exchange rates, and changes of the sandbox market.
import type { Db } from '../../../db/pool.js';
import { type Operation, ok, operation } from '../../../http/operation.js';
import type { RailProvider } from '../../../providers/rails.js';
import type { RateProvider } from '../../../providers/rates.js';
import { moveSandboxRate } from '../../../providers/sandbox-rates.js';
import { listRates } from './list.js';
import { checkRateChange } from './rules.js';
import {
  ExchangeRateListResponse,
  ExchangeRateQuery,
  RateChangeRequest,
  renderWithdrawalFee,
  SandboxRate,
  WithdrawalFeeRequest,
  WithdrawalFeeResponse,
} from './schemas.js';
import { estimateWithdrawal } from './withdrawal.js';

export type RateDeps = { readonly db: Db; readonly rates: RateProvider; readonly rails: RailProvider };

export const rateRoutes = ({ db, rates, rails }: RateDeps): Operation[] => [
  operation({
    id: 'getExchangeRates',
    method: 'GET',
    path: '/exchange-rates',
    tag: 'Exchange Rates',
    summary: 'List exchange rates',
    permission: 'VIEW',
    query: ExchangeRateQuery,
    success: { 200: ExchangeRateListResponse },
    errors: ['INVALID_CURRENCY', 'NOT_IMPLEMENTED'],
    handle: async ({ platformId, query, now }) => ok({ data: await listRates({ db, rates }, platformId, query, now) }),
  }),
  operation({
    id: 'sandboxUpdateExchangeRate',
    method: 'PUT',
    path: '/sandbox/exchange-rates',
    tag: 'Sandbox',
    summary: 'Move one currency of the sandbox market',
    permission: 'MANAGE',
    sandbox: true,
    body: RateChangeRequest,
    success: { 200: SandboxRate },
    write: async (tx, { platformId, body, now }) => ok(await moveSandboxRate(tx, platformId, checkRateChange(body), now)),
  }),
  operation({
    id: 'estimateCryptoWithdrawalFee',
    method: 'POST',
    path: '/crypto/estimate-withdrawal-fee',
    tag: 'Cross-Currency Transfers',
    summary: 'Estimate the fee of a crypto withdrawal',
    command: 'crypto estimate-withdrawal-fee',
    permission: 'VIEW',
    body: WithdrawalFeeRequest,
    success: { 200: WithdrawalFeeResponse },
    errors: ['ACCOUNT_NOT_FOUND', 'INVALID_CURRENCY', 'AMOUNT_OUT_OF_RANGE', 'NOT_IMPLEMENTED'],
    handle: async ({ platformId, body }) => ok(renderWithdrawalFee(await estimateWithdrawal({ db, rates, rails }, platformId, body))),
  }),
];
