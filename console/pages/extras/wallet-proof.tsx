// Proof that a wallet belongs to the customer: the message of the service, signed by the test wallet of this tab.

import { hrefOf } from '../../address.ts';
import { call, type Item, may, session } from '../../api.ts';
import { Failure } from '../../parts/notice.tsx';
import { useTurn } from '../../parts/turn.ts';
import { encoded, text } from '../../resources/shared.ts';
import { walletAt } from '../../wallets.ts';

export function WalletProof({ account, onChanged }: { readonly account: Item; readonly onChanged: () => void }) {
  const { error, isBusy, run } = useTurn();
  const address = text((account['accountInfo'] ?? {}) as Item, 'address');
  if (address === '' || account['status'] === 'ACTIVE' || !session.value?.isSandbox || !may('MANAGE')) return null;
  const wallet = walletAt(address);
  if (!wallet)
    return (
      <p class="hint">
        A <a href={hrefOf('/wallets')}>test wallet</a> of this tab can prove its own accounts. This address belongs to none.
      </p>
    );
  const prove = () =>
    run(async () => {
      const owner = account['customerId'] === undefined ? 'platform' : 'customers';
      const path = `/${owner}/external-accounts/${encoded(account)}`;
      const { messageToSign } = await call('POST', `${path}/challenge`, { method: 'WALLET_SIGNATURE' });
      await call('POST', `${path}/verify`, { signature: await wallet.sign(String(messageToSign)) });
      onChanged();
    });
  return (
    <section class="related">
      <h2>Proof of ownership</h2>
      {error !== undefined && <Failure error={error} />}
      <button type="button" class="primary" disabled={isBusy} onClick={() => void prove()}>
        Prove with the test wallet
      </button>
    </section>
  );
}
