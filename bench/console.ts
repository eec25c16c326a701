// The console: sizes of its files as they are sent, and its first paint beside that of an empty page of the same server.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser, withoutBrowser } from '../test/support/browser.js';
import { startOwnService } from '../test/support/service.js';
import { median, type Row } from './measure.js';

const FILES = join(import.meta.dirname, '../console');
const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

function sizes(): Row[] {
  const names = readdirSync(FILES);
  const sum = (wanted: readonly string[]) => wanted.reduce((total, name) => total + statSync(join(FILES, name)).size, 0);
  const page = readFileSync(join(FILES, 'index.html'), 'utf8');
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
    row('style sheet, gzip', sum(names.filter((name) => name.endsWith('.css.gz'))), 8_000),
    row('fonts', sum(names.filter((name) => name.endsWith('.woff2'))), 90_000),
  ];
}

const ROUNDS = 15;
const MOST = 1.5;

/** Milliseconds from the request to the first paint, in a browser without a cache. */
async function firstPaint(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  const handle = await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  const ms = Number(await handle.jsonValue());
  await context.close();
  return ms;
}

export async function consolePages(): Promise<Row[]> {
  const rows = sizes();
  if (withoutBrowser) return rows;
  const service = await startOwnService();
  const browser = await launchBrowser();
  try {
    const figures = { page: [] as number[], plain: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      figures.plain.push(await firstPaint(browser, `${service.url}/llms.txt`));
      figures.page.push(await firstPaint(browser, `${service.url}/console`));
    }
    const [page, plain] = [median(figures.page), median(figures.plain)];
    return [
      ...rows,
      {
        name: 'first paint of the console',
        measured: `${page.toFixed(0)} ms`,
        beside: `a plain text of the same server ${plain.toFixed(0)} ms`,
        ratio: page / plain,
        limit: `≤ ${MOST}`,
        holds: page / plain <= MOST,
      },
    ];
  } finally {
    await browser.close();
    await service.stop();
  }
}
