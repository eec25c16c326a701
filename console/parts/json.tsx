// JSON as text that can be read and copied.
import { signal } from '@preact/signals';
import type { Json } from '../api.ts';

const copied = signal('');

export async function copy(text: string): Promise<void> {
  // Browsers have it on https and loopback addresses only.
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else copyBySelection(text);
  copied.value = text;
}

function copyBySelection(text: string): void {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  // What is outside of an open dialog cannot be selected.
  const before = document.activeElement as HTMLElement | null;
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  before?.focus();
}

/** Copies a text that is a link. The keyboard copies the id of a row with `y`. */
export const CopyButton = ({ text }: { readonly text: string }) => (
  <button type="button" class="copy-id" tabIndex={-1} aria-label={`Copy ${text}`} title="Copy" onClick={() => void copy(text)}>
    {copied.value === text ? '✓' : '⧉'}
  </button>
);

/** A text that is copied by a click on it; the whole on hover. */
export const Copied = ({ text, shown = text }: { readonly text: string; readonly shown?: string }) => (
  <button type="button" class="id copy" title={`${text}: click to copy`} onClick={() => void copy(text)}>
    {shown}
    {copied.value === text && <span role="status">copied</span>}
  </button>
);

export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <section class="code" aria-label={label}>
      <header>
        <h2>{label}</h2>
        <button type="button" class="plain" onClick={() => void copy(text)}>
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
