import type { Module } from '../../../module.js';
import { notSentYet } from '../../core/webhooks/schemas.js';
import { Verification } from './schemas.js';

export const verifications: Module = {
  name: 'identity/verifications',
  events: { 'verification-update': notSentYet(Verification) },
};
