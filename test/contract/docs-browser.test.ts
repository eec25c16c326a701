// The reference pages in a real browser: accessible in both colour schemes, readable at every width, searchable by keyboard.
import '../support/own-process.js';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { axeOnPage, launchBrowser, openPage, withoutBrowser } from '../support/browser.js';
import { startTestService, type TestService } from '../support/service.js';

const PAGES = [
  '/docs',
  '/docs/cards',
  '/docs/sandbox',
  '/docs/schemas/ExternalAccountInfoOneOf',
  '/docs/schemas/Card',
  '/docs/events',
  '/docs/errors',
  '/docs/guides/webhooks',
  '/docs/search?q=card',
];

describe('the reference in a browser', { skip: withoutBrowser }, () => {
  let service: TestService;
  let browser: Browser;
  before(async () => {
    service = await startTestService();
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });

  test('axe finds nothing in either colour scheme, nothing is loaded from elsewhere, no policy is violated', async () => {
    const { page, problems, close } = await openPage(browser, service.url, { colorScheme: 'light' });
    for (const path of PAGES) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(service.url + path);
      assert.deepEqual(await axeOnPage(page, 'html'), [], path);
      // Only colours differ in the dark.
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await axeOnPage(page, 'html', ['color-contrast']), [], `${path} in the dark`);
    }
    assert.deepEqual(problems, []);
    await close();
  });

  test('no page scrolls sideways at 390, 1024 and 1440 pixels', async () => {
    for (const width of [390, 1024, 1440]) {
      const { page, close } = await openPage(browser, service.url, { viewport: { width, height: 900 } });
      for (const path of PAGES) {
        await page.goto(service.url + path);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        assert.equal(overflow, 0, `${path} at ${width}`);
      }
      await close();
    }
  });

  test('search by keyboard alone leads to the operation', async () => {
    const { page, close } = await openPage(browser, service.url);
    await page.goto(`${service.url}/docs`);
    await page.keyboard.press('Tab'); // skip link
    await page.keyboard.press('Tab'); // name
    await page.keyboard.press('Tab'); // search
    await page.keyboard.type('freeze clock');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/search?q=freeze+clock');
    await page.getByRole('link', { name: /Freeze, set, advance or resume/ }).click();
    await page.waitForURL('**/docs/sandbox#updateSandboxClock');
    await close();
  });
});
