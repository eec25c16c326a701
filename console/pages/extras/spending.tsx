// What a card has spent today, beside its limits.
import { useEffect, useState } from 'preact/hooks';
import { call, type Item } from '../../api.ts';
import { Failure } from '../../parts/notice.tsx';
import { money } from '../../parts/value.tsx';
import { encoded } from '../../resources/shared.ts';

type Used = { readonly label: string; readonly used: string; readonly limit: string; readonly share: number | undefined };

function usedOf({ spent, purchases, limits }: Item): readonly Used[] {
  const { maxSpendPerTransaction: one, maxSpendPerDay: day, maxTransactionsPerDay: count } = (limits ?? {}) as Item;
  const amount = Number((spent as Item | undefined)?.['amount'] ?? 0);
  const share = (used: number, limit: unknown) => (limit == null ? undefined : Math.min(1, used / Math.max(1, Number(limit))));
  const shown = (limit: unknown) => money({ ...(spent as Item), amount: Number(limit) });
  const ofLimit = (limit: string | undefined) => (limit === undefined ? 'no limit' : `of ${limit}`);
  return [
    {
      label: 'Spent today',
      used: money(spent ?? {}),
      limit: ofLimit(day == null ? undefined : shown(day)),
      share: share(amount, day),
    },
    {
      label: 'Purchases today',
      used: String(purchases),
      limit: ofLimit(count == null ? undefined : String(count)),
      share: share(Number(purchases), count),
    },
    { label: 'Most in one purchase', used: one == null ? 'no limit' : shown(one), limit: '', share: undefined },
  ];
}

type Props = { readonly card: Item; readonly version: number; readonly onReady: () => void };

export function Spending({ card, version, onReady }: Props) {
  const [found, setFound] = useState<Item | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    call('GET', `/cards/${encoded(card)}/spending`)
      .then((answer) => {
        setFound(answer);
        setError(undefined);
      }, setError)
      .finally(onReady);
  }, [version]);
  if (error !== undefined) return <Failure error={error} />;
  if (!found) return null;
  return (
    <section class="related">
      <h2>Limits used on {String(found['day'])}</h2>
      <dl class="members">
        {usedOf(found).map(({ label, used, limit, share }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {used} <span class="faint">{limit}</span>
              {share !== undefined && <meter value={share} high={0.9} aria-label={`${label}, share of the limit`} />}
            </dd>
          </div>
        ))}
      </dl>
      <p class="hint">The lower of the limits of the card and of the platform holds. The day is that of UTC.</p>
    </section>
  );
}
