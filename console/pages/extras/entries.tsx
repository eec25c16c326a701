// The entries of an account in this month, with the balance after each. The table is that of the statements.
import { useEffect, useState } from 'preact/hooks';
import { hrefOf } from '../../address.ts';
import type { Item } from '../../api.ts';
import { money } from '../../parts/value.tsx';
import { encoded, text } from '../../resources/shared.ts';

type Shown = typeof import('../statements.tsx')['ThisMonth'];

const heldOf = ({ balance, totalBalance }: Item): Item => ({
  ...(balance as Item),
  amount: Number((totalBalance as Item | undefined)?.['amount'] ?? 0) - Number((balance as Item | undefined)?.['amount'] ?? 0),
});

type Props = { readonly account: Item; readonly version: number; readonly onReady: () => void };

export function Entries({ account, version, onReady }: Props) {
  const [page, setPage] = useState<{ readonly Shown: Shown } | undefined>();
  useEffect(() => {
    import('../statements.tsx').then(({ ThisMonth }) => setPage({ Shown: ThisMonth }), onReady);
  }, []);
  return (
    <section class="related">
      <h2>
        <a href={hrefOf(`/statements?accountId=${encoded(account)}`)}>Entries of this month</a>
      </h2>
      <p>
        Held for authorizations and payments: <span class="number">{money(heldOf(account))}</span>
      </p>
      {page && <page.Shown accountId={text(account, 'id')} version={version} onReady={onReady} />}
    </section>
  );
}
