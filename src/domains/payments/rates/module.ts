import type { Module } from '../../../module.js';

export const rates: Module = { name: 'payments/rates' };
