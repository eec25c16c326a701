// Test wallets of this tab. Their keys are kept in memory and end with the page.
import { signal } from '@preact/signals';
import type { Chain, Wallet } from '../client/wallets.ts';

const load = () => import('../client/wallets.ts');

export const CHAINS: readonly Chain[] = ['ethereum', 'solana', 'bitcoin'];
export const wallets = signal<readonly Wallet[]>([]);

export async function addWallet(chain: Chain): Promise<Wallet> {
  const wallet = (await load()).newWallet(chain);
  wallets.value = [...wallets.value, wallet];
  return wallet;
}

export const walletAt = (address: string): Wallet | undefined => wallets.value.find((one) => one.address === address);
