// How deliveries to the endpoint went in the last day of the platform's clock.
import { useEffect, useState } from 'preact/hooks';
import { hrefOf } from '../address.ts';
import { list, revival } from '../api.ts';
import { clockNow } from '../live.ts';
import { Failure } from './notice.tsx';

const DAY_MS = 86_400_000;
const COUNTED = [
  ['DELIVERED', 'ok'],
  ['PENDING', 'warn'],
  ['FAILED', 'bad'],
] as const;

export function Health({ onReady = () => undefined }: { readonly onReady?: () => void }) {
  const [counts, setCounts] = useState<readonly string[] | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const createdAfter = new Date(clockNow() - DAY_MS).toISOString();
    const count = async (deliveryStatus: string) => {
      const { totalCount, data } = await list('/webhooks/events', new URLSearchParams({ deliveryStatus, createdAfter, limit: '1' }));
      // A list counts up to 10,000.
      return totalCount?.toLocaleString('en-US') ?? (data.length > 0 ? '10,000+' : '0');
    };
    Promise.all(COUNTED.map(([status]) => count(status)))
      .then(setCounts, setError)
      .finally(onReady);
  }, [revival.value]);
  if (error !== undefined) return <Failure error={error} />;
  return (
    <section class="related">
      <h2>Deliveries of the last day</h2>
      <p class="counts">
        {COUNTED.map(([status, tone], at) => (
          <a
            key={status}
            href={hrefOf(`/events?deliveryStatus=${status}`)}
            class={`badge ${counts === undefined || counts[at] === '0' ? 'neutral' : tone}`}
          >
            {counts?.[at] ?? '–'} {status.toLowerCase()}
          </a>
        ))}
      </p>
    </section>
  );
}
