// Refusals and silence, in words. What was typed stays.
import { useEffect, useState } from 'preact/hooks';
import { ApiFailure, silentSince } from '../api.ts';
import { hrefOf } from '../route.ts';

export function Failure({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiFailure)) {
    return (
      <div class="notice bad" role="alert">
        The service does not answer.
      </div>
    );
  }
  const { status, code, message, problems, requestId } = error;
  return (
    <div class="notice bad" role="alert">
      <strong>
        {status === 403 ? 'This token may not do that.' : message} <span class="mono">{code}</span>
      </strong>
      {problems.length > 0 && (
        <ul>
          {problems.map(({ field, message: why }) => (
            <li key={field}>
              <span class="mono">{field}</span> {why}
            </li>
          ))}
        </ul>
      )}
      {requestId !== '' && (
        <p>
          Request <a href={hrefOf(`/requests/${requestId}`)}>{requestId}</a>
        </p>
      )}
    </div>
  );
}

/** A bar while the service is silent. The data on the page stays. */
export function Silence() {
  const [, tick] = useState(0);
  const since = silentSince.value;
  useEffect(() => {
    if (since === undefined) return;
    const timer = setInterval(() => tick((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, [since]);
  if (since === undefined) return null;
  return (
    <div class="silence" role="status">
      The service does not answer; last heard {Math.round((performance.now() - since) / 1_000)} s ago.
    </div>
  );
}
