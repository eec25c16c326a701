// An action as a dialog: its fields, the call, and what the service said about each field.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, call, type Item, type Json, may, session } from '../api.ts';
import type { Action, Field } from '../describe.ts';
import { go } from '../route.ts';
import { Code } from './json.tsx';
import { Failure } from './notice.tsx';

export const isOffered = (action: Action, object: Item): boolean =>
  may(action.permission) && (!action.isSandbox || session.value?.isSandbox === true) && (action.when?.(object) ?? true);

export function Actions({
  actions,
  object,
  onDone,
}: {
  readonly actions: readonly Action[];
  readonly object: Item;
  readonly onDone: () => void;
}) {
  const [open, setOpen] = useState<Action | undefined>();
  return (
    <div class="actions">
      {actions
        .filter((action) => isOffered(action, object))
        .map((action) => (
          <button type="button" key={action.label} class={action.isDanger ? 'danger' : ''} onClick={() => setOpen(action)}>
            {action.label}
          </button>
        ))}
      {open && <Dialog action={open} object={object} onClose={() => setOpen(undefined)} onDone={onDone} />}
    </div>
  );
}

type Values = Readonly<Record<string, string>>;

function bodyOf(fields: readonly Field[], values: Values, fixed: Item): Item {
  const body: Record<string, Json> = { ...fixed };
  for (const field of fields) {
    const text = values[field.name] ?? '';
    const value = readValue(field, text);
    if (value === undefined) continue;
    const parts = field.name.split('.');
    let holder = body;
    for (const part of parts.slice(0, -1)) {
      holder[part] = { ...(holder[part] as Item | undefined) };
      holder = holder[part] as Record<string, Json>;
    }
    holder[parts.at(-1) as string] = value;
  }
  return body;
}

function readValue({ as }: Field, text: string): Json | undefined {
  if (as === 'null-integer') return text === '' ? null : number(text);
  if (text === '') return undefined;
  if (as === 'integer') return number(text);
  return as === 'choices' ? text.split(',') : text;
}

/** What is no number is sent as it is, so that the service says what is wrong with it. */
const number = (text: string): Json => (/^-?\d+$/.test(text) ? Number(text) : text);

export function Dialog({
  action,
  object,
  onClose,
  onDone,
}: {
  readonly action: Action;
  readonly object: Item;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const fields = action.fields ?? [];
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(fields.map((field) => [field.name, field.value ?? (field.as === 'choice' ? (field.choices?.[0] ?? '') : '')])),
  );
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [shown, setShown] = useState<string | undefined>();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  // A secret is not left on the screen.
  useEffect(() => {
    if (shown === undefined) return;
    const timer = setTimeout(onClose, 30_000);
    return () => clearTimeout(timer);
  }, [shown]);

  const problems = new Map(error instanceof ApiFailure ? error.problems.map(({ field, message }) => [field, message]) : []);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const needsBody = fields.length > 0 || action.fixed !== undefined;
      const answer = await call(
        action.method,
        action.path(object),
        needsBody ? bodyOf(fields, values, action.fixed?.(object) ?? {}) : undefined,
      );
      onDone();
      if (action.shows !== undefined) setShown(String(answer[action.shows] ?? ''));
      else {
        onClose();
        if (action.next) go(action.next(answer));
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };

  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="dialog-title">
      <form onSubmit={submit}>
        <h2 id="dialog-title">{action.label}</h2>
        {shown === undefined ? (
          <>
            {action.isDanger && fields.length === 0 && <p>This cannot be undone.</p>}
            {fields.map((field) => (
              <FieldInput
                key={field.name}
                field={field}
                value={values[field.name] ?? ''}
                problem={problems.get(field.name)}
                onChange={(value) => setValues({ ...values, [field.name]: value })}
              />
            ))}
            {error !== undefined && <Failure error={error} />}
          </>
        ) : (
          <Code text={shown} label={action.shows === 'clientSecret' ? 'The secret is shown this once' : (action.shows ?? '')} />
        )}
        <footer>
          <button type="button" class="plain" onClick={onClose}>
            {shown === undefined ? 'Cancel' : 'Close'}
          </button>
          {shown === undefined && (
            <button type="submit" class={action.isDanger ? 'danger' : 'primary'} disabled={isBusy}>
              {action.label}
            </button>
          )}
        </footer>
      </form>
    </dialog>
  );
}

function FieldInput({
  field,
  value,
  problem,
  onChange,
}: {
  readonly field: Field;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  const id = `field-${field.name}`;
  const described = problem !== undefined || field.hint !== undefined ? { 'aria-describedby': `${id}-hint` } : {};
  const note = (
    <p id={`${id}-hint`} class={problem === undefined ? 'hint' : 'problem'}>
      {problem ?? field.hint}
    </p>
  );
  if (field.as === 'choices') {
    const chosen = value.split(',').filter(Boolean);
    return (
      <fieldset>
        <legend>{field.label}</legend>
        {field.choices?.map((choice) => (
          <label key={choice} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(choice)}
              onChange={({ currentTarget: { checked } }) =>
                onChange((checked ? [...chosen, choice] : chosen.filter((one) => one !== choice)).join(','))
              }
            />
            {choice}
          </label>
        ))}
        {problem !== undefined && note}
      </fieldset>
    );
  }
  return (
    <div class="field">
      <label for={id}>{field.label}</label>
      {field.as === 'choice' ? (
        <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} {...described}>
          {field.choices?.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          value={value}
          required={field.required ?? false}
          inputMode={field.as === 'integer' || field.as === 'null-integer' ? 'numeric' : 'text'}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
          aria-invalid={problem !== undefined}
          {...described}
        />
      )}
      {(problem !== undefined || field.hint !== undefined) && note}
    </div>
  );
}
