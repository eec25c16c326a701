// An operation as a form: its members, the call, what the service said about each member, and the signatures that it asks for.
import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { newKey } from '../../client/keys.ts';
import { type Answer, ApiFailure, type Item, revival, send } from '../api.ts';
import { type Forms, loadForms } from '../document.ts';
import { bodyOf, flat, type Input, membersOf, NotJson, textOf, textsOf, type Values, wordsOf } from '../form-model.ts';
import { entryOf, fillPath, idsOf, isOffered, parametersOf } from '../operation.ts';
import type { Action } from '../resources/types.ts';
import { go } from '../route.ts';
import { Inputs } from './inputs.tsx';
import { Code } from './json.tsx';
import { Failure } from './notice.tsx';
import { Challenge, isChallenge } from './signature.tsx';

type ActionsProps = {
  readonly actions: readonly Action[];
  readonly object: Item;
  /** The member that names the object. */
  readonly name?: string;
  readonly onDone: () => void;
};

/** The action whose dialog is open. The picture of the states opens one, too. */
export const opened = signal<Action | undefined>(undefined);

/** Buttons of what can be done now; the first few stand open, the rest behind one more. */
export function Actions({ actions, object, name, onDone }: ActionsProps) {
  const open = actions.find(({ label, operation }) => label === opened.value?.label && operation === opened.value.operation);
  const hasOpen = useRef(false);
  hasOpen.current = open !== undefined;
  const close = () => {
    opened.value = undefined;
  };
  const show = (action: Action) => {
    opened.value = action;
  };
  useEffect(
    () => () => {
      if (hasOpen.current) close();
    },
    [],
  );
  const offered = actions.filter((action) => isOffered(action, object));
  const button = (action: Action) => (
    <button type="button" key={action.label} class={action.isDanger ? 'danger' : ''} onClick={() => show(action)}>
      {action.label}
    </button>
  );
  const kept = offered.length > 6 ? 4 : offered.length;
  return (
    <div class="actions" data-actions>
      {offered.slice(0, kept).map(button)}
      {offered.length > kept && (
        <details class="menu">
          <summary>More</summary>
          {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the buttons inside are what is used. */}
          <div onClick={({ currentTarget }) => currentTarget.closest('details')?.removeAttribute('open')}>
            {offered.slice(kept).map(button)}
          </div>
        </details>
      )}
      {open && <Dialog action={open} object={object} name={name ?? 'id'} onClose={close} onDone={onDone} />}
    </div>
  );
}

type DialogProps = Required<Pick<ActionsProps, 'object' | 'name' | 'onDone'>> & { readonly action: Action; readonly onClose: () => void };

function Dialog({ action, object, name, onClose, onDone }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [shown, setShown] = useState<string | undefined>();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  // A secret is not left on the screen.
  useEffect(() => {
    if (shown === undefined || !action.isSecret) return;
    const timer = setTimeout(onClose, 30_000);
    return () => clearTimeout(timer);
  }, [shown]);
  const onAnswer = ({ body }: Answer) => {
    onDone();
    if (action.shows === undefined) {
      onClose();
      if (action.next) go(action.next({ ...object, ...body }));
    } else setShown(action.shows === '*' ? JSON.stringify(body, null, 2) : String(body[action.shows] ?? ''));
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="dialog-title">
      <h2 id="dialog-title">{action.label}</h2>
      {shown === undefined ? (
        <OperationForm action={action} object={object} name={name} onAnswer={onAnswer} onCancel={onClose} />
      ) : (
        <>
          <Shown text={shown} member={action.shows ?? ''} />
          <footer>
            <button type="button" onClick={onClose}>
              Close
            </button>
          </footer>
        </>
      )}
    </dialog>
  );
}

function Shown({ text, member }: { readonly text: string; readonly member: string }) {
  if (/Url$/.test(member))
    return (
      <p>
        <a href={text} target="_blank" rel="noreferrer">
          Open the page
        </a>
        . The link works once and for a short time.
      </p>
    );
  return <Code text={text} label={member === '*' ? 'Answer' : `${wordsOf(member)}: shown this once`} />;
}

type FormProps = {
  readonly action: Action;
  readonly object: Item;
  readonly name?: string;
  /** Asks for the parameters of path and query, too. */
  readonly isFree?: boolean;
  readonly onAnswer: (answer: Answer) => void;
  readonly onCancel?: () => void;
};

const PATH = 'path:';
const QUERY = 'query:';

function inputsOf(forms: Forms, { action, object, isFree }: FormProps, values: Values): readonly Input[] {
  const { body, query } = forms.operations.get(action.operation) ?? {};
  const fixed = action.fixed?.(object) ?? {};
  const shared = { path: '', isRequired: true, values, schemas: forms.schemas };
  const members = body ? membersOf(body, shared) : [];
  const asked = members.filter(({ path }) => !(path in fixed) && (action.ask?.includes(path) ?? true));
  if (!isFree) return action.ask ? asked.map((input) => ({ ...input, isRequired: input.isRequired || input.kind === 'choice' })) : asked;
  const parameters = parametersOf(entryOf(action.operation)?.path ?? '').map((name): [string, object] => [name, { type: 'string' }]);
  const inPath = membersOf({ properties: Object.fromEntries(parameters), required: parameters.map(([name]) => name) }, shared);
  const inQuery = query ? membersOf(query, shared) : [];
  const under = (prefix: string) => (input: Input) => ({ ...input, path: prefix + input.path });
  return [...inPath.map(under(PATH)), ...inQuery.map(under(QUERY)), ...asked];
}

const isOfBody = ({ path }: Input): boolean => !path.startsWith(PATH) && !path.startsWith(QUERY);

function addressOf({ action, object, name = 'id', isFree }: FormProps, values: Values): string {
  const entry = entryOf(action.operation);
  if (!entry) return '';
  const given = isFree
    ? parametersOf(entry.path).map((parameter) => values[PATH + parameter] ?? '')
    : (action.ids?.(object) ?? idsOf(entry, object, name));
  const query = new URLSearchParams(action.query?.(object));
  for (const [path, value] of Object.entries(values))
    if (path.startsWith(QUERY) && value !== '') query.set(path.slice(QUERY.length), value);
  const text = query.toString();
  return fillPath(entry.path, given) + (text === '' ? '' : `?${text}`);
}

/** Files go as parts; everything else as JSON. */
function partsOf(body: Item, files: ReadonlyMap<string, File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  for (const [name, file] of files) form.set(name, file);
  return form;
}

export function OperationForm(props: FormProps) {
  const { action, object, isFree = false, onAnswer, onCancel } = props;
  const entry = entryOf(action.operation);
  const isChange = entry?.method === 'PATCH';
  const before = useMemo(() => (isChange && !isFree ? textsOf(object) : undefined), [object, isChange]);
  const [values, setValues] = useState<Values>(() => ({ ...before, ...action.values?.(object) }));
  const [forms, setForms] = useState<Forms | undefined>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [confirmed, setConfirmed] = useState('');
  const [asked, setAsked] = useState<Item | undefined>();
  const files = useRef(new Map<string, File>());
  // The same call again, after no answer came, is executed once.
  const key = useRef(newKey());
  useEffect(() => {
    if (!forms) loadForms().then(setForms, setError);
  }, [revival.value]);
  if (!entry || !forms) return error === undefined ? <p class="faint">Loading …</p> : <Failure error={error} />;

  const inputs = inputsOf(forms, props, values);
  const required = action.confirm?.(object);
  const problems = new Map<string, string>(error instanceof ApiFailure ? error.problems.map(({ field, message }) => [field, message]) : []);
  if (error instanceof NotJson) problems.set(error.path, error.message);
  const shown = new Set(flat(inputs).map(({ path }) => path.replace(QUERY, '').replace(PATH, '')));

  /** Returns what has to be signed next. */
  const callWith = async (headers: Readonly<Record<string, string>>): Promise<Item | undefined> => {
    const body = { ...bodyOf(inputs.filter(isOfBody), values, before), ...action.fixed?.(object) };
    const content = entry.isMultipart ? partsOf(body, files.current) : entry.hasBody ? body : undefined;
    const answer = await send(entry.method, addressOf(props, values), content, {
      ...(entry.key ? { 'idempotency-key': key.current } : {}),
      ...headers,
    });
    setError(undefined);
    if (isChallenge(answer)) {
      setAsked(answer.body);
      return answer.body;
    }
    key.current = newKey();
    onAnswer(answer);
    return undefined;
  };
  const run = async (headers: Readonly<Record<string, string>> = {}) => {
    setBusy(true);
    try {
      return await callWith(headers);
    } catch (failure) {
      if (failure instanceof ApiFailure && isRefused(failure)) key.current = newKey();
      setError(failure);
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void run();
  };

  return (
    <form onSubmit={submit} class="operation">
      {forms.operations.get(action.operation)?.description && (
        <p class="hint">{forms.operations.get(action.operation)?.description?.replaceAll('`', '')}</p>
      )}
      <Inputs
        inputs={inputs}
        textOf={(input) => textOf(input, values)}
        problemOf={(path) => problems.get(path.replace(QUERY, '').replace(PATH, ''))}
        first={action.ask ?? action.first ?? []}
        onChange={(path, value) => setValues((now) => ({ ...now, [path]: value }))}
        onFile={(path, file) => void (file ? files.current.set(path, file) : files.current.delete(path))}
      />
      {required !== undefined && (
        <div class="field">
          <label for="confirm">
            This cannot be undone. Type <strong>{required}</strong> to go on.
          </label>
          <input id="confirm" value={confirmed} autocomplete="off" onInput={({ currentTarget }) => setConfirmed(currentTarget.value)} />
        </div>
      )}
      {error !== undefined && !(error instanceof NotJson) && <Failure error={error} shown={shown} />}
      {asked && (
        <Challenge
          asked={asked}
          account={accountOf(object, values)}
          isBusy={isBusy}
          onSigned={(signature, { requestId }) => run({ 'service-wallet-signature': signature, 'request-id': String(requestId) })}
          onFailure={setError}
        />
      )}
      <footer>
        {onCancel && (
          <button type="button" class="plain" onClick={onCancel}>
            Cancel
          </button>
        )}
        {!asked && (
          <button
            type="submit"
            class={action.isDanger ? 'danger' : 'primary'}
            disabled={isBusy || (required !== undefined && confirmed !== required)}
          >
            {action.label}
          </button>
        )}
      </footer>
    </form>
  );
}

/** The call was not executed. After a failure or a time limit of the service that is not known, so the key stays. */
const isRefused = ({ status }: ApiFailure): boolean => status < 500 && status !== 408 && status !== 429;

/** The wallet that signs: the object itself, or the one it names. */
const accountOf = (object: Item, values: Values): string =>
  [object['id'], object['accountId'], object['internalAccountId'], values['internalAccountId'], values['accountId'], values[`${PATH}id`]]
    .map(String)
    .find((one) => one.startsWith('InternalAccount:')) ?? '';
