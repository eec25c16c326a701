// Test wallets on the command line: make one, sign with it, prove that an account is its own.
import type { StoredWallet, Wallet } from '../../client/wallets.js';
import { usage } from '../exit.js';
import { type Context, callerOf } from '../operation-command.js';
import type { OwnFlags } from '../own.js';
import { readJson, writeSecretFile } from '../session.js';
import { show } from '../show.js';

const load = () => import('../../client/wallets.js');

async function readWallet(file: string): Promise<Wallet> {
  const { CHAINS, importWallet } = await load();
  const { chain, privateKey } = readJson<Partial<StoredWallet>>(file);
  const known = CHAINS.find((one) => one === chain);
  if (!known || typeof privateKey !== 'string' || !/^(0x)?[0-9a-f]{64}$/i.test(privateKey))
    throw usage(`${file} is no wallet: \`switchyard wallet new\` makes one`);
  return importWallet({ chain: known, privateKey });
}

export async function create({ output, globals }: Context, [chain]: readonly string[], flags: OwnFlags): Promise<void> {
  const { CHAINS, newWallet } = await load();
  const known = CHAINS.find((one) => one === chain);
  if (!known) throw usage(`usage: switchyard wallet new ${CHAINS.join('|')} [--out FILE]`);
  const wallet = newWallet(known).toJSON();
  const { out } = flags;
  if (out === undefined || out === true) return output.write(JSON.stringify(wallet, null, 2));
  writeSecretFile(out, wallet);
  const { privateKey: _secret, ...shown } = wallet;
  show(output, shown, { path: globals['jq-path'] as string | undefined });
}

export async function sign({ output }: Context, [file, message]: readonly string[]): Promise<void> {
  if (file === undefined || message === undefined) throw usage('usage: switchyard wallet sign WALLET_FILE MESSAGE');
  output.write(await (await readWallet(file)).sign(message));
}

export async function verify(context: Context, [account]: readonly string[], flags: OwnFlags): Promise<void> {
  const file = flags['wallet'];
  if (account === undefined || typeof file !== 'string') throw usage('usage: switchyard wallet verify EXTERNAL_ACCOUNT --wallet FILE');
  const { output } = context;
  const caller = callerOf(context);
  const wallet = await readWallet(file);
  const path = `/customers/external-accounts/${encodeURIComponent(account)}`;
  const before = (await caller.call({ method: 'GET', path })).body;
  const challenge = (await caller.call({ method: 'POST', path: `${path}/challenge`, body: { method: 'WALLET_SIGNATURE' } })).body;
  const signature = await wallet.sign(challenge.messageToSign);
  const verified = (await caller.call({ method: 'POST', path: `${path}/verify`, body: { signature } })).body;
  if (output.isText) output.write(`${before.status} → ${verified.status}`);
  else show(output, verified, { path: context.globals['jq-path'] as string | undefined });
}
