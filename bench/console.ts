// The console: sizes of its files as they are sent, its first paint beside that of an empty page of the same server, and how smoothly a
// long log scrolls.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser, withoutBrowser } from '../test/support/browser.js';
import { startOwnService, type TestService } from '../test/support/service.js';
import { median, type Row } from './measure.js';

const FILES = join(import.meta.dirname, '../console');
const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

function sizes(): Row[] {
  const names = readdirSync(FILES);
  const sum = (wanted: readonly string[]) => wanted.reduce((total, name) => total + statSync(join(FILES, name)).size, 0);
  const page = readFileSync(join(FILES, 'sandbox.html'), 'utf8');
  const first = names.filter((name) => name.endsWith('.js') && page.includes(name)).map((name) => `${name}.gz`);
  const row = (name: string, bytes: number, most: number): Row => ({
    name,
    measured: kB(bytes),
    limit: `≤ ${kB(most)}`,
    holds: bytes <= most,
  });
  return [
    row('scripts of the first page, gzip', sum(first), 45_000),
    row('all scripts, gzip', sum(names.filter((name) => name.endsWith('.js.gz'))), 120_000),
    row('page with its style, gzip', gzipSync(page).length, 8_000),
    row('fonts', sum(names.filter((name) => name.endsWith('.woff2'))), 90_000),
  ];
}

/** A context of the browser with an empty cache, and with a session of the console where one is given. */
async function contextOf(browser: Browser, service: TestService, isSignedIn: boolean): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  if (!isSignedIn) return context;
  const { tokenId, secret } = service.platform;
  await context.request.post(`${service.url}/console/session`, {
    headers: { 'x-switchyard-console': '1', 'sec-fetch-site': 'same-origin', origin: service.url },
    data: { tokenId, secret },
  });
  return context;
}

// ---- first paint

const ROUNDS = 15;
const MOST = 1.5;
/** A new tab has its own processes, which begin beside whatever comes next. */
const TAB_STARTS_MS = 500;

type Paint = {
  readonly ms: number;
  /** What was on the page by then: the name of the product, and links. */
  readonly text: string;
};

/** Milliseconds from the request to the first paint of text, in a new tab without a cache. */
async function firstPaint(browser: Browser, service: TestService, path: string, isSignedIn = false): Promise<Paint> {
  const context = await contextOf(browser, service, isSignedIn);
  const page = await context.newPage();
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint');
      if (paint) Object.assign(window, { painted: { ms: paint.startTime, text: document.body.innerText } });
    }).observe({ type: 'paint', buffered: true });
  });
  await pause(TAB_STARTS_MS);
  await page.goto(service.url + path);
  const handle = await page.waitForFunction(() => (window as unknown as { painted?: Paint }).painted);
  const painted = (await handle.jsonValue()) as Paint;
  await context.close();
  return painted;
}

async function paints(browser: Browser, service: TestService): Promise<Row[]> {
  const figures = { plain: [] as number[], frame: [] as number[], signIn: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    figures.plain.push((await firstPaint(browser, service, '/llms.txt')).ms);
    const frame = await firstPaint(browser, service, '/console/customers', true);
    if (!/^Switchyard[\s\S]*Customers[\s\S]*Webhooks/.test(frame.text.replace(/^Skip to the page\s*/, '')))
      throw new Error(`painted without the frame: ${frame.text}`);
    figures.frame.push(frame.ms);
    figures.signIn.push((await firstPaint(browser, service, '/console')).ms);
  }
  const plain = median(figures.plain);
  const row = (name: string, ms: number): Row => ({
    name,
    measured: `${ms.toFixed(0)} ms`,
    beside: `a plain text of the same server ${plain.toFixed(0)} ms`,
    ratio: ms / plain,
    limit: `≤ ${MOST}`,
    holds: ms / plain <= MOST,
  });
  return [row('first paint of a page: frame and links', median(figures.frame)), row('first paint of the sign-in', median(figures.signIn))];
}

// ---- a long log

const ROWS = 10_000;
const FRAMES = 240;
const LEAST_FPS = 50;
/** 12,000 pixels a second: a hard flick. */
const FLICK = 200;
/** Most of the screen: every frame shows other rows, as when the bar is dragged. */
const DRAG = 600;

const logged = (at: number) => ({
  id: `01a1e489-0000-7000-8000-${String(at).padStart(12, '0')}`,
  operation: at % 3 === 0 ? 'createCustomer' : 'listTransactions',
  method: at % 3 === 0 ? 'POST' : 'GET',
  path: at % 3 === 0 ? '/customers' : '/transactions?limit=25',
  status: at % 10 === 0 ? 400 : 200,
  ...(at % 10 === 0 && { code: 'INVALID_INPUT' }),
  durationMs: (at * 7) % 90,
  timestamp: new Date(Date.UTC(2031, 2, 12, 15) - at * 1_000).toISOString(),
});

/** Frames a second while the script scrolls in each. */
const scroll = (page: Page, pixels: number): Promise<number> =>
  page.evaluate(
    async ([frames, step]) => {
      const box = document.querySelector('main .scroll') as HTMLElement;
      const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
      await frame();
      const start = await frame();
      let end = start;
      for (let count = 0; count < frames; count += 1) {
        box.scrollTop += step;
        end = await frame();
      }
      return (frames * 1_000) / (end - start);
    },
    [FRAMES, pixels] as const,
  );

async function longLog(browser: Browser, service: TestService): Promise<Row> {
  const context = await contextOf(browser, service, true);
  const page = await context.newPage();
  const data = Array.from({ length: ROWS }, (_, at) => logged(at));
  await page.route(/console\/api\/requests\?/, (route) => route.fulfill({ json: { data, hasMore: false, totalCount: ROWS } }));
  await page.goto(`${service.url}/console/requests`);
  await page.waitForFunction((rows) => document.querySelector(`main table[aria-rowcount="${rows + 1}"]`), ROWS, { timeout: 120_000 });
  const dragged = await scroll(page, DRAG);
  await page.evaluate(() => document.querySelector('main .scroll')?.scrollTo(0, 0));
  const fps = await scroll(page, FLICK);
  await context.close();
  return {
    name: `a log of ${ROWS.toLocaleString('en-US')} rows scrolls`,
    measured: `${fps.toFixed(0)} frames/s at ${FLICK} px a frame, ${dragged.toFixed(0)} at ${DRAG} px`,
    limit: `≥ ${LEAST_FPS}`,
    holds: fps >= LEAST_FPS,
  };
}

export async function consolePages(): Promise<Row[]> {
  const rows = sizes();
  if (withoutBrowser) return rows;
  const service = await startOwnService();
  const browser = await launchBrowser();
  try {
    return [...rows, ...(await paints(browser, service)), await longLog(browser, service)];
  } finally {
    await browser.close();
    await service.stop();
  }
}
