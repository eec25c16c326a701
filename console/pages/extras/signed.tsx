// A signed request: the legs of its operation, the time that is left, and what is signed, laid out and byte for byte.
import { useEffect, useState } from 'preact/hooks';
import { hrefOf } from '../../address.ts';
import type { Item, Json } from '../../api.ts';
import { loadForms } from '../../document.ts';
import { Countdown } from '../../parts/countdown.tsx';
import { Code } from '../../parts/json.tsx';
import { Members } from '../../parts/members.tsx';
import { text } from '../../resources/shared.ts';

function laidOut(payload: string): Item | undefined {
  try {
    const value = JSON.parse(payload) as Json;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Item) : undefined;
  } catch {
    return undefined;
  }
}

export function Signed({ request, onReady }: { readonly request: Item; readonly onReady: () => void }) {
  const payload = text(request, 'payloadToSign');
  // How often the owner is asked, as the document says.
  const [signatures, setSignatures] = useState(Number(request['leg']));
  useEffect(() => {
    loadForms()
      .then(
        ({ operations }) => setSignatures(operations.get(text(request, 'operation'))?.signatures ?? signatures),
        () => undefined,
      )
      .finally(onReady);
  }, []);
  // The first leg asks; each further one carries a signature.
  const now = Number(request['leg']) + 1;
  const isOpen = request['status'] === 'OPEN';
  const done = (leg: number) => leg < now || (leg === now && request['status'] === 'USED');
  const members = laidOut(payload);
  return (
    <section class="related">
      <h2>
        Leg {now} of {signatures + 1} {isOpen && <Countdown until={text(request, 'expiresAt')} />}
      </h2>
      <ol class="legs">
        {Array.from({ length: signatures + 1 }, (_, at) => at + 1).map((leg) => (
          <li key={leg} class={done(leg) ? 'done' : leg === now ? 'now' : ''}>
            {leg === 1 ? 'asked' : `signature ${leg - 1}`}{' '}
            {done(leg) ? 'done' : leg === now ? text(request, 'status').toLowerCase() : 'later'}
          </li>
        ))}
      </ol>
      {isOpen && (
        <p>
          <a href={hrefOf(`/signing?accountId=${text(request, 'internalAccountId')}`)}>Sign at the desk of the wallet</a>
        </p>
      )}
      {members && <Members object={members} />}
      <Code label="To be signed, byte for byte" text={payload} />
    </section>
  );
}
