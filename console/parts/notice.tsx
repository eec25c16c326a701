// Refusals and silence, in words. What was typed stays.
import { useEffect, useRef, useState } from 'preact/hooks';
import { hrefOf } from '../address.ts';
import { ApiFailure, busyUntil, NoAnswer, silentSince } from '../api.ts';

/** `shown`: the fields that say by themselves what is wrong with them. */
export function Failure({ error, shown = new Set() }: { readonly error: unknown; readonly shown?: ReadonlySet<string> }) {
  if (!(error instanceof ApiFailure)) {
    return (
      <div class="notice bad" role="alert">
        {error instanceof NoAnswer || !(error instanceof Error)
          ? 'The service does not answer. What you typed is still here.'
          : error.message}
      </div>
    );
  }
  const { status, code, message, requestId } = error;
  const problems = error.problems.filter(({ field }) => !shown.has(field));
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

/** A bar while the service is silent or busy. The data on the page stays. */
export function Silence() {
  const [, tick] = useState(0);
  const since = silentSince.value;
  const until = busyUntil.value;
  useEffect(() => {
    if (since === undefined && until === undefined) return;
    const timer = setInterval(() => tick((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, [since, until]);
  if (since === undefined && until === undefined) return null;
  return (
    <div class="silence" role="status">
      {since === undefined
        ? `The service is busy; asking again in ${Math.max(0, Math.ceil(((until ?? 0) - performance.now()) / 1_000))} s.`
        : `The service does not answer; last heard ${Math.round((performance.now() - since) / 1_000)} s ago.`}
    </div>
  );
}

const SAY_EVERY_MS = 5_000;

/** Told to screen readers, at most every five seconds. */
export function Polite({ text }: { readonly text: string }) {
  const [said, say] = useState('');
  const at = useRef(-SAY_EVERY_MS);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        at.current = performance.now();
        say(text);
      },
      at.current + SAY_EVERY_MS - performance.now(),
    );
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <span class="unseen" aria-live="polite">
      {said}
    </span>
  );
}
