// Deletes all data of a sandbox platform. The form asks for the name of the platform.
import { useState } from 'preact/hooks';
import { hrefOf } from '../address.ts';
import { session } from '../api.ts';
import { OperationForm } from '../parts/form.tsx';
import { go } from '../route.ts';

export function ResetPage() {
  const [isDone, setDone] = useState(false);
  const name = session.value?.platformName ?? '';
  return (
    <>
      <header class="page-head">
        <h1>Reset</h1>
      </header>
      <p>
        All customers, accounts, cards, payments, events and requests of this platform are deleted. Tokens and settings stay. A{' '}
        <a href={hrefOf('/snapshots')}>snapshot</a> keeps what is there now.
      </p>
      {isDone ? (
        <p class="empty" role="status">
          The platform is empty.{' '}
          <button type="button" onClick={() => go('/home')}>
            To the first steps
          </button>
        </p>
      ) : (
        <div class="narrow">
          <OperationForm
            action={{ operation: 'resetSandbox', label: 'Delete all data', isDanger: true, confirm: () => name, fixed: () => ({ name }) }}
            object={{}}
            onAnswer={() => setDone(true)}
          />
        </div>
      )}
    </>
  );
}
