// The reference pages: operations by group, schemas, events, errors, guides and search, all made from the API document.
import { ERRORS } from '../../kernel/errors.js';
import {
  type ApiDocument,
  type ApiOperation,
  boundsOf,
  nameOf,
  operationsOf,
  type Parameter,
  parameterOf,
  type Schema,
  typeOf,
} from './document.js';
import type { Link, Page } from './layout.js';
import { codeBlock, escapeHtml, markdown, slugOf } from './markdown.js';

export const pathOfTag = (tag: string): string => `/docs/${slugOf(tag)}`;
const pathOfOperation = ({ tags, operationId }: Pick<ApiOperation, 'tags' | 'operationId'>): string =>
  `${pathOfTag(tags[0] ?? '')}#${operationId}`;
const schemaLink = (name: string, label = name): string => `<a href="/docs/schemas/${name}">${escapeHtml(label)}</a>`;

export const introductionPage = ({ info }: ApiDocument): Page => ({
  title: 'Reference',
  html: `<h1>Switchyard API</h1>${markdown(info.description, { headings: 1 })}<p>The document itself: <a href="/openapi.json">openapi.json</a>. For assistants: <a href="/llms.txt">llms.txt</a>.</p>`,
});

export function tagPage(document: ApiDocument, tag: string): Page | undefined {
  const known = document.tags.find(({ name }) => slugOf(name) === tag);
  if (!known) return undefined;
  const operations = operationsOf(document).filter(({ tags }) => tags[0] === known.name);
  const index = operations.map(
    ({ operationId, method, path, summary }) =>
      `<tr><td><a href="#${operationId}">${escapeHtml(summary)}</a></td><td class="mono">${method} ${escapeHtml(path)}</td></tr>`,
  );
  return {
    title: known.name,
    html: `<h1>${escapeHtml(known.name)}</h1>${markdown(known.description)}<div class="wide" tabindex="0"><table><thead><tr><th scope="col">Operation</th><th scope="col">Request</th></tr></thead><tbody>${index.join('')}</tbody></table></div>${operations.map((op) => operationSection(document, op)).join('')}`,
  };
}

function operationSection(document: ApiDocument, op: ApiOperation): string {
  const parameters = op.parameters.map((parameter) => parameterOf(document, parameter));
  const codes = Object.entries(op['x-error-codes']).flatMap(([status, names]) => names.map((code) => ({ status, code })));
  const facts = [
    op['x-permission'] === undefined ? 'Needs no credentials' : `Needs <code>${op['x-permission']}</code>`,
    ...(op['x-command'] === undefined ? [] : [`Command <code>switchyard ${escapeHtml(op['x-command'])}</code>`]),
    `Id <code>${op.operationId}</code>`,
  ];
  return `<section id="${op.operationId}">
<h2>${escapeHtml(op.summary)}${op.deprecated ? ' <span class="old">(deprecated)</span>' : ''}</h2>
<p class="endpoint mono"><span class="method">${op.method}</span> <span>${escapeHtml(op.path)}</span></p>
${markdown(op.description ?? '')}
<p class="facts">${facts.join(' · ')}</p>
${parameters.length === 0 ? '' : `<h3>Parameters</h3>${parameterTable(parameters)}`}
${Object.entries(op.requestBody?.content ?? {})
  .map(([type, { schema }]) => `<h3>Body <span class="muted">${type}</span></h3>${schemaTable(document, schema)}`)
  .join('')}
<h3>Request</h3>${codeBlock(curlOf(op, parameters))}
${Object.entries(op.responses)
  .filter(([status]) => Number(status) < 400)
  .map(([status, { description, content }]) => answerOf(status, description, Object.values(content ?? {})[0]))
  .join('')}
<details><summary>Errors: ${codes.length} codes</summary>${table(
    ['Status', 'Code', 'Reason'],
    codes.map(({ status, code }) => [status, `<code>${code}</code>`, escapeHtml(ERRORS[code].reason)]),
  )}</details>
</section>`;
}

const answerOf = (
  status: string,
  description: string,
  content: { readonly schema: Schema; readonly example?: unknown } | undefined,
): string => {
  const type = content && typeOf(content.schema);
  const shape = type === undefined ? '' : type.name === undefined ? escapeHtml(type.text) : schemaLink(type.name, type.text);
  const example = content?.example === undefined ? '' : codeBlock(JSON.stringify(content.example, null, 2));
  return `<h3>Answer ${status} <span class="muted">${escapeHtml(description)}</span> ${shape}</h3>${example}`;
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<div class="wide" tabindex="0"><table><thead><tr>${head.map((cell) => `<th scope="col">${cell}</th>`).join('')}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</tbody></table></div>`;

const REQUIRED = ' <span class="required">required</span>';

const parameterTable = (parameters: readonly Parameter[]): string =>
  table(
    ['Name', 'In', 'Type', 'Meaning'],
    parameters.map(({ name, in: place, required, description, schema }) => [
      `<code>${escapeHtml(name)}</code>${required ? REQUIRED : ''}`,
      place,
      typeCell(schema),
      meaning(description, schema),
    ]),
  );

function typeCell(schema: Schema): string {
  const { text, name } = typeOf(schema);
  return name === undefined ? escapeHtml(text) : schemaLink(name, text);
}

const meaning = (description: string, schema: Schema): string =>
  markdown([description, boundsOf(schema).join('; ')].filter((text) => text !== '').join(' — '))
    .replace(/^<p>/, '')
    .replace(/<\/p>$/, '');

/** The members of an object, or the variants of a union. */
function schemaTable(document: ApiDocument, source: Schema): string {
  const schema = source.$ref === undefined ? source : (document.components.schemas[nameOf(source.$ref)] ?? {});
  const textOf = (member: Schema): string =>
    member.description ?? (member.$ref === undefined ? '' : (document.components.schemas[nameOf(member.$ref)]?.description ?? ''));
  if (schema.properties)
    return table(
      ['Member', 'Type', 'Meaning'],
      Object.entries(schema.properties).map(([name, member]) => [
        `<code>${escapeHtml(name)}</code>${schema.required?.includes(name) ? REQUIRED : ''}`,
        typeCell(member),
        meaning(textOf(member), member),
      ]),
    );
  const { discriminator } = schema;
  if (discriminator)
    return table(
      [`<code>${discriminator.propertyName}</code>`, 'Schema'],
      Object.entries(discriminator.mapping).map(([value, ref]) => [`<code>${escapeHtml(value)}</code>`, schemaLink(nameOf(ref))]),
    );
  const parts = schema.allOf ?? schema.anyOf ?? schema.oneOf;
  if (parts) return `<p>${schema.allOf ? 'All of' : 'One of'}: ${parts.map(typeCell).join(', ')}</p>`;
  return `<p>${escapeHtml(typeOf(schema).text)}. ${meaning('', schema)}</p>`;
}

export function schemaPage(document: ApiDocument, name: string): Page | undefined {
  const schema = Object.hasOwn(document.components.schemas, name) ? document.components.schemas[name] : undefined;
  if (!schema) return undefined;
  const ref = `"#/components/schemas/${name}"`;
  const users = operationsOf(document).filter((op) => JSON.stringify(op).includes(ref));
  const holders = Object.entries(document.components.schemas).filter(([, other]) => JSON.stringify(other).includes(ref));
  const links: Link[] = [
    ...users.map((op) => ({ href: pathOfOperation(op), label: op.operationId })),
    ...holders.map(([other]) => ({ href: `/docs/schemas/${other}`, label: other })),
  ];
  const list = links.map(({ href, label }) => `<li><a href="${href}">${escapeHtml(label)}</a></li>`).join('');
  return {
    title: name,
    html: `<h1>${escapeHtml(name)}</h1>${markdown(schema.description ?? '')}${schemaTable(document, schema)}${list === '' ? '' : `<h2>Used by</h2><ul>${list}</ul>`}`,
  };
}

export const eventsPage = (document: ApiDocument): Page => ({
  title: 'Events',
  html: `<h1>Events</h1><p>What webhooks carry, the log lists and the stream sends. All of them together are ${schemaLink('Event')}.</p>${table(
    ['Event', 'When', 'Payload'],
    Object.values(document.webhooks).flatMap(({ post }) =>
      post['x-event-types'].map((type) => [
        `<code>${escapeHtml(type)}</code>`,
        escapeHtml(post.summary),
        typeCell(post.requestBody.content['application/json']?.schema ?? {}),
      ]),
    ),
  )}`,
});

export const errorsPage = (document: ApiDocument): Page => ({
  title: 'Errors',
  html: `<h1>Errors</h1><p>Every code of the API. Each operation lists those that it can answer.</p>${table(
    ['Status', 'Code', 'Reason'],
    Object.entries(document['x-errors']).map(([code, { status, reason }]) => [
      String(status),
      `<code id="${code}">${code}</code>`,
      escapeHtml(reason),
    ]),
  )}`,
});

/** The same request on the command line. `.data/sandbox.env` has the address and the token of the sandbox. */
export function curlOf(op: ApiOperation, parameters: readonly Parameter[]): string {
  const value = (name: string, place: string): unknown => parameters.find((one) => one.name === name && one.in === place)?.example;
  const path = op.path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(value(name, 'path') ?? whole));
  const query = parameters
    .filter(({ in: place, example, required }) => place === 'query' && required && example !== undefined)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
    .join('&');
  const [type, content] = Object.entries(op.requestBody?.content ?? {})[0] ?? [];
  const example = content?.example;
  const body =
    type === 'multipart/form-data'
      ? Object.entries((example ?? {}) as Record<string, unknown>).map(([name, text]) =>
          String(text).startsWith('(') ? `-F '${name}=@${name}.pdf;type=application/pdf'` : `-F '${name}=${String(text)}'`,
        )
      : example === undefined
        ? []
        : ["-H 'content-type: application/json'", `-d '${JSON.stringify(example, null, 2).replaceAll("'", "'\\''")}'`];
  const parts = [
    `curl${op.method === 'GET' || (op.method === 'POST' && body.length > 0) ? '' : ` -X ${op.method}`} "$SWITCHYARD_URL${path}${query === '' ? '' : `?${query}`}"`,
    ...(op['x-permission'] === undefined || op['x-permission'] === 'ISSUER' ? [] : ['-u "$SWITCHYARD_TOKEN_ID:$SWITCHYARD_TOKEN_SECRET"']),
    ...(parameters.some(({ name, required }) => name === 'Idempotency-Key' && required) ? ["-H 'idempotency-key: a-new-key'"] : []),
    ...body,
  ];
  return parts.join(' \\\n  ');
}

type Found = Link & { readonly text: string };

/** Everything that has a name, by how well the words fit. */
export function search(document: ApiDocument, query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);
  if (words.length === 0) return [];
  const entries: (Found & { readonly weight: number })[] = [
    ...operationsOf(document).map((op) => ({
      href: pathOfOperation(op),
      label: op.summary,
      text: `${op.method} ${op.path} · ${op.operationId} · ${op['x-command'] ?? ''} · ${op.description ?? ''}`,
      weight: 3,
    })),
    ...document.tags.map(({ name, description }) => ({ href: pathOfTag(name), label: name, text: description, weight: 4 })),
    ...Object.entries(document.components.schemas).map(([name, schema]) => ({
      href: `/docs/schemas/${name}`,
      label: name,
      text: `${schema.description ?? ''} ${Object.keys(schema.properties ?? {}).join(', ')}`,
      weight: 1,
    })),
    ...Object.entries(document['x-errors']).map(([code, { reason }]) => ({
      href: `/docs/errors#${code}`,
      label: code,
      text: reason,
      weight: 2,
    })),
  ];
  return entries
    .map((entry) => ({ entry, score: scoreOf(words, entry.label.toLowerCase(), entry.text.toLowerCase()) * entry.weight }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 50)
    .map(({ entry: { href, label, text } }) => ({ href, label, text }));
}

/** Every word must be found; in the name it counts more than in the text. */
function scoreOf(words: readonly string[], label: string, text: string): number {
  let score = 0;
  for (const word of words) {
    if (label === word) score += 20;
    else if (label.includes(word)) score += 5;
    else if (text.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

export function searchPage(document: ApiDocument, query: string): Page {
  const found = search(document, query);
  const list = found.map(
    ({ href, label, text }) =>
      `<li><a href="${href}">${escapeHtml(label)}</a><br><span class="muted">${escapeHtml(text.slice(0, 160))}</span></li>`,
  );
  return {
    title: 'Search',
    query,
    html: `<h1>Search</h1><p>${found.length === 0 ? 'Nothing found' : `${found.length} found`} for “${escapeHtml(query)}”.</p><ol>${list.join('')}</ol>`,
  };
}
