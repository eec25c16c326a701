// What people do in the console, in a real browser on the real service: the first run, forms, every action of the sandbox, keys, and what
// they see while the service is away.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { axeOnPage, withoutBrowser } from '../support/browser.js';
import { expectStatus } from '../support/client.js';
import { platformNameOf } from '../support/platform-name.js';
import { quoting } from '../support/quotes.js';
import { startOwnService, type TestService } from '../support/service.js';
import { type Receiver, startReceiver } from '../support/webhooks/receiver.js';
import { type Desk, givenDesk, PLAIN_PAGES } from './desk.js';
import { openBrowser, settled, type Tab, type Tabs } from './tab.js';

const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

describe('console', { skip: withoutBrowser }, () => {
  let service: TestService;
  let tabs: Tabs;
  let tab: Tab;
  let page: Tab['page'];
  let receiver: Receiver;
  let desk: Desk;

  before(async () => {
    [service, tabs, receiver] = await Promise.all([startOwnService({ KEY_ENCRYPTION_KEY }), openBrowser(), startReceiver()]);
    tab = await tabs.open(service);
    page = tab.page;
  });
  after(async () => {
    await tabs.close();
    await receiver.close();
    await service.stop();
  });

  const timelineOf = async (objectId: string): Promise<readonly { attempts?: readonly unknown[] }[]> =>
    (await expectStatus(200, service.platform.get(`/timeline?objectId=${objectId}`))).data;

  /** Every operation whose caller belongs to a platform, with the codes that the document lists for it. */
  const operationCodes = async () => {
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
      paths: Record<
        string,
        Record<string, { operationId: string; deprecated?: boolean; 'x-permission'?: string; 'x-error-codes': Record<string, string[]> }>
      >;
    };
    const all = Object.values(document.paths).flatMap((path) => Object.values(path));
    return all
      .filter((one) => !one.deprecated && one['x-permission'] !== undefined)
      .map((one) => ({ id: one.operationId, codes: Object.values(one['x-error-codes']).flat() }));
  };

  const visit = (path: string) => tab.visit(path);
  const button = (name: string | RegExp) => tab.button(name);
  const inDialog = (name: string) => tab.inDialog(name);
  const dialogIsClosed = () => tab.dialogIsClosed();

  test('first run: the link of the start message signs in once, and the home page shows the first steps', async () => {
    const link = service.service.consoleLink ?? '';
    await page.goto(link);
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    assert.equal(new URL(page.url()).hash, '');
    assert.equal(await page.locator('.steps .badge').count(), 0);
    assert.deepEqual(await axeOnPage(page, 'body'), []);
    const other = await tabs.open(service);
    await other.page.goto(link);
    await other.page.getByText('The link was used or has expired.').waitFor();
    await other.close();
  });

  test('a wrong secret keeps what was typed; the right one signs in, and nothing is kept in the browser', async () => {
    const other = await tabs.open(service);
    await other.page.goto(`${service.url}/console/home`);
    await other.page.getByLabel('Token id').fill(service.platform.tokenId);
    await other.page.getByLabel('Secret').fill('wrong');
    await other.button('Sign in').click();
    await other.page.getByText('The credentials were not accepted.').waitFor();
    assert.deepEqual(await axeOnPage(other.page, 'body'), []);
    assert.equal(await other.page.getByLabel('Token id').inputValue(), service.platform.tokenId);
    await other.page.getByLabel('Secret').fill(service.platform.secret);
    await other.button('Sign in').click();
    await other.button('Sign out').waitFor();
    assert.equal(await other.page.evaluate(() => localStorage.length), 0);
    await other.button('Sign out').click();
    await other.page.getByLabel('Token id').waitFor();
    await other.close();
  });

  test('the endpoint is set from the page, and a test is sent to it', async () => {
    await visit('webhooks');
    await page.getByRole('region', { name: 'How to receive' }).waitFor();
    await button('Set endpoint').click();
    await page.getByLabel('Webhook endpoint').fill(receiver.url);
    await inDialog('Set endpoint').click();
    await page.getByText(receiver.url).waitFor();
    await button('Send a test').click();
    await inDialog('Send a test').click();
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    await inDialog('Close').click();
    assert.ok(receiver.received.length > 0);
  });

  test('a customer is created from the form of the document; a refused member is named beside it and keeps what was typed', async () => {
    await visit('customers');
    await button('Create customer').click();
    await page.getByLabel('Full name').fill('Ada Lovelace');
    await page.getByLabel('Email').fill('nope');
    await inDialog('Create customer').click();
    await page.locator('dialog .problem').first().waitFor();
    assert.equal(await page.getByLabel('Full name').inputValue(), 'Ada Lovelace');
    await page.getByLabel('Email').fill('ada@example.com');
    await inDialog('Create customer').click();
    await page.getByRole('heading', { name: /Ada Lovelace/ }).waitFor();
    await page.getByText(/^Now approved\. What can follow: /).waitFor();
    const { id } = (await expectStatus(200, service.platform.get('/customers?limit=1'))).data[0];
    // The worker delivers beside the test.
    while (!(await timelineOf(id)).some(({ attempts = [] }) => attempts.length > 0));
    await visit('home');
    await visit(`customers/${id}`);
    // From the request to the change to the event to the attempt to deliver it.
    await page.locator('.timeline li', { hasText: 'createCustomer' }).getByText('201').waitFor();
    const event = page.locator('.timeline li', { hasText: 'CUSTOMER.KYC_APPROVED' });
    await event.getByText('by request').waitFor();
    assert.match(await event.locator('.attempt').innerText(), /^attempt 1 200 \d+ ms/);
    await visit('home');
    await page.locator('.steps .badge').first().waitFor();
  });

  test('a busy service is asked again after the time that it named; a page that cannot be drawn says so; a secret is hidden after half a minute', async () => {
    const { body } = await service.platform.get('/customers?limit=1');
    const other = await tabs.open(service);
    await other.page.clock.install();
    await other.signIn();
    let asked = 0;
    await other.page.route(/console\/api\/cards\?limit=25$/, (route) => {
      asked += 1;
      return asked === 1
        ? route.fulfill({ status: 429, headers: { 'retry-after': '20' }, json: { code: 'RATE_LIMITED', reason: 'Too many requests.' } })
        : route.continue();
    });
    await other.goTo('cards');
    await other.page.getByText(/^The service is busy; asking again in \d+ s\.$/).waitFor();
    await other.page.clock.fastForward(20_000);
    await other.page.getByText('No cards yet.').waitFor();
    assert.equal(asked, 2);

    await other.page.route(/console\/api\/timeline/, (route) =>
      route.fulfill({ json: { data: [{ kind: 'EVENT', attempts: 5 }], hasMore: false } }),
    );
    await other.goTo(`customers/${body.data[0].id}`);
    await other.page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
    await other.page.getByText(/^Its requests: [0-9a-f-]{36}/).waitFor();

    await other.visit('webhooks');
    await other.button('Show the secret').click();
    const dialog = other.page.locator('dialog[open]');
    await dialog.getByRole('button', { name: 'Show the secret' }).click();
    await dialog.getByRole('region', { name: 'Answer' }).waitFor();
    await other.page.clock.fastForward(30_000);
    await dialog.waitFor({ state: 'detached' });
    await other.close();
  });

  test('an account is funded from its page, and the statement adds up', async () => {
    const account = (await expectStatus(200, service.platform.get('/customers/internal-accounts?currency=USD&limit=1'))).data[0];
    await visit(`accounts/${account.id}`);
    await button('Fund').click();
    await inDialog('Fund').click();
    await page.getByText('Opening balance and 1 change add up to the closing balance.').waitFor();
    await page.getByRole('cell', { name: '100.00 USD' }).first().waitFor();
    await visit(`statements?accountId=${account.id}`);
    await page.getByText('Opening balance and 1 change add up to the closing balance.').waitFor();
  });

  test('tabs and history are told apart: every page has a title of its own, an object its name', async () => {
    const titles = new Map<string, string>();
    for (const path of [...PLAIN_PAGES.filter((one) => !one.includes('/')), 'operations/createQuote', 'operations/createCard']) {
      await visit(path);
      titles.set(path, await page.title());
    }
    assert.equal(new Set(titles.values()).size, titles.size, [...titles.values()].sort().join('\n'));
    assert.equal(titles.get('transactions'), 'Transactions · Switchyard');
    const { id } = await expectStatus(201, service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Title Holder' }));
    await visit(`customers/${id}`);
    await page.waitForFunction(() => document.title.startsWith('Title Holder …'));
    await page.goBack();
    await page.waitForFunction(() => document.title.startsWith('createCard'));
  });

  test('on a small screen the filters of a list stand behind a button that says how many are set', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await visit('transactions?type=CARD');
    const fold = button('Filters (1)');
    assert.equal(await fold.getAttribute('aria-expanded'), 'false');
    assert.equal(await page.getByLabel('Reference').isVisible(), false);
    const below = await fold.evaluate((one) => one.getBoundingClientRect().bottom);
    assert.ok(below < 320, `the list begins below ${below}`);
    await fold.click();
    await page.locator('#filter-type').selectOption('');
    await button('Filters').waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.equal(await button('Filters').isVisible(), false);
    assert.equal(await page.getByLabel('Reference').isVisible(), true);
  });

  test('what a rate sends and receives is money of its two currencies', async () => {
    const [rate] = (await expectStatus(200, service.platform.get('/exchange-rates?sourceCurrency=USD&destinationCurrency=VND'))).data;
    assert.deepEqual([rate.sendingAmount, rate.destinationCurrency.decimals], [10_000, 0]);
    await visit('exchange-rates?sourceCurrency=USD&destinationCurrency=VND');
    const cells = await page.locator('tbody tr').first().locator('td').allInnerTexts();
    assert.ok(cells.includes('100.00 USD'), cells.join(' | '));
    assert.ok(cells.includes(`${rate.receivingAmount.toLocaleString('en-US')} VND`), cells.join(' | '));
  });

  test('the fees of a payment are money of what was sent', async () => {
    const platform = await service.newPlatform();
    const pay = quoting(platform);
    await pay.currencies('USD', 'EUR');
    const customer = await pay.customer();
    const account = await pay.fund(await pay.account(customer, 'USD'), 1_000_000);
    const quote = await pay.quote(pay.request(account, await pay.eur(customer), 100_000));
    await pay.execute(quote);
    const { id, fees } = await pay.transaction(quote);
    assert.ok(fees > 0);
    // A browser of its own: the tabs of one have one session.
    const other = await openBrowser();
    try {
      const paying = await other.open({ ...service, platform });
      await paying.signIn();
      await paying.visit(`transactions/${id}`);
      await paying.page
        .getByText(`${(fees / 100).toFixed(2)} USD`, { exact: true })
        .first()
        .waitFor();
    } finally {
      await other.close();
    }
  });

  test('the longest name leaves the other columns of a list in view', async () => {
    const name = 'W'.repeat(200);
    const { id } = await expectStatus(201, service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: name }));
    await visit('customers');
    const row = page.locator('tbody tr').filter({ hasText: name });
    const [second, box] = await Promise.all([row.locator('td').nth(1).boundingBox(), page.locator('main .scroll').boundingBox()]);
    assert.ok(second && box && second.x + second.width <= box.x + box.width, `${JSON.stringify(second)} in ${JSON.stringify(box)}`);
    await expectStatus(200, service.platform.delete(`/customers/${id}`));
  });

  test('the clock is frozen, moved and resumed', async () => {
    await visit('clock');
    // The next job that falls due.
    await page.getByRole('heading', { name: 'What falls due next' }).waitFor();
    await button('Freeze').click();
    // The frame tells it from the stream, on every page.
    for (const place of ['main', 'header.top']) await page.locator(place).getByText('frozen').waitFor();
    const moved = page.waitForResponse((response) => response.request().method() === 'PUT');
    await button('+ 1 hour').click();
    await moved;
    await page.getByRole('heading', { name: 'What ran' }).waitFor();
    await button('Resume').click();
    for (const place of ['main', 'header.top']) await page.locator(place).getByText('running').waitFor();
  });

  test('the secret of a new token is shown once; deleting it asks for its name', async () => {
    await visit('tokens');
    await button('Create token').click();
    await page.locator('dialog').getByLabel('Name').fill('from the console');
    await inDialog('Create token').click();
    await page.locator('dialog').getByText(/^sk_/).waitFor();
    await inDialog('Close').click();
    await page.getByRole('link', { name: 'from the console' }).click();
    await button('Delete').click();
    assert.equal(await inDialog('Delete').isDisabled(), true);
    await page.getByLabel(/Type/).fill('from the console');
    await inDialog('Delete').click();
    await page.getByRole('heading', { name: /API tokens/ }).waitFor();
    await page.getByRole('link', { name: 'from the console' }).first().waitFor({ state: 'detached' });
  });

  test('columns are chosen, and the choice is kept; rows can be compact', async () => {
    await visit('customers');
    await page.getByText('Columns').click();
    await page.getByLabel('Currencies').uncheck();
    await page.getByRole('columnheader', { name: 'Currencies' }).first().waitFor({ state: 'detached' });
    await page.reload();
    await settled(page);
    assert.equal(await page.getByRole('columnheader', { name: 'Currencies' }).count(), 0);
    await page.getByText('Columns').click();
    await page.getByLabel('Currencies').check();
    const height = () => page.evaluate(() => document.querySelector('tbody tr')?.getBoundingClientRect().height ?? 0);
    const before = await height();
    await page.getByLabel('Compact rows').check();
    await page.locator('table.compact').waitFor();
    assert.equal(before - (await height()), 8);
    await page.getByLabel('Compact rows').uncheck();
  });

  test('a request that is made elsewhere arrives on the page', async () => {
    await visit('requests');
    // The stream of the tab is open once it has told the clock.
    await page.locator('header.top time').waitFor();
    await service.platform.get('/config');
    const [arrived, row] = [button(/\d+ new/), page.getByText('getPlatformConfig').first()];
    // Requests of the tests before may arrive first.
    for (;;) {
      await arrived.or(row).first().waitFor();
      if (await row.isVisible()) break;
      await arrived.click();
      await settled(page);
    }
  });

  test('a tab has one stream, whatever it shows; it closes while the tab is hidden and goes on after the last message', async () => {
    const other = await tabs.open(service);
    const streams: string[] = [];
    let open = 0;
    other.page.on('request', (request) => {
      if (!request.url().endsWith('/live')) return;
      streams.push(request.headers()['last-event-id'] ?? 'from now');
      open += 1;
    });
    other.page.on('requestfailed', (request) => {
      if (request.url().endsWith('/live')) open -= 1;
    });
    await other.signIn();
    const running = other.page.locator('header.top').getByText('running');
    await running.waitFor();
    for (const path of ['requests', 'events', 'home', 'requests']) await other.visit(path);
    assert.deepEqual([streams, open], [['from now'], 1]);
    const hide = async (hidden: boolean) => {
      await other.page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    };
    const closed = other.page.waitForEvent('requestfailed', (request) => request.url().endsWith('/live'));
    await hide(true);
    await closed;
    assert.equal(open, 0);
    await service.platform.get('/config');
    await hide(false);
    await other.button(/\d+ new/).waitFor();
    assert.match(streams[1] ?? '', /^\d+\.\d+\.[0-9a-f-]{36}$/);
    assert.equal(open, 1);
    await other.close();
  });

  test('the palette opens a page by its name, an object by its id and an action by its label, with the keyboard alone', async () => {
    const { data } = await expectStatus(200, service.platform.get('/customers?limit=100'));
    const ada = data.find(({ fullName }: { fullName?: string }) => fullName === 'Ada Lovelace');
    await visit('home');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('clock');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Clock' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type(ada.id);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Ada Lovelace/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Ada');
    await button('Ada Lovelace').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Ada Lovelace/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Create tok');
    await page.keyboard.press('Enter');
    await page.locator('dialog form footer').waitFor();
    await page.getByRole('heading', { name: /^API tokens/ }).waitFor();
    await inDialog('Cancel').click();
    await dialogIsClosed();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: /Events/ }).waitFor();
  });

  test('a test wallet of each chain proves its account', async () => {
    const { body } = await service.platform.get('/customers?limit=1');
    for (const chain of ['ethereum', 'solana', 'bitcoin']) {
      await visit('wallets');
      await page.getByLabel('Customer').fill(body.data[0].id);
      await page.getByLabel('Chain').selectOption(chain);
      await button('Make a wallet').click();
      await button('Prove with the test wallet').click();
      await page.locator('h1 .badge', { hasText: 'active' }).waitFor();
    }
  });

  test('a recipe runs, and its event appears beside the form', async () => {
    await visit('simulate');
    await page.getByLabel('What happens').selectOption('card.settled');
    await button('Run').click();
    await page.locator('form').getByRole('link', { name: 'CARD_TRANSACTION.SETTLED' }).waitFor();
    await page.getByRole('region', { name: 'Last runs' }).getByRole('link', { name: 'CARD_TRANSACTION.SETTLED' }).waitFor();
  });

  test('any refusal that the document lists is produced from the page, once, and the page of the request explains it', async () => {
    const create = () => service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Grace Hopper' });
    await visit('simulate');
    const refusals = page.getByRole('region', { name: 'Refusals' });
    const operations = await operationCodes();
    assert.deepEqual(await refusals.getByLabel('Operation').locator('option').count(), operations.length);
    await refusals.getByLabel('Operation').selectOption('createCustomer');
    const codes = operations.find(({ id }) => id === 'createCustomer')?.codes ?? [];
    assert.deepEqual(await refusals.getByLabel('Code').locator('option').allInnerTexts(), codes);
    await refusals.getByLabel('Code').selectOption('RATE_LIMITED');
    await button('Refuse the next request').click();
    await refusals.getByText('waits, 1 left').waitFor();
    const refused = await create();
    assert.deepEqual([refused.status, refused.body.code, (await create()).status], [429, 'RATE_LIMITED', 201]);
    await visit(`requests/${refused.headers.get('x-request-id')}`);
    const why = page.getByRole('region', { name: 'Why it was refused' });
    await why.getByText('RATE_LIMITED').waitFor();
    await why.getByText('429: Too many requests.').waitFor();
    await visit('simulate');
    await refusals.getByText('has happened').waitFor();
    await button('Remove all faults').click();
    await refusals.getByText('has happened').first().waitFor({ state: 'detached' });
  });

  test('the signing desk completes the three legs of a delegated key with a test key', async () => {
    desk = await givenDesk(service.platform, service, receiver);
    await visit(`signing?accountId=${desk.walletId}`);
    await page.getByLabel('Card id').fill(desk.cardOfWallet);
    await page.getByLabel('Nickname').fill('Groceries');
    await button('Delegate a key').click();
    const payload = page.getByRole('region', { name: 'To be signed' }).locator('pre');
    await page.getByText(/^\d+:\d\d left$/).waitFor();
    const first = await payload.innerText();
    await button('Sign with a test key').click();
    // Leg 1 asks, legs 2 and 3 are signed. The next leg has another payload.
    await page.waitForFunction((before) => document.querySelector('[aria-label="To be signed"] pre')?.textContent !== before, first);
    assert.match(await payload.innerText(), /SELF_REVOKE/);
    await button('Sign every leg').click();
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    await page.getByText('Groceries').first().waitFor();
  });

  test('a signature that is not accepted is refused beside the form, and the reader stays signed in', async () => {
    await visit(`signing?accountId=${desk.walletId}`);
    await page.getByLabel('Operation').selectOption('Change the wallet');
    await page.getByLabel('Private enabled').selectOption('true');
    await page.locator('form.operation').getByRole('button', { name: 'Change the wallet' }).click();
    await page.getByLabel('Signature of the end user’s app').fill('not a stamp');
    await button('Send').click();
    await page.getByText('WALLET_SIGNATURE_MALFORMED').waitFor();
    assert.equal(await page.getByLabel('Token id').count(), 0);
    assert.equal(await page.getByLabel('Signature of the end user’s app').inputValue(), 'not a stamp');
  });

  test('the desk shows an open signature with its legs, the time that is left, what is signed, and why a retry failed', async () => {
    await visit('signing');
    await page.getByRole('link', { name: 'updateInternalAccount' }).first().click();
    await page.getByRole('heading', { name: /^Leg 2 of 2 \d+:\d\d left$/ }).waitFor();
    await page.getByRole('region', { name: 'To be signed, byte for byte' }).waitFor();
    await page.getByRole('cell', { name: 'WALLET_SIGNATURE_MALFORMED' }).waitFor();
  });

  test('a card shows what it spent today beside its limits, the key that signs, and a state opens the action that leads to it', async () => {
    await visit(desk.objects['card'] ?? '');
    await page.getByText('5.00 USD of 20.00 USD').waitFor();
    await page.locator('.machine .open', { hasText: 'frozen' }).click();
    await inDialog('Freeze').click();
    await page.locator('h1 .badge', { hasText: 'frozen' }).waitFor();
    await page.locator('.machine .visited', { hasText: 'active' }).waitFor();
    await page.locator('.machine .open', { hasText: 'active' }).click();
    await inDialog('Unfreeze').click();
    await page.locator('h1 .badge', { hasText: 'active' }).waitFor();
    await visit(`cards/${desk.cardOfKey}`);
    await page.getByRole('heading', { name: 'Key that signs' }).waitFor();
    const keyId = desk.objects['key']?.split(':')[1] ?? '';
    await page.locator(`a[href*="${keyId}"]`).first().waitFor();
    await visit(desk.objects['key'] ?? '');
    await page.getByText('SELF_REVOKE').waitFor();
    await page.getByRole('heading', { name: 'Pulls signed' }).waitFor();
  });

  test('a declined authorization says in words which rule decided', async () => {
    await visit(desk.objects['declined transaction'] ?? '');
    await page.getByText('The amount is above the limit for one purchase, or a limit of the day would be exceeded.').first().waitFor();
    await page.getByText('Rule 4 of 7 decided').click();
    await page.locator('.rules li', { hasText: 'Not asked.' }).first().waitFor();
    assert.equal(await page.locator('.rules li', { hasText: 'Not asked.' }).count(), 3);
    // Where the API sorts, so does the list.
    await visit('transactions');
    await button('Created ↓').click();
    await page.locator('th[aria-sort="ascending"]').waitFor();
    assert.match(page.url(), /\?sortOrder=asc$/);
  });

  test('keys: actions of the object, the id of a row, the rail; they can be switched off', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit(desk.objects['card'] ?? '');
    await page.keyboard.press('.');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Authorize a purchase');
    await page.keyboard.press('[');
    await page.locator('nav.rail').waitFor({ state: 'detached' });
    await page.keyboard.press('[');
    await page.locator('nav.rail').waitFor();
    await visit('tokens');
    // The token of this page has just called.
    await page
      .locator('.last-use', { hasText: /^20\d\d-/ })
      .first()
      .waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('y');
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith('Token:'));
    await page.keyboard.press('?');
    await page.getByLabel(/Keys of one letter are on/).uncheck();
    await page.locator('h1').click();
    await page.keyboard.press('[');
    await page.keyboard.press('Control+k');
    await page.locator('dialog.palette').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('nav.rail').count(), 1);
    await page.getByLabel(/Keys of one letter are on/).check();
    assert.equal(await page.evaluate(() => localStorage.getItem('keys')), null);
  });

  test('a payment that waits for the platform, and an action that waits for its owner, are approved from their pages', async () => {
    await visit(desk.objects['waiting payment'] ?? '');
    await button('Approve').click();
    await inDialog('Approve').click();
    await dialogIsClosed();
    await page.locator('h1 .badge', { hasText: /^(?:processing|completed)$/ }).waitFor();
    await visit('approvals');
    const id = desk.objects['approvals']?.split('/')[1] ?? '';
    await page.locator(`a.row-link[href*="${id.split(':')[1]}"]`).click();
    await button('Approve').click();
    await inDialog('Approve').click();
    await dialogIsClosed();
    await page.locator('h1 .badge', { hasText: /^approved$/ }).waitFor();
    const actions: readonly { id: string; status: string }[] = (await expectStatus(200, service.platform.get('/agents/approvals'))).data;
    assert.equal(actions.find((one) => one.id === id)?.status, 'APPROVED');
  });

  test('an event is sent again from its page, and those since a time from their list; the attempts are told as they happen', async () => {
    const id = desk.objects['events']?.split('/')[1] ?? '';
    const attempts = async () => Number((await expectStatus(200, service.platform.get(`/webhooks/events/${id}`))).attemptCount);
    const before = await attempts();
    await visit(`events/${id}`);
    await button('Send again').click();
    await inDialog('Send again').click();
    await dialogIsClosed();
    // The page follows the stream of the tab.
    await page.getByText(`Attempt ${before + 1} to`).waitFor();
    await page.getByText('Signature valid').first().waitFor();
    await visit('events');
    await button('Replay since …').click();
    await page.getByRole('textbox', { name: 'Since' }).fill('2020-01-01T00:00:00Z');
    await inDialog('Replay since …').click();
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    await inDialog('Close').click();
    while ((await attempts()) < before + 2);
    await visit(`events/${id}`);
    await page.getByText(`Attempt ${before + 2} to`).waitFor();
  });

  test('a token without TRANSACT and MANAGE sees no buttons that change something', async () => {
    const { clientId, clientSecret } = await expectStatus(201, service.platform.post('/tokens', { name: 'reader', permissions: ['VIEW'] }));
    const reader = await tabs.open({ ...service, platform: service.as(clientId, clientSecret) });
    await reader.signIn();
    for (const path of ['customers', desk.objects['card'] ?? '', desk.objects['customer'] ?? '', 'clock', 'webhooks', 'tokens']) {
      await reader.visit(path);
      assert.deepEqual(await reader.page.locator('main .actions button').allInnerTexts(), [], path);
    }
    await reader.close();
  });

  test('an external account of the platform is found by its id, and an approval that is not on the first page', async () => {
    const id = (desk.objects['platform-external-accounts'] ?? '').split('/')[1];
    await visit(`external-accounts/${id}`);
    await page.waitForFunction(() => location.pathname.includes('/platform-external-accounts/'));
    await page.getByRole('heading', { name: 'External account' }).waitFor();
    // One row on each page, as if there were many.
    await page.route('**/console/api/agents/approvals?*', (route) => {
      const isSecond = new URL(route.request().url()).searchParams.has('cursor');
      const action = { id: isSecond ? 'AgentAction:second' : 'AgentAction:first', status: 'PENDING_APPROVAL', type: 'QUOTE' };
      return route.fulfill({ json: { data: [action], hasMore: !isSecond, ...(!isSecond && { nextCursor: 'c' }) } });
    });
    await visit('approvals/AgentAction:second');
    assert.equal(await button('Approve').count(), 1);
    await page.unroute('**/console/api/agents/approvals?*');
  });

  test('more deliveries than a list counts are not shown as none', async () => {
    await page.route('**/console/api/webhooks/events?deliveryStatus=*', (route) =>
      route.fulfill({ json: { data: [{ id: 'Webhook:1' }], hasMore: true, nextCursor: 'c' } }),
    );
    await visit('webhooks');
    await page.getByText('10,000+ failed').waitFor();
    await page.unroute('**/console/api/webhooks/events?deliveryStatus=*');
  });

  test('a call whose outcome is not known is repeated with its key; a refused one gets another', async () => {
    const keys: string[] = [];
    const answers = [503, 409];
    await page.route('**/console/api/customers', (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      keys.push(route.request().headers()['idempotency-key'] ?? '');
      const status = answers.shift();
      return status === undefined ? route.abort() : route.fulfill({ status, json: { code: 'CODE', reason: `answered ${status}` } });
    });
    await visit('customers');
    await button('Create customer').click();
    await page.getByLabel('Full name').fill('Ada Lovelace');
    for (const said of ['answered 503', 'answered 409', 'The service does not answer. What']) {
      await inDialog('Create customer').click();
      await page.getByText(said).waitFor();
    }
    await inDialog('Cancel').click();
    await page.unroute('**/console/api/customers');
    assert.deepEqual([keys[0] === keys[1], keys[1] === keys[2]], [true, false]);
  });

  test('forms and copies work where the browser has no keys, on an address that is neither https nor loopback', async () => {
    const other = await tabs.open(service);
    await other.page.addInitScript(() => {
      Object.defineProperty(crypto, 'randomUUID', { value: undefined });
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    });
    await other.signIn('customers');
    await other.button('Create customer').click();
    await other.page.getByLabel('Full name').fill('Insecure Address');
    await other.inDialog('Create customer').click();
    await other.page.getByRole('heading', { name: 'Insecure Address' }).waitFor();
    await other.page.locator('button.copy').first().click();
    await other.page.getByText('copied').first().waitFor();
    await other.close();
  });

  test('resetting asks for the name of the platform', async () => {
    await visit('reset');
    assert.equal(await button('Delete all data').isDisabled(), true);
    await page.getByLabel(/Type/).fill(await platformNameOf(service.platform));
    await button('Delete all data').click();
    await page.getByText('The platform is empty.').waitFor();
    await visit('customers');
    await page.getByText('No customers yet.').waitFor();
    await visit('events');
    await button('Send a test').waitFor();
  });

  test('a service that goes away and comes back: the page says so, keeps its data and what was typed, and recovers by itself', async () => {
    // A second process of the installation, which is stopped and started again on its port.
    const env = { DATABASE_URL: service.databaseUrl, KEY_ENCRYPTION_KEY };
    const first = await startOwnService(env);
    const { port } = new URL(first.url);
    const reader = await tabs.open(first);
    await reader.signIn();
    await reader.visit('customers');
    await reader.button('Create customer').click();
    await reader.page.getByLabel('Full name').fill('Grace Hopper');
    await first.stop();
    await reader.page.locator('dialog').getByRole('button', { name: 'Create customer', exact: true }).click();
    await reader.page.locator('dialog').getByText('The service does not answer.').waitFor();
    await reader.page.getByText(/The service does not answer; last heard/).waitFor();
    assert.deepEqual(await axeOnPage(reader.page, 'body'), []);
    assert.equal(await reader.page.getByLabel('Full name').inputValue(), 'Grace Hopper');
    const second = await startOwnService({ ...env, PORT: port });
    await reader.page
      .getByText(/last heard/)
      .first()
      .waitFor({ state: 'detached' });
    await reader.page.locator('dialog').getByRole('button', { name: 'Create customer', exact: true }).click();
    await reader.page.getByRole('heading', { name: /Grace Hopper/ }).waitFor();
    await reader.close();
    await second.stop();
  });

  test('nothing failed and nothing left the origin', async () => {
    await tab.close();
    assert.deepEqual(tabs.problems, []);
  });
});
