// The service with a card issuer that takes a second to answer a change of a card.
import { pino } from 'pino';
import { readConfig } from '../src/config.js';
import { startService } from '../src/service.js';

const ANSWERS_AFTER_MS = 1_000;

const config = readConfig(process.env);
const service = await startService(config, pino({ level: config.logLevel }, pino.destination(2)), ({ issuer }) => ({
  issuer: { ...issuer, instruct: () => new Promise((resolve) => setTimeout(resolve, ANSWERS_AFTER_MS)) },
}));
process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)));
process.stdout.write(`Base URL  ${service.baseUrl}\n`);
