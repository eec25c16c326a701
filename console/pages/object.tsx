// The page of one object: its members, what can be done with it, what belongs to it, and what happened to it.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { hrefOf } from '../address.ts';
import { ApiFailure, call, type Item, list, revival } from '../api.ts';
import { loadDocument } from '../document.ts';
import { wordsOf } from '../form-model.ts';
import { entryOf, fillPath, isOffered, isPaged } from '../operation.ts';
import { Actions } from '../parts/form.tsx';
import { Code, pretty } from '../parts/json.tsx';
import { Machine } from '../parts/machine.tsx';
import { Members, STATUS } from '../parts/members.tsx';
import { Failure } from '../parts/notice.tsx';
import { togglePalette } from '../parts/palette.tsx';
import { type Part, Sequence } from '../parts/sequence.tsx';
import { Table } from '../parts/table.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { Badge } from '../parts/value.tsx';
import { RESOURCES, resourceOf } from '../resources/index.ts';
import { text } from '../resources/shared.ts';
import type { Action, Resource } from '../resources/types.ts';
import { go, place } from '../route.ts';
import { setTitle } from '../title.ts';
import { Explained } from './extras/explained.tsx';
import { extrasOf } from './extras.tsx';

/** One object: by its own operation, or out of its list. */
async function read(resource: Resource, id: string): Promise<Item> {
  const entry = entryOf(resource.get ?? '');
  if (entry) {
    const found = await call('GET', fillPath(entry.path, [id]));
    if (found['code'] !== undefined && resource.hasErrors) await loadDocument().catch(() => undefined);
    return found;
  }
  const query = new URLSearchParams(place.value.query);
  if (isPaged(resource.list)) query.set('limit', '100');
  for (;;) {
    const { data, nextCursor } = await list(resource.list ?? '', query, resource.rows);
    const found = data.find((row) => text(row, resource.key ?? 'id') === id);
    if (found) return found;
    if (nextCursor === undefined) throw new ApiFailure(404, {}, '');
    query.set('cursor', nextCursor);
  }
}

const isMissing = (error: unknown): boolean => error instanceof ApiFailure && error.status === 404;

/** Another resource whose ids look the same and that has this one: an external account is a customer's or the platform's. */
async function kindredOf(resource: Resource, id: string): Promise<Resource | undefined> {
  const { kind, name } = resource;
  for (const other of RESOURCES.filter((one) => kind !== undefined && one.kind === kind && one.name !== name)) {
    const isThere = await read(other, id).then(
      () => true,
      () => false,
    );
    if (isThere) return other;
  }
  return undefined;
}

const TEXTS: Readonly<Record<string, string>> = { requestBody: 'Request', responseBody: 'Answer', payloadToSign: 'To be signed' };

const Section = ({ title, href, children }: { readonly title: string; readonly href?: string; readonly children: ComponentChildren }) => (
  <section class="related">
    <h2>{href === undefined ? title : <a href={hrefOf(href)}>{title}</a>}</h2>
    {children}
  </section>
);

const leadsTo = ({ leads, fixed }: Action, object: Item, state: string): boolean =>
  leads?.includes(state) ?? fixed?.(object)['status'] === state;

const statusOf = (object: Item): string | undefined =>
  STATUS.map((name) => object[name]).find((one) => typeof one === 'string') as string | undefined;

type View = {
  readonly id: string;
  readonly version: number;
  readonly history: readonly string[];
  readonly onHistory: (words: readonly string[]) => void;
  readonly onChanged: () => void;
};

function partsOf(resource: Resource, object: Item, { id, version, history, onHistory, onChanged }: View): readonly Part[] {
  const lists = (resource.related ?? [])
    .filter(({ when }) => when?.(object) ?? true)
    .flatMap(({ resource: name, query, list: path, title, only }): Part[] => {
      const other = resourceOf(name);
      if (!other) return [];
      const filter = query(object);
      return [
        {
          key: name,
          show: (onReady) => (
            <Section title={title ?? other.title} {...(path ? {} : { href: `/${name}?${filter}` })}>
              <Table
                resource={other}
                query={filter}
                limit={10}
                isPart
                version={version}
                path={path?.(object)}
                {...(only && { only: (row: Item) => only(row, object) })}
                onReady={onReady}
              />
            </Section>
          ),
        },
      ];
    });
  const timeline: Part = {
    key: 'timeline',
    show: (onReady) => (
      <Section title="Timeline">
        <Timeline objectId={id} version={version} onReady={onReady} onHistory={onHistory} />
      </Section>
    ),
  };
  const machine = resource.machine?.(object);
  const status = statusOf(object);
  const picture: Part = {
    key: 'machine',
    show: (onReady) => (
      <Machine
        name={machine ?? ''}
        type={text(object, 'type')}
        now={status ?? ''}
        history={history}
        actionTo={(state) => resource.actions?.find((action) => leadsTo(action, object, state) && isOffered(action, object))}
        onReady={onReady}
      />
    ),
  };
  return [
    ...(machine !== undefined && status !== undefined ? [picture] : []),
    ...extrasOf(resource, object, version, onChanged),
    ...lists,
    ...(resource.hasTimeline ? [timeline] : []),
  ];
}

export function ObjectPage({ resource, id }: { readonly resource: Resource; readonly id: string }) {
  const [object, setObject] = useState<Item | undefined>();
  const [error, setError] = useState<unknown>();
  const [version, setVersion] = useState(0);
  const [history, setHistory] = useState<readonly string[]>([]);
  useEffect(() => {
    read(resource, id).then(
      (found) => {
        setObject(found);
        setError(undefined);
      },
      async (failure) => {
        const other = isMissing(failure) ? await kindredOf(resource, id) : undefined;
        if (other) go(`/${other.name}/${encodeURIComponent(id)}`, { replace: true });
        else setError(failure);
      },
    );
  }, [resource.name, id, version, revival.value]);
  const title = object && resource.titleOf?.(object);
  useEffect(() => {
    if (title !== undefined) setTitle(`${title} …${id.slice(-6)}`);
  }, [title, id]);

  if (isMissing(error))
    return (
      <>
        <h1>No such {resource.one} on this platform</h1>
        <p>
          <a href={hrefOf(`/${resource.name}`)}>All {resource.title.toLowerCase()}</a>
        </p>
        <button type="button" onClick={togglePalette}>
          Search
        </button>
      </>
    );
  if (error !== undefined && !object)
    return (
      <>
        <h1>{wordsOf(resource.one)}</h1>
        <Failure error={error} />
      </>
    );
  if (!object) return <p class="faint">Loading …</p>;

  const texts = resource.texts ?? [];
  const status = statusOf(object);
  const changed = () => setVersion((count) => count + 1);
  return (
    <>
      <p class="crumb">
        <a href={hrefOf(`/${resource.name}`)}>{resource.title}</a>
      </p>
      <header class="page-head">
        <h1>
          {title ?? wordsOf(resource.one)} {status !== undefined && <Badge text={status} />}
        </h1>
        <Actions
          actions={resource.actions ?? []}
          object={object}
          name={resource.key === 'quoteId' ? 'id' : (resource.key ?? 'id')}
          onDone={changed}
        />
      </header>
      {error !== undefined && <Failure error={error} />}
      {resource.hasErrors && <Explained request={object} />}
      <Members object={object} without={[...texts, ...(resource.hides ?? [])]} />
      {texts
        .filter((name) => typeof object[name] === 'string')
        .map((name) => (
          <Code key={name} label={TEXTS[name] ?? name} text={pretty(String(object[name]))} />
        ))}
      <Sequence parts={partsOf(resource, object, { id, version, history, onHistory: setHistory, onChanged: changed })} />
    </>
  );
}
