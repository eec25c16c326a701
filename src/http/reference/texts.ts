// The reference and the guides as Markdown, for people's assistants: `llms.txt` lists the pages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../root.js';
import { type ApiDocument, boundsOf, nameOf, operationsOf, parameterOf, type Schema, typeOf } from './document.js';
import { slugOf } from './markdown.js';
import { curlOf } from './pages.js';

export type Guide = { readonly name: string; readonly title: string; readonly text: string };

export function readGuides(): Guide[] {
  const folder = join(projectRoot, 'docs/guides');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return { name: file.slice(0, -'.md'.length), title: /^# (.+)$/m.exec(text)?.[1] ?? file, text };
    });
}

export function llmsText({ info, tags }: ApiDocument, guides: readonly Guide[]): string {
  const lines = [
    '# Switchyard',
    '',
    `> ${info.summary} The pages below are Markdown and come from this installation, so they describe the version that runs.`,
    '',
    '## Reference',
    '',
    '- [Introduction](/docs/introduction.md): authentication, idempotency, paging, errors, signed retries, webhooks, sandbox clock',
    ...tags.map(({ name, description }) => `- [${name}](/docs/${slugOf(name)}.md): ${description}`),
    '- [OpenAPI document](/openapi.json): everything, for programs',
    '',
    '## Guides',
    '',
    ...guides.map(({ name, title }) => `- [${title}](/docs/guides/${name}.md)`),
  ];
  return `${lines.join('\n')}\n`;
}

/** One group of operations. */
export function tagText(document: ApiDocument, tag: string): string | undefined {
  const known = document.tags.find(({ name }) => slugOf(name) === tag);
  if (!known) return undefined;
  const operations = operationsOf(document).filter(({ tags }) => tags[0] === known.name);
  const sections = operations.map((op) => {
    const parameters = op.parameters.map((parameter) => parameterOf(document, parameter));
    const body = Object.entries(op.requestBody?.content ?? {})[0];
    const answers = Object.entries(op.responses).filter(([status]) => Number(status) < 400);
    return [
      `## ${op.method} ${op.path}`,
      `${op.summary}. ${op.description ?? ''}`,
      `Operation \`${op.operationId}\`, permission ${op['x-permission'] ?? 'none'}${op['x-command'] === undefined ? '' : `, command \`switchyard ${op['x-command']}\``}.`,
      ...(parameters.length === 0
        ? []
        : [
            parameters
              .map(
                ({ name, in: place, required, description, schema }) =>
                  `- \`${name}\` (${place}${required ? ', required' : ''}, ${typeOf(schema).text}): ${description}`,
              )
              .join('\n'),
          ]),
      ...(body ? [`Body (${body[0]}):`, membersText(document, body[1].schema)] : []),
      ['```sh', curlOf(op, parameters), '```'].join('\n'),
      ...answers.map(([status, { description, content }]) => {
        const [media] = Object.values(content ?? {});
        const example = media?.example === undefined ? '' : `\n\n\`\`\`json\n${JSON.stringify(media.example, null, 2)}\n\`\`\``;
        return `Answer ${status}: ${media ? typeOf(media.schema).text : description}${example}`;
      }),
      `Errors: ${Object.values(op['x-error-codes']).flat().join(', ')}`,
    ].join('\n\n');
  });
  return `# ${known.name}\n\n${known.description}\n\n${sections.join('\n\n')}\n`;
}

function membersText(document: ApiDocument, source: Schema): string {
  const schema = source.$ref === undefined ? source : (document.components.schemas[nameOf(source.$ref)] ?? {});
  if (schema.discriminator)
    return Object.entries(schema.discriminator.mapping)
      .map(([value, ref]) => `With \`${schema.discriminator?.propertyName}\` \`${value}\`: ${nameOf(ref)}`)
      .join('\n\n');
  return Object.entries(schema.properties ?? {})
    .map(([name, member]) => {
      const bounds = boundsOf(member);
      return `- \`${name}\` (${schema.required?.includes(name) ? 'required, ' : ''}${typeOf(member).text}): ${member.description ?? ''}${bounds.length === 0 ? '' : ` ${bounds.join('; ')}.`}`;
    })
    .join('\n');
}
