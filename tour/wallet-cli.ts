// `npm run -s wallet -- …`: creates the end user's keys and signatures on the command line.
import { readFileSync } from 'node:fs';
import {
  CHAINS,
  type Chain,
  type ChainWallet,
  encryptOtp,
  newSessionKey,
  newWallet,
  type SessionKey,
  signMessage,
  stamp,
} from './end-user.js';

const USAGE = `usage:
  npm run -s wallet -- new ethereum|solana|bitcoin      a wallet, as JSON
  npm run -s wallet -- sign WALLET_FILE MESSAGE          its signature over a message
  npm run -s wallet -- session-key                       a session key pair, as JSON
  npm run -s wallet -- otp KEY_FILE BUNDLE CODE          a one-time code, encrypted to the service
  npm run -s wallet -- stamp KEY_FILE PAYLOAD            the value of Service-Wallet-Signature
A file name of - reads standard input.`;

const read = <T>(file = ''): T => JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8')) as T;

const COMMANDS: Readonly<Record<string, (...words: (string | undefined)[]) => string | Promise<string>>> = {
  new: (chain) => {
    if (!CHAINS.includes(chain as Chain)) throw new Error(USAGE);
    return JSON.stringify(newWallet(chain as Chain), null, 2);
  },
  sign: (file, message = '') => signMessage(read<ChainWallet>(file), message),
  'session-key': () => JSON.stringify(newSessionKey(), null, 2),
  otp: (file, bundle = '', code = '') => encryptOtp(bundle, read<SessionKey>(file), code),
  stamp: (file, payload = '') => stamp(read<SessionKey>(file), payload),
};

const [command = '', ...words] = process.argv.slice(2);
try {
  const run = COMMANDS[command];
  if (!run) throw new Error(USAGE);
  process.stdout.write(`${await run(...words)}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
