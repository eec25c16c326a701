// The fields of a form. Members that are not needed stand behind one line, so that a form is as long as its needed part.
import type { ComponentChildren } from 'preact';
import type { Input } from '../form-model.ts';

export type InputsProps = {
  readonly inputs: readonly Input[];
  readonly textOf: (input: Input) => string;
  readonly problemOf: (path: string) => string | undefined;
  /** Paths of members that stand open although they may be left out. */
  readonly first: readonly string[];
  readonly onChange: (path: string, value: string) => void;
  readonly onFile: (path: string, file: File | undefined) => void;
};

const hasProblem = (input: Input, problemOf: InputsProps['problemOf']): boolean =>
  problemOf(input.path) !== undefined || input.inputs.some((one) => hasProblem(one, problemOf));

export function Inputs(props: InputsProps) {
  const { inputs, first } = props;
  const open = inputs.filter((input) => input.isRequired || input.isDiscriminator || first.includes(input.path));
  const rest = inputs.filter((input) => !open.includes(input));
  const problem = rest.some((input) => hasProblem(input, props.problemOf));
  return (
    <>
      {open.map((input) => (
        <Member key={input.path} input={input} props={props} />
      ))}
      {rest.length > 0 && (
        <details class="more-fields" open={open.length === 0 || problem}>
          <summary>{open.length === 0 ? 'Fields' : `${rest.length} more`}</summary>
          {rest.map((input) => (
            <Member key={input.path} input={input} props={props} />
          ))}
        </details>
      )}
    </>
  );
}

function Member({ input, props }: { readonly input: Input; readonly props: InputsProps }) {
  if (input.kind !== 'group') return <Field input={input} props={props} />;
  return (
    <fieldset class="group">
      <legend>{input.label}</legend>
      <Inputs {...props} inputs={input.inputs} />
    </fieldset>
  );
}

function Field({ input, props: { textOf, problemOf, onChange, onFile } }: { readonly input: Input; readonly props: InputsProps }) {
  const id = `field-${input.path.replaceAll(/[.:]/g, '-')}`;
  const value = textOf(input);
  const problem = problemOf(input.path);
  const note = problem ?? input.description;
  const described = note === '' ? {} : { 'aria-describedby': `${id}-hint` };
  const wrap = (control: ComponentChildren) => (
    <div class="field">
      <label for={id}>
        {input.label}
        {input.isRequired && <span aria-hidden="true"> *</span>}
      </label>
      {control}
      {note !== '' && (
        <p id={`${id}-hint`} class={problem === undefined ? 'hint' : 'problem'}>
          {note}
        </p>
      )}
    </div>
  );
  const change = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => onChange(input.path, currentTarget.value);
  const shared = { id, required: input.isRequired, 'aria-invalid': problem !== undefined, ...described };
  switch (input.kind) {
    case 'choice':
    case 'yes-no':
      return wrap(
        <select {...shared} value={value} onChange={change}>
          {!(input.isRequired && input.kind === 'choice') && <option value="">–</option>}
          {(input.kind === 'choice' ? input.choices : ['true', 'false']).map((choice) => (
            <option key={choice} value={choice}>
              {input.kind === 'choice' ? choice : choice === 'true' ? 'yes' : 'no'}
            </option>
          ))}
        </select>,
      );
    case 'choices':
      return <Choices input={input} value={value} note={note} problem={problem} onChange={onChange} />;
    case 'json':
      return wrap(<textarea {...shared} class="mono" rows={3} value={value} placeholder={input.placeholder} onInput={change} />);
    case 'file':
      return wrap(<input {...shared} type="file" onChange={({ currentTarget }) => onFile(input.path, currentTarget.files?.[0])} />);
    default:
      return wrap(
        <input
          {...shared}
          type={input.kind === 'secret' ? 'password' : 'text'}
          autocomplete={input.kind === 'secret' ? 'new-password' : 'off'}
          value={value}
          placeholder={input.placeholder}
          inputMode={input.kind === 'integer' ? 'numeric' : input.kind === 'number' ? 'decimal' : 'text'}
          onInput={change}
        />,
      );
  }
}

type ChoicesProps = {
  readonly input: Input;
  readonly value: string;
  readonly note: string;
  readonly problem: string | undefined;
  readonly onChange: (path: string, value: string) => void;
};

function Choices({ input, value, note, problem, onChange }: ChoicesProps) {
  const chosen = value.split(',').filter(Boolean);
  const toggle = (choice: string, isOn: boolean) =>
    onChange(input.path, (isOn ? [...chosen, choice] : chosen.filter((one) => one !== choice)).join(','));
  return (
    <fieldset>
      <legend>{input.label}</legend>
      <div class="checks">
        {input.choices.map((choice) => (
          <label key={choice} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(choice)}
              onChange={({ currentTarget: { checked } }) => toggle(choice, checked)}
            />
            {choice}
          </label>
        ))}
      </div>
      {note !== '' && <p class={problem === undefined ? 'hint' : 'problem'}>{note}</p>}
    </fieldset>
  );
}
