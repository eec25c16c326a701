// Tabs of the console in a real browser, and what tests do in them.
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { launchBrowser, openPage } from '../support/browser.js';
import type { TestService } from '../support/service.js';

/** The browser also reports refused requests and a service that is away, which the page shows by itself. */
const isExpected = (problem: string): boolean =>
  /status of (?:4\d\d|503)|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_FAILED/.test(problem);

export type Tab = {
  readonly page: Page;
  /** Goes to a page as a link does, without loading the console again. */
  goTo(path: string): Promise<void>;
  /** The same, and waits until it shows what it loads. */
  visit(path: string): Promise<void>;
  button(name: string | RegExp): Locator;
  inDialog(name: string): Locator;
  dialogIsClosed(): Promise<void>;
  signIn(path?: string): Promise<void>;
  close(): Promise<void>;
};

export type Tabs = {
  readonly browser: Browser;
  open(of: TestService, options?: BrowserContextOptions): Promise<Tab>;
  /** What went wrong in the tabs that are closed. */
  readonly problems: readonly string[];
  close(): Promise<void>;
};

/** Waits until a page of the console shows what it loads. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('main')?.innerText.includes('Loading …'));
}

function tabOf(page: Page, { url, platform }: TestService): Tab {
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const goTo = (path: string) =>
    page.evaluate((to) => {
      history.pushState(null, '', `/console/${to}`);
      dispatchEvent(new PopStateEvent('popstate'));
    }, path);
  return {
    page,
    goTo,
    async visit(path) {
      await goTo(path);
      await settled(page);
    },
    button,
    inDialog: (name) => page.locator('dialog').getByRole('button', { name, exact: true }),
    dialogIsClosed: () => page.locator('dialog:not(.palette)').first().waitFor({ state: 'detached' }),
    async signIn(path = 'home') {
      await page.goto(`${url}/console/${path}`);
      await page.getByLabel('Token id').fill(platform.tokenId);
      await page.getByLabel('Secret').fill(platform.secret);
      await button('Sign in').click();
      await button('Sign out').waitFor();
    },
    close: () => page.close(),
  };
}

export async function openBrowser(): Promise<Tabs> {
  const browser = await launchBrowser();
  const problems: string[] = [];
  return {
    browser,
    async open(of, options) {
      const opened = await openPage(browser, of.url, options);
      opened.page.setDefaultTimeout(120_000);
      opened.page.on('close', () => problems.push(...opened.problems.filter((problem) => !isExpected(problem))));
      return tabOf(opened.page, of);
    },
    problems,
    close: () => browser.close(),
  };
}
