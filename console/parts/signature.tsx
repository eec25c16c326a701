// What the end user signs, and a key of this tab that signs in their place in the sandbox.
import { useState } from 'preact/hooks';
import type { Answer, Item } from '../api.ts';
import { session } from '../api.ts';
import { canSign, signFor } from '../signing.ts';
import { Countdown } from './countdown.tsx';
import { Code, pretty } from './json.tsx';

/** A 202 that waits for a signature. */
export const isChallenge = ({ status, body }: Answer): boolean => status === 202 && typeof body['payloadToSign'] === 'string';

type Props = {
  readonly asked: Item;
  /** The wallet whose session signs. */
  readonly account: string;
  readonly isBusy: boolean;
  /** Sends the signature, and returns what has to be signed next. */
  readonly onSigned: (signature: string, asked: Item) => Promise<Item | undefined>;
  readonly onFailure: (error: unknown) => void;
};

export function Challenge({ asked, account, isBusy, onSigned, onFailure }: Props) {
  const [given, setGiven] = useState(account);
  const [pasted, setPasted] = useState('');
  const [isSigning, setSigning] = useState(false);
  const sign = async (isAll: boolean) => {
    setSigning(true);
    try {
      for (let next: Item | undefined = asked, isFirst = true; next && (isAll || isFirst); isFirst = false)
        next = await onSigned(await signFor(given.trim(), String(next['payloadToSign'])), next);
    } catch (error) {
      onFailure(error);
    } finally {
      setSigning(false);
    }
  };
  const isWaiting = isBusy || isSigning;
  return (
    <section class="challenge" aria-label="Signature">
      <p>
        The end user signs this. The call is then repeated with the signature; some operations ask more than once.{' '}
        {typeof asked['expiresAt'] === 'string' && <Countdown until={asked['expiresAt']} />}
      </p>
      <Code label="To be signed" text={pretty(String(asked['payloadToSign'] ?? ''))} />
      {session.value?.isSandbox && canSign() && (
        <div class="field">
          <label for="signing-account">Wallet whose test session signs</label>
          <input id="signing-account" value={given} onInput={({ currentTarget }) => setGiven(currentTarget.value)} />
          <div class="actions below">
            <button type="button" class="primary" disabled={isWaiting || given.trim() === ''} onClick={() => void sign(false)}>
              Sign with a test key
            </button>
            <button type="button" disabled={isWaiting || given.trim() === ''} onClick={() => void sign(true)}>
              Sign every leg
            </button>
          </div>
        </div>
      )}
      {!canSign() && (
        <p class="hint">
          This address is neither https nor loopback, so the browser has no keys. On the command line:{' '}
          <code>switchyard sign payload - --session FILE</code>
        </p>
      )}
      <div class="field">
        <label for="signature">Signature of the end user’s app</label>
        <div class="with-button">
          <input id="signature" value={pasted} onInput={({ currentTarget }) => setPasted(currentTarget.value)} />
          <button type="button" disabled={isWaiting || pasted === ''} onClick={() => void onSigned(pasted.trim(), asked)}>
            Send
          </button>
        </div>
      </div>
    </section>
  );
}
