// The console in a real browser, on the real service: signing in, every page, creating, funding, the clock, the palette, signing out.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, withoutBrowser } from '../support/browser.js';
import { startOwnService, type TestService } from '../support/service.js';

describe('console', { skip: withoutBrowser }, () => {
  let service: TestService;
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];
  before(async () => {
    service = await startOwnService();
    browser = await launchBrowser();
    page = await (await browser.newContext()).newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    // The console of the browser also reports refused requests, which the page shows by itself.
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) problems.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) problems.push(`off origin: ${request.url()}`);
    });
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  const open = (path: string) => page.goto(`${service.url}/console${path}`);
  const loaded = async () => {
    await page.locator('h1').waitFor();
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
  };
  const inDialog = (name: string) => page.locator('dialog').getByRole('button', { name });
  const assertAccessible = async (what: string) => {
    const { violations } = await new AxeBuilder({ page }).analyze();
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${what}: ${id} ${nodes[0]?.html}`),
      [],
    );
  };

  test('a wrong secret keeps what was typed; the right one signs in', async () => {
    await open('/home');
    await page.getByLabel('Token id').fill(service.platform.tokenId);
    await page.getByLabel('Secret').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The credentials were not accepted.').waitFor();
    await assertAccessible('sign-in');
    assert.equal(await page.getByLabel('Token id').inputValue(), service.platform.tokenId);
    await page.getByLabel('Secret').fill(service.platform.secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    assert.equal(await page.evaluate(() => localStorage.length), 0);
  });

  test('a customer is created, and a refused field is named beside it', async () => {
    await open('/customers');
    await page.getByRole('button', { name: 'Create customer' }).click();
    await page.getByLabel('Full name').fill('Ada Lovelace');
    await page.getByLabel('E-mail').fill('nope');
    await inDialog('Create customer').click();
    await page.locator('dialog .problem').waitFor();
    await assertAccessible('form');
    assert.equal(await page.getByLabel('Full name').inputValue(), 'Ada Lovelace');
    await page.getByLabel('E-mail').fill('ada@example.com');
    await inDialog('Create customer').click();
    await page.getByRole('heading', { name: /Ada Lovelace/ }).waitFor();
    // The request log is written a moment after the answer.
    while (!(await page.locator('.timeline').getByText('createCustomer').isVisible())) {
      await page.reload();
      await loaded();
    }
  });

  test('an account is funded from its page', async () => {
    await page.locator('.related a[href*="/accounts/"]').first().click();
    await page.getByRole('button', { name: 'Fund' }).click();
    await inDialog('Fund').click();
    await page.getByText('100.00').first().waitFor();
  });

  test('the clock is frozen, moved and resumed', async () => {
    await open('/clock');
    await page.getByRole('button', { name: 'Freeze' }).click();
    await page.getByText('frozen').waitFor();
    const moved = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.getByRole('button', { name: '+ 1 hour' }).click();
    await moved;
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('running').waitFor();
  });

  test('the secret of a new token is shown once', async () => {
    await open('/tokens');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Name', { exact: true }).last().fill('from the console');
    await inDialog('Create token').click();
    await page.locator('dialog').getByText(/^sk_/).waitFor();
    await inDialog('Close').click();
    await page.getByText('from the console').waitFor();
  });

  test('a request that is made elsewhere arrives on the page', async () => {
    await open('/requests');
    await page.getByRole('heading', { name: /Requests/ }).waitFor();
    const arrived = page.getByRole('button', { name: /\d+ new/ });
    // The stream begins when it is open: requests are sent until the first one arrives.
    while (!(await arrived.isVisible())) await service.platform.get('/config');
    await arrived.click();
    await page.getByText('getPlatformConfig').first().waitFor();
  });

  test('the palette opens a page by its name and an object by its id, with the keyboard alone', async () => {
    const { body } = await service.platform.get('/customers?limit=1');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('clock');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Clock' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type(body.data[0].id);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Ada Lovelace/ }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: /Events/ }).waitFor();
  });

  for (const path of [
    'home',
    'customers',
    'accounts',
    'external-accounts',
    'transactions',
    'cards',
    'verifications',
    'events',
    'requests',
    'tokens',
    'webhooks',
    'clock',
  ]) {
    test(`/${path}: accessible in both schemes, and no sideways scroll at 390, 1024 and 1440 pixels`, async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await open(`/${path}`);
        await loaded();
        await assertAccessible(`${path} ${colorScheme}`);
      }
      for (const width of [390, 1024, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${path} scrolls at ${width}`);
      }
      assert.equal(await page.locator('.notice').count(), 0);
    });
  }

  test('an unknown object says so', async () => {
    await open('/cards/Card:01a1e489-0000-7000-8000-000000000000');
    await page.getByRole('heading', { name: 'No such card on this platform' }).waitFor();
  });

  test('signing out leads to the sign-in form; nothing failed and nothing left the origin', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token id').waitFor();
    assert.deepEqual(problems, []);
  });
});
