import type { Module } from '../../../module.js';
import { notSentYet } from '../../core/webhooks/schemas.js';
import { BulkCustomerImportJob } from './schemas.js';

export const imports: Module = {
  name: 'identity/imports',
  events: { 'bulk-upload': notSentYet(BulkCustomerImportJob) },
};
