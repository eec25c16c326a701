// The palette: pages by name, and any id that is pasted leads to its page.
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { pageOf, RESOURCES } from '../describe.ts';
import { go } from '../route.ts';

export const isPaletteOpen = signal(false);

const PAGES: readonly { readonly label: string; readonly path: string }[] = [
  { label: 'Home', path: '/home' },
  ...RESOURCES.map(({ title, name }) => ({ label: title, path: `/${name}` })),
  { label: 'Webhooks', path: '/webhooks' },
  { label: 'Clock', path: '/clock' },
  { label: 'Keyboard', path: '/keys-help' },
];

export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (isPaletteOpen.value) {
      setText('');
      setAt(0);
      dialog.current?.showModal();
    } else dialog.current?.close();
  }, [isPaletteOpen.value]);
  const page = pageOf(text.trim());
  const found =
    page === undefined
      ? PAGES.filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()))
      : [{ label: `Open ${text.trim()}`, path: page }];
  const choose = (path: string | undefined) => {
    isPaletteOpen.value = false;
    if (path !== undefined) go(path);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      choose(found[at]?.path);
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(found.length - 1, at + step)));
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to"
      onClose={() => {
        isPaletteOpen.value = false;
      }}
    >
      <input
        aria-label="Page or id"
        placeholder="Page, or paste an id"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <ul>
        {found.map(({ label, path }, index) => (
          <li key={path}>
            <button type="button" class={index === at ? 'chosen' : ''} onClick={() => choose(path)}>
              {label}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="faint">Nothing has this name or id.</p>}
    </dialog>
  );
}
