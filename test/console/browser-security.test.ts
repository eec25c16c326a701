// The security rules of the console as a browser enforces them: pages of other origins, the policy of the page, the cookie, and a console
// that only reads.
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from '../support/browser.js';
import { expectStatus } from '../support/client.js';
import { startOwnService, startTestService, type TestService } from '../support/service.js';
import { openBrowser, type Tabs } from './tab.js';

describe('the console in a browser', { skip: withoutBrowser }, () => {
  let service: TestService;
  let tabs: Tabs;
  let evil: http.Server;
  let evilPort: number;
  before(async () => {
    [service, tabs] = await Promise.all([startTestService(), openBrowser()]);
    evil = http.createServer(({ url }, response) =>
      url === '/pixel.png'
        ? response.setHeader('content-type', 'image/svg+xml').end('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')
        : response.setHeader('content-type', 'text/html').end('<!doctype html><p>Another site</p>'),
    );
    await new Promise<void>((listening) => evil.listen(0, '127.0.0.1', listening));
    evilPort = (evil.address() as AddressInfo).port;
  });
  after(async () => {
    await tabs.close();
    await new Promise((closed) => evil.close(closed));
    await service.stop();
  });

  const customers = async () => (await expectStatus(200, service.platform.get('/customers'))).totalCount as number;

  /** What a page of another origin gets for a call with the cookies of the visitor, as far as the browser lets it see. */
  const attempt = (page: Page, path: string, init: Record<string, unknown>) =>
    page.evaluate(
      async ([url, options]) => {
        const answer = await fetch(url, { credentials: 'include', ...options }).catch(() => undefined);
        return answer && { type: answer.type, status: answer.status };
      },
      [service.url + path, init] as const,
    );

  test('pages of another site and of another port neither read nor write, and cannot show the console in a frame', async () => {
    const tab = await tabs.open(service);
    await tab.signIn();
    const before = await customers();
    // The cookie of the session is that of 127.0.0.1. Another port is another origin of the same site; another name is another site.
    for (const origin of [`http://127.0.0.1:${evilPort}`, `http://localhost:${evilPort}`]) {
      const page = await tab.page.context().newPage();
      await page.goto(origin);
      const body = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Mallory' });
      assert.equal(await attempt(page, '/console/api/customers', {}), undefined, 'a read is not answered to another origin');
      const json = { method: 'POST', headers: { 'content-type': 'application/json', 'x-switchyard-console': '1' }, body };
      assert.equal(await attempt(page, '/console/api/customers', json), undefined, 'the browser asks first, and is refused');
      // What needs no question beforehand arrives, and is refused by the service.
      const answered = page.waitForResponse((response) => response.url().endsWith('/console/api/customers'));
      await attempt(page, '/console/api/customers', { method: 'POST', mode: 'no-cors', body });
      assert.equal((await answered).status(), 403);
      const framed = page.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()));
      await page.evaluate((url) => {
        const frame = document.createElement('iframe');
        frame.src = `${url}/console`;
        document.body.append(frame);
      }, service.url);
      await framed;
      await page.close();
    }
    assert.equal(await customers(), before);
    await tab.close();
  });

  test('a link of another site opens the console for whoever is signed in', async () => {
    const tab = await tabs.open(service);
    await tab.signIn();
    await tab.page.goto(`http://localhost:${evilPort}`);
    await tab.page.evaluate((url) => {
      location.href = `${url}/console/clock`;
    }, service.url);
    await tab.page.getByRole('heading', { name: 'Clock' }).waitFor();
    await tab.page.close();
  });

  test('scripts cannot read the cookie; the policy stops inline scripts, styles, markup and calls to other servers', async () => {
    const tab = await tabs.open(service);
    await tab.signIn();
    const seen = await tab.page.evaluate(async (other) => {
      const failures: string[] = [];
      try {
        document.body.innerHTML = '<p>markup</p>';
      } catch (error) {
        failures.push((error as Error).name);
      }
      document.body.setAttribute('style', 'color: red');
      const image = document.createElement('img');
      const loaded = new Promise((resolve) => {
        image.onload = () => resolve('loaded');
        image.onerror = () => resolve('stopped');
      });
      image.src = `${other}/pixel.png`;
      const call = await fetch(other, { mode: 'no-cors' }).then(
        () => 'answered',
        () => 'stopped',
      );
      const picture = await loaded;
      const inline = document.createElement('script');
      try {
        inline.textContent = 'window.wasRun = true';
      } catch (error) {
        failures.push((error as Error).name);
      }
      document.body.append(inline);
      return {
        cookie: document.cookie,
        kept: Object.keys(localStorage),
        failures,
        call,
        picture,
        wasRun: 'wasRun' in window,
        color: document.body.style.color,
      };
    }, `http://127.0.0.1:${evilPort}`);
    assert.deepEqual(seen, {
      cookie: '',
      kept: [],
      failures: ['TypeError', 'TypeError'],
      call: 'stopped',
      picture: 'stopped',
      wasRun: false,
      color: '',
    });
    const [cookie, ...others] = (await tab.page.context().cookies()).filter(({ path }) => path === '/console');
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, others.length], [true, 'Strict', 0]);
    await tab.page.close();
  });

  test('a console that only reads has no buttons that change something', async () => {
    const reading = await startOwnService({ CONSOLE: 'read-only' });
    try {
      const reader = await tabs.open(reading);
      await reader.signIn();
      await reader.page.locator('header.top').getByText('read-only').waitFor();
      for (const path of ['customers', 'tokens', 'clock', 'webhooks']) {
        await reader.visit(path);
        assert.deepEqual(await reader.page.locator('main .actions button').allInnerTexts(), [], path);
      }
      await reader.close();
    } finally {
      await reading.stop();
    }
  });
});
