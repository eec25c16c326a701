// `npm run screenshots`: every page of the console at three widths in both schemes, as PNG files below dist/screenshots.
// `npm run screenshots -- home cards` takes those whose name holds one of the words.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startEmbeddedPostgres } from '../../src/db/embedded.js';
import { launchBrowser } from '../support/browser.js';
import { prepareTemplate } from '../support/database.js';
import { startOwnService } from '../support/service.js';
import { startReceiver } from '../support/webhooks/receiver.js';
import { givenDesk, PLAIN_PAGES } from './desk.js';
import { SCHEMES, WIDTHS } from './pictures.js';
import { settled } from './tab.js';

const words = process.argv.slice(2);
const folder = join(import.meta.dirname, '../../screenshots');

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-screenshots-'));
chmodSync(dataDir, 0o711);
const postgres = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {}, error: console.error } });
process.env['TEST_DATABASE_URL'] = postgres.url;
await prepareTemplate(postgres.url);
const service = await startOwnService();
const receiver = await startReceiver();
const desk = await givenDesk(service.platform, service, receiver);
const browser = await launchBrowser();

async function signIn(page: Page): Promise<void> {
  await page.goto(`${service.url}/console/home`);
  await page.getByLabel('Token id').fill(service.platform.tokenId);
  await page.getByLabel('Secret').fill(service.platform.secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

try {
  const addresses: (readonly [string, string])[] = [
    ...PLAIN_PAGES.map((path) => [path.replace(/\?.*/, '').replaceAll('/', '-'), path] as const),
    ...Object.entries(desk.objects).map(([name, path]) => [`one-${name.replaceAll(' ', '-')}`, path] as const),
  ];
  const wanted = addresses.filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)));
  const page = await (await browser.newContext()).newPage();
  await signIn(page);
  for (const [name, path] of wanted) {
    await page.goto(`${service.url}/console/${path}`);
    for (const scheme of SCHEMES) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await settled(page);
        const files = join(folder, `${width}-${scheme}`);
        mkdirSync(files, { recursive: true });
        await page.screenshot({ path: join(files, `${name}.png`), fullPage: true });
      }
    }
  }
  console.log(`${wanted.length} pages in ${WIDTHS.length * SCHEMES.length} forms: ${folder}`);
} finally {
  await browser.close();
  await service.stop();
  await receiver.close();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
