// The page of one object: its members, what can be done with it, what belongs to it, and what happened to it.
import { useEffect, useState } from 'preact/hooks';
import { ApiFailure, call, type Item, type Json } from '../api.ts';
import { type Column, type Resource, resourceOf } from '../describe.ts';
import { Actions } from '../parts/form.tsx';
import { Code, JsonBlock, pretty } from '../parts/json.tsx';
import { Failure } from '../parts/notice.tsx';
import { Table } from '../parts/table.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { Badge, Value } from '../parts/value.tsx';
import { hrefOf } from '../route.ts';

const WITH_TIMELINE = new Set(['Customer', 'InternalAccount', 'ExternalAccount', 'Transaction', 'Card', 'Verification']);
const STATUS = ['status', 'kycStatus', 'kybStatus', 'verificationStatus', 'deliveryStatus'];

/** How a member is shown, by its name and value. */
function lookOf(name: string, value: Json): Column['as'] {
  if (STATUS.includes(name)) return 'badge';
  if (typeof value === 'object' && value !== null && 'amount' in value) return 'money';
  if (/At$|^timestamp$/.test(name)) return 'time';
  if (name === 'durationMs') return 'ms';
  return /(?:^i|I)d$|^fundingSource$/.test(name) && !/^(?:platform|client)/.test(name) ? 'id' : undefined;
}

const isPlain = (value: Json): boolean =>
  value === null ||
  typeof value !== 'object' ||
  'amount' in value ||
  (Array.isArray(value) && value.every((one) => typeof one !== 'object'));

export function ObjectPage({ resource, id }: { readonly resource: Resource; readonly id: string }) {
  const [object, setObject] = useState<Item | undefined>();
  const [error, setError] = useState<unknown>();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    call('GET', resource.get?.(encodeURIComponent(id)) ?? '').then(
      (found) => {
        setObject(found);
        setError(undefined);
      },
      (failure) => setError(failure),
    );
  }, [resource.name, id, version]);

  if (error instanceof ApiFailure && error.status === 404)
    return (
      <>
        <h1>No such {resource.one} on this platform</h1>
        <p>
          <a href={hrefOf(`/${resource.name}`)}>All {resource.title.toLowerCase()}</a>
        </p>
      </>
    );
  if (error !== undefined && !object) return <Failure error={error} />;
  if (!object) return <p class="faint">Loading …</p>;

  const texts = resource.texts ?? [];
  const members = Object.entries(object).filter(([name]) => !texts.includes(name));
  const status = STATUS.map((name) => object[name]).find((one) => typeof one === 'string');
  return (
    <>
      <p class="crumb">
        <a href={hrefOf(`/${resource.name}`)}>{resource.title}</a>
      </p>
      <header class="page-head">
        <h1>
          {resource.titleOf?.(object) ?? resource.one.replace(/^./, (first) => first.toUpperCase())}{' '}
          {status !== undefined && <Badge text={String(status)} />}
        </h1>
        <Actions actions={resource.actions ?? []} object={object} onDone={() => setVersion((count) => count + 1)} />
      </header>
      {error !== undefined && <Failure error={error} />}
      <dl class="members">
        {members
          .filter(([, value]) => isPlain(value))
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{name === 'id' ? <span class="mono">{String(value)}</span> : <Value value={value} as={lookOf(name, value)} />}</dd>
            </div>
          ))}
      </dl>
      {texts
        .filter((name) => typeof object[name] === 'string')
        .map((name) => (
          <Code key={name} label={name === 'requestBody' ? 'Request' : 'Answer'} text={pretty(String(object[name]))} />
        ))}
      {members
        .filter(([, value]) => !isPlain(value))
        .map(([name, value]) => (
          <JsonBlock key={name} label={name} value={value} />
        ))}
      {resource.related?.map(({ resource: name, query }) => {
        const other = resourceOf(name);
        return (
          other && (
            <section key={name} class="related">
              <h2>
                <a href={hrefOf(`/${name}?${query(object)}`)}>{other.title}</a>
              </h2>
              <Table resource={other} query={query(object)} limit={10} version={version} />
            </section>
          )
        );
      })}
      {WITH_TIMELINE.has(resource.kind ?? '') && (
        <section class="related">
          <h2>Timeline</h2>
          <Timeline objectId={id} version={version} />
        </section>
      )}
    </>
  );
}
