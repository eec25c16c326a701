import type { Module } from '../../../module.js';
import { rateRoutes } from './routes.js';

export const rates: Module = {
  name: 'payments/rates',
  create: ({ db, rates: provider, rails }) => ({ operations: rateRoutes({ db, rates: provider, rails }) }),
};
