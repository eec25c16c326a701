// JSON as text that can be read and copied.
import { signal } from '@preact/signals';
import type { Json } from '../api.ts';

const copied = signal('');

export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    copied.value = text;
  };
  return (
    <section class="code" aria-label={label}>
      <header>
        <h2>{label}</h2>
        <button type="button" class="plain" onClick={copy}>
          {copied.value === text ? 'Copied' : 'Copy'}
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard. */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}

export const JsonBlock = ({ value, label }: { readonly value: Json; readonly label: string }) => (
  <Code text={JSON.stringify(value, null, 2)} label={label} />
);

/** Indents text that is JSON; leaves a text that was cut as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
