// The security rules of the console as a browser enforces them: pages of other origins, the policy of the page, the cookie, a console that
// only reads, and one in live mode.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { readConfig } from '../../src/config.js';
import { sql } from '../../src/db/sql.js';
import { launchBrowser, withoutBrowser } from '../support/browser.js';
import { type Client, expectStatus } from '../support/client.js';
import { given } from '../support/given.js';
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

  /** A port that nobody listens on. */
  async function freePort(): Promise<number> {
    const server = http.createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    return port;
  }

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

  test('a name that was pointed at this address gets nothing from the door, signed in or not', async () => {
    const browser = await launchBrowser(['rebound.example']);
    try {
      const page = await browser.newPage();
      const { port } = new URL(service.url);
      await page.goto(`http://rebound.example:${port}/console`);
      const { tokenId, secret } = service.platform;
      const answers = await page.evaluate(
        async (credentials) => {
          const headers = { 'x-switchyard-console': '1', 'content-type': 'application/json' };
          const opened = await fetch('/console/session', { method: 'POST', headers, body: JSON.stringify(credentials) });
          const read = await fetch('/console/api/config', { headers });
          return [opened, read].map(({ status }) => status);
        },
        { tokenId, secret },
      );
      assert.deepEqual(answers, [403, 403]);
      assert.deepEqual(await page.context().cookies(), []);
    } finally {
      await browser.close();
    }
  });

  test('a token that may only view gets no buttons, nothing of another platform, and no page once it is deleted', async () => {
    const customer = await given(service.platform).customer();
    const theirs = await given(await service.newPlatform()).customer();
    const token = await expectStatus(201, service.platform.post('/tokens', { name: 'reader', permissions: ['VIEW'] }));
    const tab = await tabs.open({ ...service, platform: { ...service.platform, tokenId: token.clientId, secret: token.clientSecret } });
    const { page } = tab;
    await tab.signIn();
    for (const path of ['customers', `customers/${customer.id}`, 'tokens', 'clock', 'webhooks']) {
      await tab.visit(path);
      assert.deepEqual(await page.locator('main .actions button, main [data-actions] button').allInnerTexts(), [], path);
    }
    // The door refuses what the page does not show.
    const status = await page.evaluate(async () => {
      const headers = { 'x-switchyard-console': '1', 'content-type': 'application/json' };
      const body = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Mallory' });
      return (await fetch('/console/api/customers', { method: 'POST', headers, body })).status;
    });
    assert.equal(status, 403);
    await tab.visit(`customers/${theirs.id}`);
    assert.doesNotMatch(await page.locator('main').innerText(), new RegExp(theirs.fullName));
    await expectStatus(204, service.platform.delete(`/tokens/${token.id}`));
    await tab.goTo('cards');
    await page.getByLabel('Token id').waitFor();
    await page.close();
  });

  test('a tab whose browser has signed in with the token of another platform writes nothing there: it asks to sign in again', async () => {
    const [first, second] = [await service.newPlatform(), await service.newPlatform()];
    const tab = await tabs.open({ ...service, platform: first });
    const { page } = tab;
    await tab.signIn('customers');
    await tab.visit('customers');
    await tab.button('Create customer').click();
    await page.getByLabel('Full name').fill('Ada Lovelace');
    // In another tab of the same browser.
    await page.evaluate(
      (credentials) =>
        fetch('/console/session', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-switchyard-console': '1' },
          body: JSON.stringify(credentials),
        }),
      { tokenId: second.tokenId, secret: second.secret },
    );
    await tab.inDialog('Create customer').click();
    await page.getByLabel('Token id').waitFor();
    for (const platform of [first, second]) assert.equal((await expectStatus(200, platform.get('/customers'))).totalCount, 0);
    await page.close();
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

  test('a service that cannot tell yet who is signed in is asked again, and the reader stays signed in', async () => {
    const tab = await tabs.open(service);
    await tab.signIn();
    let asked = 0;
    await tab.page.route('**/console/session', (route) => {
      asked += 1;
      return asked === 1 ? route.fulfill({ status: 503, json: { code: 'SERVICE_UNAVAILABLE', reason: 'not ready' } }) : route.fallback();
    });
    await tab.page.goto(`http://localhost:${evilPort}`);
    await tab.page.evaluate((url) => {
      location.href = `${url}/console/clock`;
    }, service.url);
    await tab.page.getByRole('heading', { name: 'Clock' }).waitFor();
    assert.equal(asked, 2);
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

  test('live mode has no console unless it is switched on', async () => {
    const live = { MODE: 'live', KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const off = await startOwnService(live);
    // Switched on it needs an address that browsers trust with a cookie.
    for (const PUBLIC_URL of [undefined, 'http://pay.example'])
      assert.throws(() => readConfig({ ...live, CONSOLE: 'on', PUBLIC_URL }), /CONSOLE.*https:/s);
    // Its address is behind a proxy in production; here the browser takes that of the machine.
    const PORT = String(await freePort());
    const on = {
      ...(await startOwnService({ ...live, PORT, DATABASE_URL: off.databaseUrl, CONSOLE: 'on', PUBLIC_URL: 'https://pay.example' })),
      url: `http://127.0.0.1:${PORT}`,
    };
    try {
      // Of the same database. A client calls the public address of its service.
      const platform = await off.newPlatform();
      const visitor = await tabs.open({ ...off, platform });
      assert.equal((await visitor.page.goto(`${off.url}/console`))?.status(), 404);
      assert.match((await visitor.page.goto(off.url))?.url() ?? '', /\/docs/);
      await visitor.page.close();
      await seeLive(on, platform);
    } finally {
      await on.stop();
      await off.stop();
    }
  });

  /** A console in live mode: signed in to with a token only, without anything of a sandbox, and with a red rule along the top. */
  async function seeLive(on: TestService, platform: Client) {
    const wallet = { accountType: 'ETHEREUM_WALLET', address: '0x52908400098527886E0F7030069857D2E4169EE7' };
    const customer = await given(platform).customer();
    const account = await expectStatus(
      201,
      platform.post('/customers/external-accounts', {
        customerId: customer.id,
        currency: 'USDC',
        ownershipType: 'FIRST_PARTY',
        accountInfo: wallet,
      }),
    );
    // No link signs in, and no program gets a code for one.
    assert.equal(on.service.consoleLink, undefined);
    const asked = await fetch(`${on.url}/console/codes`, { method: 'POST', headers: { authorization: platform.authorization } });
    assert.equal(asked.status, 404);
    const tab = await tabs.open({ ...on, platform });
    const { page } = tab;
    await tab.signIn();
    const cookies = (await page.context().cookies()).filter(({ name }) => name === 'switchyard_console');
    assert.ok(cookies.length > 0 && cookies.every(({ secure, httpOnly }) => secure && httpOnly));
    await page.emulateMedia({ colorScheme: 'light' });
    const top = await page.locator('.app').evaluate((app) => [getComputedStyle(app).borderTopWidth, getComputedStyle(app).borderTopColor]);
    assert.deepEqual(top, ['4px', 'rgb(180, 35, 47)']);
    assert.match(await page.locator('header.top').innerText(), /^Switchyard\s+live/);
    assert.doesNotMatch(await page.locator('.rail').innerText(), /sandbox|Clock|Simulate|Signing desk|Test wallets|Reset/i);
    for (const path of [
      'clock',
      'simulate',
      'signing',
      'wallets',
      'reset',
      'messages',
      'snapshots',
      'card-programs',
      'issuer-credentials',
    ]) {
      await tab.visit(path);
      await page.getByRole('heading', { name: 'No such page' }).waitFor();
    }
    await tab.visit('operations');
    await page.locator('main').getByText('createCustomer', { exact: true }).waitFor();
    assert.doesNotMatch(await page.locator('main').innerText(), /sandbox[A-Z]|[a-z]Sandbox/);
    const actionsOn = async (path: string) => {
      await tab.visit(path);
      return page.locator('main [data-actions] button').allInnerTexts();
    };
    const actions = await actionsOn(`customers/${customer.id}`);
    assert.ok(actions.includes('Delete') && !actions.includes('Set verification'), String(actions));
    const own = await actionsOn(`accounts/${(await given(platform).account(customer, 'USD')).id}`);
    assert.ok(!own.includes('Fund'), String(own));
    assert.ok(!(await actionsOn(`external-accounts/${account.id}`)).includes('Liveness outcome'));
    assert.doesNotMatch(await page.locator('main').innerText(), /test wallet/);
    // The log keeps no bodies.
    const { data } = await expectStatus(200, platform.get('/requests?operation=createCustomer'));
    await tab.visit(`requests/${data[0].id}`);
    await page.getByRole('heading', { name: 'POST /customers' }).waitFor();
    assert.doesNotMatch(await page.locator('main').innerText(), /Ada Lovelace/);
    // The door refuses what the page does not show.
    const status = (path: string) =>
      page.evaluate(async (url) => (await fetch(url, { headers: { 'x-switchyard-console': '1' } })).status, `/console/api/${path}`);
    assert.deepEqual([await status('config'), await status('sandbox/clock')], [200, 404]);
    // Half an hour without a call ends the session.
    await on.db.run(sql`update console_sessions set seen_at = now() - interval '31 minutes'`);
    await tab.goTo('cards');
    await page.getByLabel('Token id').waitFor();
    await page.close();
  }
});
