// The frame of every page and the form of the sign-in, without anything that a browser must run. The build draws both into the pages that
// are served, so that they are seen before the script has come; the script then draws the same with what it knows.
import type { ComponentChildren } from 'preact';
import { hrefOf } from './address.ts';
import { groupsOf, linksOf } from './resources/index.ts';

export type TopProps = {
  readonly isSandbox: boolean;
  readonly onSearch?: () => void;
  readonly onTheme?: () => void;
  readonly onSignOut?: () => void;
  /** What the session adds, at the right. */
  readonly children?: ComponentChildren;
};

const Top = ({ isSandbox, onSearch, onTheme, onSignOut, children }: TopProps) => (
  <header class="top">
    <strong>Switchyard</strong>
    <span class={`badge ${isSandbox ? 'info' : 'bad'}`}>{isSandbox ? 'sandbox' : 'live'}</span>
    <button type="button" class="search" onClick={onSearch}>
      Go to … <kbd>Ctrl K</kbd>
    </button>
    <span class="spacer" />
    {children}
    <button type="button" class="plain" onClick={onTheme} aria-label="Light or dark" title="Light or dark">
      {/* Drawn: the search for a font that has such a sign would delay the first paint. */}
      <svg class="half" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
        <circle cx="7" cy="7" r="6" />
        <path d="M7 1a6 6 0 0 1 0 12z" />
      </svg>
    </button>
    <button type="button" class="plain" onClick={onSignOut}>
      Sign out
    </button>
  </header>
);

const Rail = ({ isSandbox, here }: { readonly isSandbox: boolean; readonly here: string | undefined }) => (
  <nav class="rail" aria-label="Pages">
    <div class="rail-inner">
      <a href={hrefOf('/home')} aria-current={here === '/home' ? 'page' : undefined}>
        Home
      </a>
      {groupsOf(isSandbox).map((group) => (
        <div key={group} class="rail-group">
          <h2>{group}</h2>
          {linksOf(group).map(({ title, path }) => (
            <a key={path} href={hrefOf(path)} aria-current={here === path ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </div>
      ))}
    </div>
  </nav>
);

export type FrameProps = {
  readonly top: TopProps;
  /** The page that the rail marks. */
  readonly here?: string;
  readonly hasRail?: boolean;
  /** A bar below the top. */
  readonly bar?: ComponentChildren;
  readonly isStale?: boolean;
  readonly children: ComponentChildren;
};

export const Frame = ({ top, here, hasRail = true, bar, isStale = false, children }: FrameProps) => (
  <div class={['app', !top.isSandbox && 'is-live', !hasRail && 'no-rail'].filter(Boolean).join(' ')}>
    <a class="skip" href="#page">
      Skip to the page
    </a>
    <Top {...top} />
    {bar}
    {hasRail && <Rail isSandbox={top.isSandbox} here={here} />}
    <main id="page" tabIndex={-1} class={isStale ? 'stale' : undefined}>
      {children}
    </main>
  </div>
);

export type SignInProps = {
  readonly tokenId?: string;
  readonly secret?: string;
  readonly isBusy: boolean;
  readonly label?: string;
  readonly onTokenId?: (text: string) => void;
  readonly onSecret?: (text: string) => void;
  readonly onSubmit?: (event: Event) => void;
  /** What was refused. */
  readonly children?: ComponentChildren;
};

/** The inputs have no name: a form that is sent without the script would carry nothing. */
export const SignInForm = ({ tokenId, secret, isBusy, label = 'Sign in', onTokenId, onSecret, onSubmit, children }: SignInProps) => (
  <main class="sign-in">
    <form onSubmit={onSubmit}>
      <h1>Switchyard</h1>
      <div class="field">
        <label for="token-id">Token id</label>
        <input
          id="token-id"
          autocomplete="username"
          required
          value={tokenId}
          onInput={({ currentTarget }) => onTokenId?.(currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="secret">Secret</label>
        <input
          id="secret"
          type="password"
          autocomplete="current-password"
          required
          value={secret}
          onInput={({ currentTarget }) => onSecret?.(currentTarget.value)}
        />
      </div>
      {children}
      <button type="submit" class="primary" disabled={isBusy}>
        {label}
      </button>
      <p class="hint">In a sandbox both are in .data/sandbox.env, and the start message has a link that signs in with one click.</p>
    </form>
  </main>
);

/** Before the session is known. */
export const Waiting = () => <p class="faint">Loading …</p>;
