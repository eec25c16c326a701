// The same call as a line of curl, of the command line and of the client, and the call once more.
import { basePath } from 'switchyard:operations';
import { useEffect, useState } from 'preact/hooks';
import { newKey } from '../../../client/keys.ts';
import { hrefOf } from '../../address.ts';
import { type Item, may, send } from '../../api.ts';
import { type Forms, loadForms } from '../../document.ts';
import { entryOf, parametersOf } from '../../operation.ts';
import { Code } from '../../parts/json.tsx';
import { Failure } from '../../parts/notice.tsx';
import { text } from '../../resources/shared.ts';

const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;

function idsIn(template: string, path: string): readonly string[] {
  const pattern = template.replaceAll(/\{\w+\}/g, '([^/]+)');
  return parametersOf(template).length === 0 ? [] : (new RegExp(`${pattern}$`).exec(path)?.slice(1) ?? []).map(decodeURIComponent);
}

/** JSON that was neither cut nor masked. */
function bodyOf(request: Item): unknown {
  const body = text(request, 'requestBody');
  if (body === '' || request['requestBodyCut'] === true || body.includes('"***"')) return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

function linesOf(request: Item, template: string, command: string): string {
  const { origin } = location;
  const query = text(request, 'query').replace(/^\?/, '');
  const address = text(request, 'path') + (query === '' ? '' : `?${query}`);
  const body = bodyOf(request);
  const json = body === undefined ? '' : JSON.stringify(body);
  const ids = idsIn(template, text(request, 'path'));
  const method = command
    .split(' ')
    .map((word) => word.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase()))
    .join('.');
  const given = [...ids.map((id) => JSON.stringify(id)), ...(json === '' ? [] : [json])].join(', ');
  return [
    `curl -u "$SWITCHYARD_TOKEN_ID:$SWITCHYARD_TOKEN_SECRET" -X ${text(request, 'method')} ${quoted(origin + basePath + address)}${json === '' ? '' : ` \\\n  -H 'content-type: application/json' -d ${quoted(json)}`}`,
    `switchyard ${[command, ...ids.map(quoted)].join(' ')}${json === '' ? '' : ` -d ${quoted(json)}`}`,
    `await sy.${method}(${given});`,
  ].join('\n\n');
}

export function SameCall({ request }: { readonly request: Item }) {
  const [forms, setForms] = useState<Forms | undefined>();
  const [answer, setAnswer] = useState<string | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    loadForms().then(setForms, () => undefined);
  }, []);
  const id = text(request, 'operation');
  const entry = entryOf(id);
  const operation = forms?.operations.get(id);
  if (!entry || !operation) return null;
  const body = bodyOf(request);
  const canRepeat = may(entry.permission) && !entry.isMultipart && (!entry.hasBody || body !== undefined);
  const repeat = async () => {
    try {
      const at = text(request, 'path').indexOf(entry.path.split('{')[0] ?? '');
      const query = text(request, 'query').replace(/^\?/, '');
      const path = text(request, 'path').slice(at) + (query === '' ? '' : `?${query}`);
      const result = await send(entry.method, path, body, entry.key ? { 'idempotency-key': newKey() } : {});
      setAnswer(JSON.stringify(result.body, null, 2));
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <section class="related">
      <h2>
        <a href={hrefOf(`/operations/${id}`)}>{operation.summary}</a>
      </h2>
      <Code label="The same call" text={linesOf(request, entry.path, operation.command)} />
      {canRepeat && (
        <button type="button" onClick={() => void repeat()}>
          Repeat with a new key
        </button>
      )}
      {error !== undefined && <Failure error={error} />}
      {answer !== undefined && <Code label="Answer of the repetition" text={answer} />}
    </section>
  );
}
