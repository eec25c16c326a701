// Parts of a page that load side by side and appear in their order, so that none moves what is already read.
import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';

export type Part = { readonly key: string; readonly show: (onReady: () => void) => ComponentChildren };

export function Sequence({ parts }: { readonly parts: readonly Part[] }) {
  const [ready, setReady] = useState<ReadonlySet<string>>(new Set());
  const first = parts.findIndex(({ key }) => !ready.has(key));
  const isShown = (at: number) => first < 0 || at < first;
  return (
    <>
      {parts.map(({ key, show }, at) => (
        <div key={key} hidden={!isShown(at)}>
          <Fragment>{show(() => setReady((now) => (now.has(key) ? now : new Set([...now, key]))))}</Fragment>
        </div>
      ))}
      {/* Another element after each part, so that it is not one that moves. */}
      {first >= 0 && (
        <p key={`after ${first}`} class="faint">
          Loading …
        </p>
      )}
    </>
  );
}
