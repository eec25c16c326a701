// The palette: pages by name, actions of the page and what can be created, and any id that is pasted leads to its page.
// It opens and chooses at once and not with the next rendering, so that keys that follow quickly are not lost.
import { computed, signal } from '@preact/signals';
import { createRef } from 'preact';
import { list, session } from '../api.ts';
import { isOffered } from '../operation.ts';
import { groupsOf, linksOf, pageOf, RESOURCES } from '../resources/index.ts';
import { go } from '../route.ts';
import { opened } from './form.tsx';

/** `act` runs after the page of `path` is shown; without a path, on the page that is there. */
type Target = { readonly label: string; readonly path?: string; readonly act?: () => void };

const pages = computed<readonly Target[]>(() => [
  { label: 'Home', path: '/home' },
  ...groupsOf(session.value?.isSandbox ?? false)
    .flatMap(linksOf)
    .map(({ title, path }) => ({ label: title, path })),
  { label: 'Keyboard', path: '/keys-help' },
]);

/** What this session may create, each on the page of its list. */
const creations = computed<readonly Target[]>(() =>
  RESOURCES.flatMap(({ name, create, group }) =>
    create && isOffered(create, {}) && groupsOf(session.value?.isSandbox ?? false).includes(group)
      ? [
          {
            label: create.label,
            path: `/${name}`,
            act: () => {
              opened.value = create;
            },
          },
        ]
      : [],
  ),
);

/** The actions of the page that is shown. */
const actions = signal<readonly Target[]>([]);

const actionsHere = (): readonly Target[] =>
  [...document.querySelectorAll<HTMLButtonElement>('main [data-actions] button')].map((button) => ({
    label: button.textContent ?? '',
    act: () => button.click(),
  }));

const dialog = createRef<HTMLDialogElement>();
const input = createRef<HTMLInputElement>();
const text = signal('');
const chosen = signal(0);
const found = computed<readonly Target[]>(() => {
  const page = pageOf(text.value);
  if (page !== undefined) return [{ label: `Open ${text.value}`, path: page }];
  const here = new Set(actions.value.map(({ label }) => label));
  const named = [...actions.value, ...pages.value, ...creations.value.filter(({ label }) => text.value !== '' && !here.has(label))];
  return [...named.filter(({ label }) => label.toLowerCase().includes(text.value.toLowerCase())), ...people.value];
});

/** Customers whose name, e-mail address or id begins with the text. */
const people = signal<readonly Target[]>([]);

async function search(wanted: string): Promise<void> {
  if (wanted.length < 2 || pageOf(wanted) !== undefined) {
    people.value = [];
    return;
  }
  const { data } = await list('/search', new URLSearchParams({ q: wanted, limit: '8' })).catch(() => ({ data: [] }));
  if (wanted !== text.value) return;
  people.value = data.flatMap((one) => {
    const id = String(one['id']);
    const path = pageOf(id);
    return path === undefined ? [] : [{ label: String(one['name'] ?? id), path }];
  });
}

function setText(value: string): void {
  text.value = value.trim();
  chosen.value = 0;
  void search(text.value);
}

export function togglePalette(): void {
  if (dialog.current === null || input.current === null) return;
  if (dialog.current.open) {
    dialog.current.close();
    return;
  }
  input.current.value = '';
  actions.value = actionsHere();
  setText('');
  dialog.current.showModal();
}

function choose(target: Target | undefined): void {
  dialog.current?.close();
  if (target?.path !== undefined) go(target.path);
  target?.act?.();
}

function onKey(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (event.key !== 'Enter' && step === 0) return;
  event.preventDefault();
  if (step === 0) choose(found.value[chosen.value]);
  else chosen.value = Math.max(0, Math.min(found.value.length - 1, chosen.value + step));
}

export const Palette = () => (
  <dialog ref={dialog} class="palette" aria-label="Go to">
    <input
      ref={input}
      aria-label="Page, action or id"
      placeholder="Page or action, or paste an id"
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={onKey}
    />
    <ul>
      {found.value.map((target, index) => (
        <li key={`${target.path} ${target.label}`}>
          <button type="button" class={index === chosen.value ? 'chosen' : ''} onClick={() => choose(target)}>
            {target.label} {target.act && <span class="faint">action</span>}
          </button>
        </li>
      ))}
    </ul>
    {found.value.length === 0 && <p class="faint">Nothing has this name or id.</p>}
  </dialog>
);
