// The API reference at /docs, the guides, and both as Markdown for assistants: pages made by the service from the API document. No script,
// nothing from other servers.
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../kernel/errors.js';
import { CONSOLE_PATH, type ConsoleOptions, DOCS_PATH, type SandboxToken, shownToken } from './console.js';
import { type ApiDocument, operationsOf } from './reference/document.js';
import { layout, type Navigation, type Page, STYLE, STYLE_PATH } from './reference/layout.js';
import { escapeHtml, markdown } from './reference/markdown.js';
import { errorsPage, eventsPage, introductionPage, pathOfTag, schemaPage, searchPage, tagPage } from './reference/pages.js';
import { type Guide, llmsText, readGuides, tagText } from './reference/texts.js';
import { type StaticText, sendStatic, staticText } from './static-text.js';

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/** A guide sets the variables itself. */
const GUIDES = '/docs/guides/';
const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';

/** The samples of a page with the address and the credentials of the sandbox in place of variables. */
const filled = (html: string, { baseUrl, clientId, secret }: SandboxToken): string =>
  html
    .replaceAll(escapeHtml('"$SWITCHYARD_TOKEN_ID:$SWITCHYARD_TOKEN_SECRET"'), () => escapeHtml(`'${clientId}:${secret}'`))
    .replaceAll('$SWITCHYARD_URL', () => escapeHtml(baseUrl));

export function registerDocs(app: FastifyInstance, documentOf: () => Record<string, unknown>, console: ConsoleOptions | undefined): void {
  let made: Site | undefined;
  const site = (): Site => {
    made ??= createSite(documentOf() as unknown as ApiDocument);
    return made;
  };
  app.get('/', { config: { operation: 'home' } }, async (request, reply) => {
    // A browser goes to the console, a program to the reference.
    const isBrowser = request.headers.accept?.includes('text/html') ?? false;
    return reply.header('vary', 'accept').redirect(isBrowser && console ? CONSOLE_PATH : DOCS_PATH, 303);
  });
  app.get('/llms.txt', { config: { operation: 'docs' } }, async (request, reply) => sendStatic(request, reply, site().page('/llms.txt')));
  for (const url of ['/docs', '/docs/*']) {
    app.get<{ Querystring: { q?: unknown } }>(url, { config: { operation: 'docs' } }, async (request, reply) => {
      reply.header('content-security-policy', POLICY).header('referrer-policy', 'no-referrer');
      const path = (request.url.split('?')[0] ?? '').replace(/\/$/, '');
      if (path === '/docs/search') return sendStatic(request, reply, site().search(String(request.query.q ?? '')));
      const page = site().page(path);
      const token = console && page.type === HTML && !path.startsWith(GUIDES) ? await shownToken(request, console) : undefined;
      if (!token) return sendStatic(request, reply, page);
      return reply.header('content-type', HTML).header('cache-control', 'no-store').send(filled(page.text, token));
    });
  }
}

type Site = { page(path: string): StaticText; search(query: string): StaticText };

const LONGEST_QUERY = 200;

function createSite(document: ApiDocument): Site {
  const guides = readGuides();
  const navigation = navigationOf(document, guides);
  const html = (page: Page, path: string): StaticText => staticText(layout(page, navigation, path, document.info.version), HTML);
  const kept = new Map<string, StaticText>();

  const make = (path: string): StaticText | undefined => {
    if (path === '/llms.txt') return staticText(llmsText(document, guides), MARKDOWN.replace('markdown', 'plain'));
    if (path === STYLE_PATH) return staticText(STYLE, 'text/css; charset=utf-8');
    const parts = /^\/docs(?:\/(schemas|guides))?(?:\/([\w-]+(?:\.md)?))?$/.exec(path);
    if (!parts) return undefined;
    const [, folder, name] = parts;
    const text = name?.endsWith('.md') ? textOf(document, guides, folder, name.slice(0, -'.md'.length)) : undefined;
    if (text !== undefined) return staticText(text, MARKDOWN);
    const page = pageOf(document, guides, folder, name);
    return page && html(page, path);
  };

  return {
    page(path) {
      const page = kept.get(path) ?? make(path);
      if (!page) throw new ApiError('NOT_FOUND', { nearby: ['/docs', '/docs/search?q=', '/llms.txt', '/openapi.json'] });
      kept.set(path, page);
      return page;
    },
    search: (query) => html(searchPage(document, query.slice(0, LONGEST_QUERY)), '/docs/search'),
  };
}

function pageOf(document: ApiDocument, guides: readonly Guide[], folder?: string, name?: string): Page | undefined {
  if (folder === 'schemas') return schemaPage(document, name ?? '');
  if (folder === 'guides') return guidePage(guides.find((guide) => guide.name === name));
  if (name === undefined) return introductionPage(document);
  if (name === 'events') return eventsPage(document);
  if (name === 'errors') return errorsPage(document);
  return tagPage(document, name);
}

function textOf(document: ApiDocument, guides: readonly Guide[], folder: string | undefined, name: string): string | undefined {
  if (folder === 'guides') return guides.find((guide) => guide.name === name)?.text;
  if (folder !== undefined) return undefined;
  return name === 'introduction' ? document.info.description : tagText(document, name);
}

const guidePage = (guide: Guide | undefined): Page | undefined =>
  guide && { title: guide.title, html: markdown(guide.text, { linkTo: guideLink }) };

/** Guides link to each other as files. What is not a guide is read in the repository. */
const guideLink = (href: string): string | undefined => {
  const [, name, anchor = ''] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name !== undefined) return `/docs/guides/${name}${anchor}`;
  return /^(https?:|#)/.test(href) ? href : undefined;
};

function navigationOf(document: ApiDocument, guides: readonly Guide[]): Navigation {
  const used = new Set(operationsOf(document).map(({ tags }) => tags[0]));
  return [
    {
      title: 'Reference',
      links: [
        { href: '/docs', label: 'Introduction' },
        ...document.tags.filter(({ name }) => used.has(name)).map(({ name }) => ({ href: pathOfTag(name), label: name })),
        { href: '/docs/events', label: 'Events' },
        { href: '/docs/errors', label: 'Errors' },
      ],
    },
    { title: 'Guides', links: guides.map(({ name, title }) => ({ href: `/docs/guides/${name}`, label: title })) },
  ];
}
