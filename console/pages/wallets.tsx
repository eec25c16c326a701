// Test wallets: made in this tab, registered as an account of a customer, and used to prove that account.
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { Failure } from '../parts/notice.tsx';
import { go } from '../route.ts';
import { addWallet, CHAINS, wallets } from '../wallets.ts';

const CURRENCY = { ethereum: 'USDC', solana: 'USDC', bitcoin: 'BTC' } as const;

export function WalletsPage() {
  const [chain, setChain] = useState<(typeof CHAINS)[number]>('ethereum');
  const [customerId, setCustomerId] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const create = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const wallet = await addWallet(chain);
      const account = await call('POST', '/customers/external-accounts', {
        customerId: customerId.trim(),
        currency: CURRENCY[chain],
        ownershipType: 'FIRST_PARTY',
        accountInfo: { accountType: wallet.accountType, address: wallet.address },
      });
      go(`/external-accounts/${account['id']}`);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <>
      <header class="page-head">
        <h1>Test wallets</h1>
      </header>
      <p class="hint">A wallet is made in this tab and added as an external account. Its key stays in the tab and ends with it.</p>
      <form onSubmit={create} class="narrow">
        <div class="field">
          <label for="customer">Customer</label>
          <input
            id="customer"
            required
            value={customerId}
            placeholder="Customer:…"
            onInput={({ currentTarget }) => setCustomerId(currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="chain">Chain</label>
          <select
            id="chain"
            value={chain}
            onChange={({ currentTarget }) => setChain(CHAINS.find((one) => one === currentTarget.value) ?? 'ethereum')}
          >
            {CHAINS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </div>
        {error !== undefined && <Failure error={error} />}
        <button type="submit" class="primary" disabled={isBusy}>
          Make a wallet
        </button>
      </form>
      {wallets.value.length > 0 && (
        <section class="related">
          <h2>Wallets of this tab</h2>
          <ul>
            {wallets.value.map(({ chain: of, address }) => (
              <li key={address}>
                {of} <span class="mono breaks">{address}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
