// Sign-in with the id and secret of an API token. The secret is sent once and kept nowhere.
import { useState } from 'preact/hooks';
import { signIn } from '../api.ts';
import { SignInForm } from '../frame.tsx';
import { Failure } from '../parts/notice.tsx';

/** What was typed or filled in before the script ran. */
const typed = (id: string): string => document.querySelector<HTMLInputElement>(`#${id}`)?.value ?? '';

type Props = {
  /** Why a link did not sign in. */
  readonly failed?: unknown;
  /** A link is being tried. */
  readonly isTrying: boolean;
};

export function SignIn({ failed, isTrying }: Props) {
  const [tokenId, setTokenId] = useState(() => typed('token-id'));
  const [secret, setSecret] = useState(() => typed('secret'));
  const [refused, setRefused] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const error = refused ?? failed;
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await signIn({ tokenId, secret }).catch(setRefused);
    setBusy(false);
  };
  return (
    <SignInForm
      tokenId={tokenId}
      secret={secret}
      isBusy={isBusy || isTrying}
      label={isTrying ? 'Signing in …' : 'Sign in'}
      onTokenId={setTokenId}
      onSecret={setSecret}
      onSubmit={(event) => void submit(event)}
    >
      {error !== undefined && <Failure error={error} />}
    </SignInForm>
  );
}
