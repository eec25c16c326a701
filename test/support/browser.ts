// A real browser for tests of pages. Tests that need one are skipped where there is none, unless REQUIRE_BROWSER=1.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

function find(): string | undefined {
  const given = process.env['CHROMIUM'];
  if (given) return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((path) => existsSync(path));
}

const path = find();

/** The `skip` option of a test that needs a browser. */
export const withoutBrowser: string | false =
  path === undefined && process.env['REQUIRE_BROWSER'] !== '1' ? 'no Chromium found: install one, or set CHROMIUM to its path' : false;

/** `names` are resolved to this machine, as an attacker's name server would answer. */
export function launchBrowser(names: readonly string[] = []): Promise<Browser> {
  if (path === undefined) throw new Error('REQUIRE_BROWSER=1, and no Chromium was found');
  // Run by root, as in containers, Chromium starts only without its sandbox.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', ...names.map((name) => `--host-resolver-rules=MAP ${name} 127.0.0.1`)];
  return chromium.launch({ executablePath: path, args });
}

export type Opened = {
  readonly page: Page;
  /** Messages of the page that are errors, and requests to other servers. Both must stay empty. */
  readonly problems: string[];
  close(): Promise<void>;
};

/** A page in a context of its own that notes what goes wrong. */
export async function openPage(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
  page.on('pageerror', (error) => void problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) problems.push(`asked for ${request.url()}`);
  });
  return { page, problems, close: () => context.close() };
}

/** What axe finds wrong with a part of the page, one line each. */
export async function axeOnPage(page: Page, context: string, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  // No rule that reads the style sheets runs, so they are not loaded for it.
  const options: axe.RunOptions = { preload: false, resultTypes: ['violations'], ...(rules ? { runOnly: [...rules] } : {}) };
  return page.evaluate(
    async ([selector, wanted]) => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(selector, wanted);
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html.slice(0, 160)}`));
    },
    [context, options] as const,
  );
}
