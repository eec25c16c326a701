import type { Module } from '../../../module.js';
import { discoveryRoutes } from './routes.js';

export const discoveries: Module = { name: 'payments/discoveries', create: () => ({ operations: discoveryRoutes() }) };
