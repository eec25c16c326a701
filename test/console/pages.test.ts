// Every page and state of the console in a real browser: accessible in both schemes, at every width, and nothing moves while it is read.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { axeOnPage, withoutBrowser } from '../support/browser.js';
import { expectStatus } from '../support/client.js';
import { startTestService, type TestService } from '../support/service.js';
import { type Receiver, startReceiver } from '../support/webhooks/receiver.js';
import { type Desk, givenDesk, PLAIN_PAGES } from './desk.js';
import { type Album, openAlbum, WIDTHS } from './pictures.js';
import { beginShifts, noteShifts, shiftsOn } from './shifts.js';
import { openBrowser, settled, type Tab, type Tabs } from './tab.js';

const NOWHERE = 'cards/Card:01a1e489-0000-7000-8000-000000000000';

describe('pages of the console', { skip: withoutBrowser }, () => {
  let service: TestService;
  let tabs: Tabs;
  let tab: Tab;
  let receiver: Receiver;
  let desk: Desk;
  before(async () => {
    [service, tabs, receiver] = await Promise.all([startTestService(), openBrowser(), startReceiver()]);
    desk = await givenDesk(service.platform, service, receiver);
    tab = await tabs.open(service);
    await tab.page.setViewportSize({ width: 1024, height: 800 });
    await tab.signIn();
    await noteShifts(tab.page);
  });
  after(async () => {
    await tabs.close();
    await receiver.close();
    await service.stop();
  });

  /** What axe finds in the dark scheme, where only colours differ, and in the light one, in which the page is left. */
  async function axe({ page }: Tab, what: string, context = 'main'): Promise<string[]> {
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await axeOnPage(page, context, ['color-contrast']);
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await axeOnPage(page, context);
    return [...light.map((problem) => `${what}, light: ${problem}`), ...dark.map((problem) => `${what}, dark: ${problem}`)];
  }

  /** Opens every form of the page that no page of its kind has opened before. */
  async function openForms(path: string, seen: Set<string>): Promise<string[]> {
    const buttons = tab.page.locator('[data-actions] button');
    const found: string[] = [];
    for (const [at, label] of (await buttons.allTextContents()).entries()) {
      const form = `${path.split('/')[0]} ${label}`.replace('platform-', '');
      if (seen.has(form)) continue;
      seen.add(form);
      await buttons.nth(at).evaluate((one: HTMLElement) => one.click());
      await tab.page.locator('dialog form footer').waitFor();
      // All forms are drawn by the same parts: the first of a page stands for them.
      if (at === 0) found.push(...(await axe(tab, `${path}, form ${label}`, 'dialog[open]')));
      // Not by the mouse: a shift soon after would be taken for the reader's own.
      await tab.inDialog('Cancel').evaluate((one: HTMLElement) => one.click());
      await tab.dialogIsClosed();
    }
    return found;
  }

  test('every page is accessible in both schemes, scrolls sideways at no width, moves nothing while it loads and looks as recorded; every form opens', async () => {
    const { page } = tab;
    const found: string[] = [];
    const seen = new Set<string>();
    const album: Album = await openAlbum(tabs.browser);
    const pages = [
      ...PLAIN_PAGES.map((path) => [path.replace(/\?.*/, ''), path] as const),
      ...Object.entries(desk.objects).map(([name, path]) => [`one ${name}`, path] as const),
    ];
    const scrollsAt = (path: string) => async (width: number) =>
      (await page.evaluate(() => document.documentElement.scrollWidth)) > width ? [`${path} scrolls at ${width}`] : [];
    const hidesPresentState = () =>
      page.evaluate(() => {
        const now = document.querySelector('.machine .now rect')?.getBoundingClientRect();
        return now !== undefined && (now.left < 0 || now.right > innerWidth);
      });
    // A page is opened at the width at which the last one was left: the narrowest, then the widest, in turn.
    let widths: readonly number[] = WIDTHS;
    await page.setViewportSize({ width: WIDTHS[0], height: 800 });
    for (const [name, path] of pages) {
      await beginShifts(page);
      await tab.visit(path);
      found.push(...(await shiftsOn(page)));
      if (await hidesPresentState()) found.push(`${path}: the present state is out of view`);
      const notices = page.locator('.notice:not(.explained)');
      if ((await notices.count()) > 0) found.push(`${path}: ${await notices.first().innerText()}`);
      found.push(...(await album.take(page, name, widths, scrollsAt(path))));
      widths = widths.toReversed();
      found.push(...(await axe(tab, path, path === 'home' ? 'body' : 'main')));
      found.push(...(await openForms(path, seen)));
    }
    found.push(...album.close().map((name) => `${name} was recorded and is not shown any more`));
    assert.deepEqual(found, []);
  });

  test('the frame is there before the script, and nothing moves when the script draws the page', async () => {
    const other = await tabs.open(service);
    await other.signIn();
    const { page } = other;
    const found: string[] = [];
    await noteShifts(page);
    for (const width of [390, 1440])
      for (const path of ['home', 'customers', desk.objects['card'] ?? '', 'clock']) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${service.url}/console/${path}`);
        await settled(page);
        await page.locator('header.top time').waitFor({ state: 'attached' });
        found.push(...(await shiftsOn(page)).map((shift) => `${shift} at ${width}`));
      }
    // Without the script the frame stands, with the name, the mode and the links of every page.
    const links = await page.locator('.rail a').allInnerTexts();
    await page.route(/\.js$/, (route) => route.abort());
    await page.goto(`${service.url}/console/home`);
    assert.deepEqual(await page.locator('.rail a').allTextContents(), links);
    assert.match(await page.locator('header.top').innerText(), /^Switchyard\s+sandbox/);
    found.push(...(await axe(other, 'the frame before the script', 'body')));
    await page.context().clearCookies();
    await page.goto(`${service.url}/console/home`);
    assert.equal(await other.button('Sign in').isDisabled(), true, 'no form that would be sent without the script');
    found.push(...(await axe(other, 'the sign-in before the script', 'body')));
    assert.deepEqual(found, []);
    await other.close();
  });

  test('rows that arrive are counted and move nothing', async () => {
    const { page } = tab;
    for (const path of ['requests', 'events']) {
      await tab.visit(path);
      // What a row says may change while it is looked at: an event is delivered. Which row it is must not.
      const firstRow = () => page.locator('tbody tr').first().locator('a').first().getAttribute('href');
      const first = await firstRow();
      assert.ok(first);
      await beginShifts(page);
      await expectStatus(201, service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' }));
      await tab.button(/^\d+ new$/).waitFor();
      assert.equal(await firstRow(), first);
      assert.deepEqual(await shiftsOn(page), []);
    }
  });

  test('a list of 10,000 rows draws those in view; assistive technology, the mouse and the keys know all of them', async () => {
    const total = 10_000;
    const data = Array.from({ length: total }, (_, at) => ({
      id: `01a1e489-0000-7000-8000-${String(at).padStart(12, '0')}`,
      operation: at % 1_000 === 0 ? 'createCustomerExternalAccountWithALongName' : 'listCustomers',
      method: 'GET',
      path: `/customers?limit=${at}`,
      status: 200,
      durationMs: at % 90,
      timestamp: '2031-03-12T15:00:00.000Z',
    }));
    const other = await tabs.open(service);
    const { page } = other;
    await page.route(/console\/api\/requests\?/, (route) => route.fulfill({ json: { data, hasMore: false, totalCount: total } }));
    await page.setViewportSize({ width: 1440, height: 800 });
    await other.signIn();
    await noteShifts(page);
    const row = (at: number) => page.locator(`tbody tr[aria-rowindex="${at + 2}"]`);
    const drawn = () => page.locator('tbody tr').count();
    const focusedPath = () => page.evaluate(() => document.activeElement?.querySelectorAll('td')[2]?.innerText);
    const isFocused = (at: number) => page.waitForFunction((path) => document.activeElement?.textContent?.includes(path), `limit=${at}`);
    const widths = () => page.locator('th').evaluateAll((heads) => heads.map((head) => head.getBoundingClientRect().width));
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await other.visit('requests');
      await row(0).waitFor();
      assert.equal(await page.locator('table').getAttribute('aria-rowcount'), String(total + 1));
      assert.ok((await drawn()) < 200);
      const [height, columns] = [await page.locator('table').evaluate((table) => table.getBoundingClientRect().height), await widths()];
      await beginShifts(page);
      // By the mouse to the end: in its box, or on a small screen with the page.
      const scrollTo = (share: number) =>
        page.evaluate((part) => {
          const box = [document.querySelector('main .scroll'), document.scrollingElement].find(
            (one): one is Element => !!one && one.scrollHeight > one.clientHeight + 1_000,
          );
          box?.scrollTo(0, box.scrollHeight * part);
        }, share);
      await scrollTo(0.5);
      await row(total / 2).waitFor();
      await scrollTo(1);
      await row(total - 1).waitFor();
      assert.match(await row(total - 1).innerText(), /limit=9999/);
      assert.ok((await drawn()) < 200);
      assert.equal(await row(0).count(), 0);
      assert.deepEqual(
        [await page.locator('table').evaluate((table) => table.getBoundingClientRect().height), await widths()],
        [height, columns],
      );
      assert.deepEqual(await shiftsOn(page), []);
      // By the keys: into the rows in view, to both ends, and step by step further than was drawn.
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      await page.keyboard.press('j');
      assert.match((await focusedPath()) ?? '', /limit=99\d\d/);
      await page.keyboard.press('Home');
      await isFocused(0);
      for (let step = 0; step < 60; step += 1) await page.keyboard.press(step % 2 === 0 ? 'j' : 'ArrowDown');
      await isFocused(60);
      await page.keyboard.press('k');
      await isFocused(59);
      // The row keeps the focus while others are looked at.
      await scrollTo(0.5);
      await row(total / 2).waitFor();
      assert.match((await focusedPath()) ?? '', /limit=59/);
      assert.ok((await drawn()) < 200);
      await page.keyboard.press('ArrowDown');
      await isFocused(60);
      await page.keyboard.press('End');
      await isFocused(total - 1);
      assert.deepEqual(await axe(other, `a long list at ${width}`), []);
      await page.keyboard.press('Enter');
      await page.waitForURL(/requests\/01a1e489-0000-7000-8000-000000009999$/);
    }
    await other.close();
  });

  test('states of refusal and silence are accessible in both schemes, and keep what was typed', async () => {
    const found: string[] = [];
    const note = async (of: Tab, what: string, context?: string) => void found.push(...(await axe(of, what, context)));
    const other = await tabs.open(service);
    const { page } = other;
    await page.goto(`${service.url}/console/customers`);
    await note(other, 'sign-in', 'body');
    await page.getByLabel('Token id').fill(service.platform.tokenId);
    await page.getByLabel('Secret').fill('wrong');
    await other.button('Sign in').click();
    await page.getByText('The credentials were not accepted.').waitFor();
    await note(other, 'refused sign-in', 'body');
    await page.getByLabel('Secret').fill(service.platform.secret);
    await other.button('Sign in').click();
    await page.getByRole('heading', { name: /^Customers/ }).waitFor();

    await other.button('Create customer').click();
    await page.getByLabel('Full name').fill('Ada Lovelace');
    await page.getByLabel('Email').fill('nope');
    await other.inDialog('Create customer').click();
    await page.locator('dialog .problem').first().waitFor();
    await note(other, 'refused form', 'dialog[open]');
    await other.inDialog('Cancel').click();

    await other.visit(NOWHERE);
    await page.getByRole('heading', { name: 'No such card on this platform' }).waitFor();
    await note(other, 'no such object', 'body');
    await other.visit('nowhere');
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    await note(other, 'no such page', 'body');

    await page.route(/console\/api\/timeline/, (route) =>
      route.fulfill({ json: { data: [{ kind: 'EVENT', attempts: 5 }], hasMore: false } }),
    );
    await other.goTo(desk.objects['customer'] ?? '');
    await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
    await note(other, 'a page that cannot be drawn', 'body');

    await page.route(/console\/api\/cards\?/, (route) =>
      route.fulfill({ status: 429, headers: { 'retry-after': '30' }, json: { code: 'RATE_LIMITED', reason: 'Too many requests.' } }),
    );
    await other.goTo('cards');
    await page.getByText(/^The service is busy/).waitFor();
    await note(other, 'a busy service', 'body');

    await other.visit('customers');
    await page.route(/\/console\//, (route) => route.abort());
    await page.getByLabel('Name, e-mail or id').fill('Ada');
    await page.keyboard.press('Enter');
    await page.getByText(/^The service does not answer; last heard/).waitFor();
    await page.locator('main.stale tbody tr').first().waitFor();
    await note(other, 'a silent service', 'body');
    await page.unrouteAll();
    await page.getByText(/last heard/).waitFor({ state: 'detached' });

    // The service ends the session: the page asks to sign in again, and is then back where it was.
    await other.visit('tokens');
    await page.evaluate(() => fetch('/console/session', { method: 'DELETE', headers: { 'x-switchyard-console': '1' } }));
    await other.goTo('events?type=CUSTOMER.KYC_APPROVED');
    await page.getByLabel('Token id').waitFor();
    await note(other, 'an ended session', 'body');
    await page.getByLabel('Token id').fill(service.platform.tokenId);
    await page.getByLabel('Secret').fill(service.platform.secret);
    await other.button('Sign in').click();
    await page.getByRole('heading', { name: /^Events/ }).waitFor();
    assert.match(page.url(), /\/events\?type=CUSTOMER\.KYC_APPROVED$/);

    await page.route(/console\/api\/cards\?/, (route) =>
      route.fulfill({ status: 403, json: { code: 'FORBIDDEN', reason: 'The token lacks the permission VIEW.' } }),
    );
    await other.goTo('cards');
    await page.getByText(/^This token may not/).waitFor();
    await note(other, 'forbidden', 'body');
    await other.close();
    assert.deepEqual(found, []);
  });

  test('pages of an empty platform say what they would show, and are accessible in both schemes', async () => {
    const empty = await tabs.open({ ...service, platform: await service.newPlatform() });
    await empty.signIn();
    const found: string[] = [];
    for (const path of PLAIN_PAGES) {
      await empty.visit(path);
      found.push(...(await axe(empty, `${path}, empty`)));
    }
    await empty.visit('customers');
    await empty.page.getByText('No customers yet.').waitFor();
    await empty.visit('events');
    await empty.button('Send a test').waitFor();
    await empty.visit('signing');
    await empty.page.getByText('Nothing waits for a signature.').waitFor();
    await empty.close();
    assert.deepEqual(found, []);
  });

  test('nothing failed and nothing left the origin', async () => {
    await tab.close();
    assert.deepEqual(tabs.problems, []);
  });
});
