// Sign-in with the id and secret of an API token. The secret is sent once and kept nowhere.
import { useState } from 'preact/hooks';
import { signIn } from '../api.ts';
import { Failure } from '../parts/notice.tsx';

export function SignIn({ failed }: { readonly failed?: unknown }) {
  const [tokenId, setTokenId] = useState('');
  const [secret, setSecret] = useState('');
  const [error, setError] = useState<unknown>(failed);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await signIn({ tokenId, secret }).catch(setError);
    setBusy(false);
  };
  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1>Switchyard</h1>
        <div class="field">
          <label for="token-id">Token id</label>
          <input
            id="token-id"
            autocomplete="username"
            required
            value={tokenId}
            onInput={({ currentTarget }) => setTokenId(currentTarget.value)}
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
            onInput={({ currentTarget }) => setSecret(currentTarget.value)}
          />
        </div>
        {error !== undefined && <Failure error={error} />}
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
        <p class="hint">In a sandbox both are in .data/sandbox.env, and the start message has a link that signs in with one click.</p>
      </form>
    </main>
  );
}
