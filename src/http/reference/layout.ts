// The frame of the reference pages. There is no script: search is a form, and every page is made by the service.
import { createHash } from 'node:crypto';
import { escapeHtml } from './markdown.js';

export type Link = { readonly href: string; readonly label: string };
export type Navigation = readonly { readonly title: string; readonly links: readonly Link[] }[];
export type Page = { readonly title: string; readonly html: string; readonly query?: string };

export function layout(page: Page, navigation: Navigation, here: string, version: string): string {
  const link = ({ href, label }: Link): string =>
    `<li><a href="${href}"${href === here ? ' aria-current="page"' : ''}>${escapeHtml(label)}</a></li>`;
  const groups = navigation.map(({ title, links }) => `<h2>${escapeHtml(title)}</h2><ul>${links.map(link).join('')}</ul>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · Switchyard</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
<link rel="alternate" type="text/markdown" href="/llms.txt" title="For assistants">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="/docs">Switchyard <span>API ${escapeHtml(version)}</span></a>
<form role="search" action="/docs/search"><label class="hidden" for="q">Search the reference</label><input id="q" name="q" type="search" placeholder="Search operations, fields, errors" value="${escapeHtml(page.query ?? '')}"><button>Search</button></form>
</header>
<div class="columns">
<nav aria-label="Reference">${groups}</nav>
<main id="content">
${page.html}
</main>
</div>
</body>
</html>
`;
}

export const STYLE = `
:root { color-scheme: light dark;
  --bg: light-dark(#ffffff, #0f1115); --sunken: light-dark(#f6f7f9, #0b0d10); --line: light-dark(#e3e6eb, #262c35);
  --text: light-dark(#171b22, #e7eaef); --muted: light-dark(#5a6372, #9aa4b3); --accent: light-dark(#3451d1, #8da2fb);
  --selected: light-dark(#e9eefb, #1c2740); --ok: light-dark(#116b3f, #62d59b); --warn: light-dark(#855400, #efbf5f); --bad: light-dark(#b4232f, #ff9d9f); }
* { box-sizing: border-box }
body { margin: 0; background: var(--bg); color: var(--text); font: 14px/20px Inter, system-ui, sans-serif }
header { position: sticky; top: 0; z-index: 1; display: flex; gap: 16px; align-items: center; justify-content: space-between; flex-wrap: wrap; padding: 8px 20px; background: var(--bg); border-bottom: 1px solid var(--line) }
.brand { font-weight: 600; color: var(--text); text-decoration: none } .brand span { color: var(--muted); font-weight: 400 }
input, button { font: inherit; height: 32px; padding: 0 12px; border: 1px solid light-dark(#8a93a1, #5d6775); border-radius: 6px; background: var(--bg); color: var(--text) }
input { width: min(320px, 50vw) } button { margin-left: 8px; cursor: pointer }
.columns { display: grid; grid-template-columns: 240px minmax(0, 1fr) }
nav { padding: 8px 20px 32px; border-right: 1px solid var(--line); background: var(--sunken) }
nav h2 { font-size: 11px; line-height: 16px; text-transform: uppercase; letter-spacing: .04em; color: var(--muted); margin: 20px 0 4px }
nav ul { list-style: none; margin: 0; padding: 0 } nav a { display: block; padding: 4px 8px; border-radius: 4px; color: var(--text); text-decoration: none }
nav a:hover { text-decoration: underline } nav a[aria-current] { background: var(--selected); color: var(--accent) }
main { padding: 20px 32px 64px; max-width: 1040px }
h1 { font-size: 24px; line-height: 32px; margin: 8px 0 12px } h2 { font-size: 18px; line-height: 26px; margin: 32px 0 8px } h3 { font-size: 14px; line-height: 20px; margin: 20px 0 8px }
a { color: var(--accent) } p, ul, ol { margin: 8px 0 }
code, pre, .mono { font: 12px/20px "JetBrains Mono", ui-monospace, monospace }
code { background: var(--sunken); padding: 1px 4px; border-radius: 4px; overflow-wrap: anywhere }
pre { background: var(--sunken); border: 1px solid var(--line); border-radius: 6px; padding: 12px; overflow: auto; max-height: 480px } pre code { background: none; padding: 0; overflow-wrap: normal }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100%; margin: 8px 0 } th, td { text-align: left; vertical-align: top; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line) } th { font-size: 12px; color: var(--muted); font-weight: 600 }
section { border-top: 1px solid var(--line); margin-top: 32px } .endpoint { display: flex; gap: 12px; flex-wrap: wrap; align-items: baseline } .endpoint span, .facts, h1, h2, h3, nav a { overflow-wrap: anywhere }
.method { font-weight: 600; color: var(--ok) } .facts, .muted { color: var(--muted) } .required { color: var(--warn); font-size: 12px } .old { color: var(--bad) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.skip { position: absolute; left: -999px } .skip:focus { left: 8px; top: 8px; background: var(--bg); padding: 8px; z-index: 2 }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
@media (max-width: 760px) { .columns { grid-template-columns: minmax(0, 1fr) } nav { border-right: 0; border-bottom: 1px solid var(--line); max-height: 40vh; overflow: auto } main { padding: 16px } }
`;

/** The name changes with the content, so a browser may keep it. */
export const STYLE_PATH = `/docs/style-${createHash('sha256').update(STYLE).digest('hex').slice(0, 12)}.css`;
