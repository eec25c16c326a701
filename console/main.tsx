// The frame: top bar, side rail, the page, and the keys that work everywhere.
import { signal } from '@preact/signals';
import { Component, type ComponentChild, type ComponentChildren, render } from 'preact';
import { useEffect } from 'preact/hooks';
import { hrefOf } from './address.ts';
import { ApiFailure, isTemporary, loadSession, requestIds, type Session, session, signIn, signOut, silentSince } from './api.ts';
import { Frame, Waiting } from './frame.tsx';
import { hasKeys, setKeys } from './keys.ts';
import { clock } from './live.ts';
import { ClockPage } from './pages/clock.tsx';
import { Home } from './pages/home.tsx';
import { Lazy } from './pages/lazy.tsx';
import { ListPage } from './pages/list.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { WebhooksPage } from './pages/webhooks.tsx';
import { ClockText } from './parts/clock.tsx';
import { Silence } from './parts/notice.tsx';
import { Palette, togglePalette } from './parts/palette.tsx';
import { focusRows } from './parts/rows.tsx';
import { resourceOf } from './resources/index.ts';
import type { Resource } from './resources/types.ts';
import { go, place } from './route.ts';
import { setTitle, titleAt } from './title.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl K or ⌘ K', 'go to a page or an id, or take an action'],
  ['/', 'filter'],
  ['j and k', 'next and previous row'],
  ['Home and End', 'first and last row'],
  ['Enter', 'open the row'],
  ['Esc', 'back'],
  ['g then h c k e r t', 'home, cards, keys, events, requests, transactions'],
  ['y', 'copy the id of the row'],
  ['.', 'actions of this object'],
  ['p', 'pause the list'],
  ['[', 'hide or show the rail'],
  ['?', 'this list'],
];
const GO: Readonly<Record<string, string>> = { h: '/home', c: '/cards', k: '/keys', e: '/events', r: '/requests', t: '/transactions' };

const linkFailure = signal<unknown>(undefined);
const isTryingLink = signal(false);
const hasRail = signal(true);

/** A page that cannot be drawn says so. The requests that it made help to find out why. */
class Drawn extends Component<{ readonly children: ComponentChildren }, { readonly error?: Error }> {
  static override getDerivedStateFromError(error: Error) {
    return { error };
  }
  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <>
        <h1>This page cannot be shown</h1>
        <p class="notice bad" role="alert">
          {error.message}
        </p>
        <p>Its requests: {requestIds.filter(Boolean).join(', ')}</p>
      </>
    );
  }
}

/** Pages whose code is loaded with their first visit. */
type Shown = (props: { readonly id: string }) => ComponentChild;
const LAZY: ReadonlyMap<string, () => Promise<Shown>> = new Map<string, () => Promise<Shown>>([
  ['statements', async () => (await import('./pages/statements.tsx')).StatementsPage],
  ['uma', async () => (await import('./pages/tools.tsx')).UmaPage],
  [
    'operations',
    async () => {
      const { OperationPage, OperationsPage } = await import('./pages/tools.tsx');
      return ({ id }) => (id === '' ? <OperationsPage /> : <OperationPage key={id} id={id} />);
    },
  ],
]);
const objectPage = (resource: Resource) => async (): Promise<Shown> => {
  const { ObjectPage } = await import('./pages/object.tsx');
  return ({ id }) => <ObjectPage resource={resource} id={id} />;
};
const LAZY_SANDBOX: typeof LAZY = new Map([
  ['simulate', async () => (await import('./pages/simulate.tsx')).SimulatePage],
  ['signing', async () => (await import('./pages/signing.tsx')).SigningPage],
  ['wallets', async () => (await import('./pages/wallets.tsx')).WalletsPage],
  ['reset', async () => (await import('./pages/reset.tsx')).ResetPage],
]);

function Page() {
  const [, name = '', ...rest] = place.value.path.split('/');
  const resource = resourceOf(name);
  const id = decodeURIComponent(rest.join('/'));
  const isSandbox = session.value?.isSandbox ?? false;
  if (name === 'home') return <Home />;
  if (name === 'clock' && isSandbox) return <ClockPage />;
  if (name === 'webhooks') return <WebhooksPage />;
  if (name === 'keys-help') return <KeysHelp />;
  const lazy = LAZY.get(name) ?? (isSandbox ? LAZY_SANDBOX.get(name) : undefined);
  if (lazy) return <Lazy key={name} load={lazy} id={id} />;
  if (resource && (isSandbox || resource.group !== 'Sandbox'))
    return id === '' ? <ListPage key={name} resource={resource} /> : <Lazy key={`${name}/${id}`} load={objectPage(resource)} id={id} />;
  return <h1>No such page</h1>;
}

const KeysHelp = () => (
  <>
    <header class="page-head">
      <h1>Keyboard</h1>
    </header>
    <dl class="members">
      {KEYS.map(([key, what]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <label class="check">
      <input type="checkbox" checked={hasKeys.value} onChange={({ currentTarget }) => setKeys(currentTarget.checked)} />
      Keys of one letter are on. Ctrl K always is.
    </label>
  </>
);

/** What the build has drawn into the page: the form of the sign-in, or the frame of one of the modes. */
const isSignedOut = document.querySelector('.sign-in') !== null;
const isLive = document.querySelector('.is-live') !== null;

function App() {
  // On a small screen the rail is one row, of which a part is seen.
  useEffect(
    () => document.querySelector('.rail a[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    [place.value.path, session.value],
  );
  const isSignIn = session.value === null || (session.value === undefined && isSignedOut);
  useEffect(() => setTitle(isSignIn ? 'Sign in' : titleAt(place.value.path)), [place.value.path, isSignIn]);
  if (isSignIn)
    return (
      <>
        <Silence />
        <SignIn failed={linkFailure.value} isTrying={isTryingLink.value} />
      </>
    );
  const { isSandbox = !isLive, access, tokenName }: Partial<Session> = session.value ?? {};
  return (
    <>
      <Frame
        top={{
          isSandbox,
          onSearch: togglePalette,
          onTheme: toggleTheme,
          onSignOut: () => void signOut(),
          children: (
            <>
              {access === 'read-only' && <span class="badge neutral">read-only</span>}
              {clock.value && (
                <a class="clock" href={hrefOf('/clock')} title="Clock of the platform">
                  <ClockText />
                </a>
              )}
              {tokenName !== undefined && <span class="faint">{tokenName}</span>}
            </>
          ),
        }}
        here={`/${place.value.path.split('/')[1]}`}
        hasRail={hasRail.value}
        bar={<Silence />}
        isStale={silentSince.value !== undefined}
      >
        {session.value === undefined ? (
          <Waiting />
        ) : (
          <Drawn key={place.value.path}>
            <Page />
          </Drawn>
        )}
      </Frame>
      <Palette />
    </>
  );
}

// ---- theme

function applyTheme(theme: string | null): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
}

function toggleTheme(): void {
  const isDark =
    document.documentElement.dataset['theme'] === 'dark' ||
    (document.documentElement.dataset['theme'] === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
  const theme = isDark ? 'light' : 'dark';
  localStorage.setItem('theme', theme);
  applyTheme(theme);
}

// ---- keys

let isGoing = false;

/** On a small screen the filters stand behind a button. */
function focusFilter(): void {
  document.querySelector<HTMLElement>('.filters-fold[aria-expanded="false"]')?.click();
  setTimeout(() => document.querySelector<HTMLElement>('.filters input, .filters select')?.focus());
}

addEventListener('keydown', (event) => {
  if ((event.metaKey || event.ctrlKey) && event.key === 'k') {
    event.preventDefault();
    togglePalette();
    return;
  }
  const target = event.target as HTMLElement;
  if (
    !session.value ||
    !hasKeys.value ||
    /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName) ||
    target.closest('dialog') ||
    event.metaKey ||
    event.ctrlKey
  )
    return;
  if (isGoing) {
    isGoing = false;
    const path = GO[event.key];
    if (path) go(path);
    return;
  }
  switch (event.key) {
    case 'g':
      isGoing = true;
      break;
    case '/':
      event.preventDefault();
      focusFilter();
      break;
    case 'j':
    case 'k':
      if (!target.closest('tbody')) focusRows();
      break;
    case 'p':
      document.querySelector<HTMLElement>('[data-key="p"]')?.click();
      break;
    case '.':
      document.querySelector<HTMLElement>('[data-actions] button')?.focus();
      break;
    case '[':
      hasRail.value = !hasRail.value;
      break;
    case 'Escape':
      history.back();
      break;
    case '?':
      go('/keys-help');
      break;
  }
});

// ---- start

/** The code of a link is taken out of the address bar before anything is sent. */
async function signInByLink(): Promise<void> {
  const [, code] = /^#login=([\w-]+)$/.exec(location.hash) ?? [];
  if (code === undefined) return;
  history.replaceState(null, '', location.pathname);
  isTryingLink.value = true;
  await signIn({ code }).catch((error) => {
    linkFailure.value = error;
  });
  isTryingLink.value = false;
}

async function start(): Promise<void> {
  await signInByLink();
  for (;;) {
    try {
      // Also without a cookie in the request of the page: none is sent after a link of another site.
      if (!session.value) await loadSession();
      return;
    } catch (error) {
      if (error instanceof ApiFailure && !isTemporary(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

applyTheme(localStorage.getItem('theme'));
render(<App />, document.getElementById('app') as HTMLElement);
void start();
