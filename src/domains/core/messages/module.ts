import type { Module } from '../../../module.js';
import { messageJobs } from './jobs.js';
import { messageRoutes } from './routes.js';

export const messages: Module = {
  name: 'core/messages',
  tables: ['messages'],
  create: (context) => ({
    operations: messageRoutes(context),
    jobs: messageJobs({ ...context, messenger: context.messengers.live }),
  }),
};
