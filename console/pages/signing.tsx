// The signing desk: a wallet, and the operations that its owner signs, each completed with a test key of this tab.
import { useState } from 'preact/hooks';
import { type Answer, may } from '../api.ts';
import { OperationForm } from '../parts/form.tsx';
import { JsonBlock } from '../parts/json.tsx';
import { Sequence } from '../parts/sequence.tsx';
import { Table } from '../parts/table.tsx';
import { WithForms } from '../parts/with-forms.tsx';
import { resourceOf } from '../resources/index.ts';
import type { Action, Resource } from '../resources/types.ts';
import { place, setQuery } from '../route.ts';
import { canSign } from '../signing.ts';

const SIGNED: readonly Action[] = [
  {
    operation: 'createDelegatedKey',
    label: 'Delegate a key',
    fixed: (object) => ({ internalAccountId: object['id'] ?? '' }),
    ask: ['cardId', 'nickname'],
    ids: () => [],
  },
  {
    operation: 'createAuthCredential',
    label: 'Add a credential',
    values: (object) => ({ accountId: String(object['id']) }),
    ids: () => [],
  },
  { operation: 'exportInternalAccount', label: 'Export the wallet' },
  { operation: 'updateInternalAccount', label: 'Change the wallet', ask: ['privateEnabled', 'label'] },
];

export function SigningPage() {
  const accountId = place.value.query.get('accountId') ?? '';
  const [text, setText] = useState(accountId);
  const [label, setLabel] = useState(SIGNED[0]?.label ?? '');
  const [answer, setAnswer] = useState<Answer | undefined>();
  const [version, setVersion] = useState(0);
  const action = SIGNED.find((one) => one.label === label);
  const open = (event: Event) => {
    event.preventDefault();
    setQuery('accountId', text.trim());
  };
  return (
    <>
      <header class="page-head">
        <h1>Signing desk</h1>
      </header>
      {!canSign() && (
        <p class="notice bad">This address is neither https nor loopback, so the browser has no keys. Use `switchyard sign` instead.</p>
      )}
      <form onSubmit={open} class="narrow">
        <div class="field">
          <label for="wallet">Wallet</label>
          <div class="with-button">
            <input
              id="wallet"
              required
              value={text}
              placeholder="InternalAccount:…"
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
            <button type="submit">Open</button>
          </div>
        </div>
      </form>
      {accountId === '' ? (
        <Sequence
          parts={[
            {
              key: 'open',
              show: (onReady) => (
                <section class="related">
                  <h2>Open signatures</h2>
                  <Table
                    resource={resourceOf('signed-requests') as Resource}
                    query="status=OPEN"
                    limit={10}
                    isPart
                    empty="Nothing waits for a signature."
                    onReady={onReady}
                  />
                </section>
              ),
            },
            {
              key: 'wallets',
              show: (onReady) => (
                <section class="related">
                  <h2>Wallets</h2>
                  <Table resource={resourceOf('accounts') as Resource} query="type=EMBEDDED_WALLET" limit={10} isPart onReady={onReady} />
                </section>
              ),
            },
          ]}
        />
      ) : (
        <WithForms
          show={() => (
            <>
              {may('MANAGE') && (
                <div class="narrow">
                  <div class="field">
                    <label for="signed">Operation</label>
                    <select id="signed" value={label} onChange={({ currentTarget }) => setLabel(currentTarget.value)}>
                      {SIGNED.map((one) => (
                        <option key={one.label} value={one.label}>
                          {one.label}
                        </option>
                      ))}
                    </select>
                  </div>
                  {action && (
                    <OperationForm
                      key={`${label} ${accountId} ${version}`}
                      action={action}
                      object={{ id: accountId }}
                      onAnswer={(given) => {
                        setAnswer(given);
                        setVersion(version + 1);
                      }}
                    />
                  )}
                  {answer && <JsonBlock label="Answer" value={answer.body} />}
                </div>
              )}
              <Sequence
                parts={['credentials', 'sessions', 'keys'].map((name) => ({
                  key: name,
                  show: (onReady) => (
                    <section class="related">
                      <h2>{resourceOf(name)?.title}</h2>
                      <Table
                        resource={resourceOf(name) as Resource}
                        query={`accountId=${encodeURIComponent(accountId)}`}
                        version={version}
                        onReady={onReady}
                      />
                    </section>
                  ),
                }))}
              />
            </>
          )}
        />
      )}
    </>
  );
}
