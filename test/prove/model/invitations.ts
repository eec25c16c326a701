// Histories of invitations, which cross platforms, and of imports of customers, beside contacts and agreements.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '../../../src/kernel/errors.js';
import { idempotent } from '../../support/cards.js';
import { type Answer, type Client, expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import { businessRow, COLUMNS, csvOf, jobOf, personRow, uploadCsv } from '../../support/imports.js';
import { cancel, claim } from '../../support/invitations.js';
import { ContactHistory, type Member } from './contacts.js';
import { type Command, DAY, type Event, HOUR, MINUTE, START } from './history.js';
import type { Fields } from './packets.js';

type Invitation = {
  readonly isOurs: boolean;
  /** Who invites, if it is a customer of this platform. */
  readonly member: Member | undefined;
  fields: Fields;
  readonly expiresAt: number | undefined;
};
type Row = { readonly text: string; readonly member?: Fields; readonly error?: readonly [id: string, code: string, fields?: string[]] };
type Job = { readonly id: string; readonly shown: Fields };

/** The words of the page for each status. */
const WORDS: Readonly<Record<string, RegExp>> = { PENDING: /open/, CLAIMED: /claimed/, CANCELLED: /cancelled/, EXPIRED: /expired/ };
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  CLAIMED: 'INVITATION_ALREADY_CLAIMED',
  CANCELLED: 'INVITATION_CANCELLED',
  EXPIRED: 'INVALID_INPUT',
};

export class InvitationHistory extends ContactHistory {
  private readonly invitations: Invitation[] = [];
  private readonly jobs: Job[] = [];
  /** Another platform of the installation, with a clock of its own. */
  private other!: Client;
  private otherNow = START;
  private otherUmas: string[] = [];

  override commands(): Record<string, Command> {
    return {
      ...this.contactCommands(),
      invite: [6, () => this.invite()],
      claim: [7, () => this.claim()],
      cancel: [3, () => this.cancel()],
      look: [4, () => this.look()],
      import: [2.5, () => this.import()],
      job: [1, () => this.job()],
      advance: [6, () => this.advance()],
    };
  }

  protected override async prepare(): Promise<void> {
    this.other = await this.service.newPlatform();
    await this.other.clock.freeze(new Date(START));
    for (const name of ['one', 'two']) {
      const { umaAddress } = await given(this.other).customer({ umaAddress: `$${name}@others.example` });
      this.otherUmas.push(umaAddress);
    }
    await this.join();
    await this.join(true);
  }

  // ---- invitations

  private async anyInvitation(): Promise<Invitation | undefined> {
    if (!this.invitations.some(({ fields }) => fields['status'] === 'PENDING')) await this.invite();
    const open = this.invitations.filter(({ fields }) => fields['status'] === 'PENDING');
    return this.any(open.length > 0 && this.random.chance(0.7) ? open : this.invitations);
  }

  private async compareInvitation({ fields }: Invitation): Promise<void> {
    // "readable by every platform of the installation", "case-insensitive"
    const code = this.random.chance(0.3) ? fields['code'].toUpperCase() : fields['code'];
    for (const client of [this.platform, this.other]) this.sameInvitation(await client.get(`/invitations/${code}`), fields);
  }
  private sameInvitation(answer: Answer, fields: Fields, status = 200): void {
    this.agree(answer, status);
    const { amountToSend, ...rest } = answer.body;
    const amount = amountToSend && { amountToSend: [amountToSend.amount, amountToSend.currency.code] };
    this.same({ ...rest, ...amount }, fields, 'the invitation');
  }

  async invite(): Promise<void> {
    const member = this.anyMember();
    const isOurs = this.random.chance(0.75);
    if (!member) return;
    const [client, now] = isOurs ? [this.platform, this.now] : [this.other, this.otherNow];
    const uma: string = isOurs ? member.fields['umaAddress'] : (this.otherUmas[0] ?? '');
    const wrong = this.random.weighted({ nothing: 8, malformed: 1, nobody: 1, past: 1 });
    const expiresAt = this.random.chance(0.6) ? now + this.random.pick([MINUTE, HOUR, DAY]) : undefined;
    const draft = {
      ...(this.random.chance(0.5) && { firstName: `Guest ${this.invitations.length} & Co.` }),
      ...(this.random.chance(0.5) && { amountToSend: this.random.int(1, 100_000) }),
      ...(expiresAt && { expiresAt: new Date(expiresAt).toISOString() }),
    };
    const send = (fields: Fields) => client.post('/invitations', { ...draft, ...fields });
    this.note('invite', isOurs ? member.number : 'elsewhere', wrong, JSON.stringify(draft));
    if (wrong === 'malformed') return this.agree(await send({ inviterUma: 'ada@example.com' }), [400, 'INVALID_UMA_ADDRESS']);
    if (wrong === 'nobody')
      return this.agree(await send({ inviterUma: isOurs ? this.otherUmas[1] : uma.replace('$', '$no') }), [400, 'INVALID_INPUT']);
    if (wrong === 'past' && !member.isDeleted)
      return this.agree(await send({ inviterUma: uma, expiresAt: new Date(now).toISOString() }), [400, 'INVALID_INPUT']);
    const answer = await send({ inviterUma: this.random.chance(0.3) ? uma.toLowerCase() : uma });
    if (isOurs && member.isDeleted) return this.agree(answer, [400, 'INVALID_INPUT']);
    this.agree(answer, 201);
    const { code, url } = answer.body;
    this.same([/^[2-9a-hjkmnp-tv-z]{12}$/.test(code), url.endsWith(`/i/${code}`)], [true, true], 'code and address');
    // "the first of the customer's `currencies`, else the platform's first"
    const currency = isOurs ? (member.fields['currencies'][0] ?? 'USD') : answer.body.amountToSend?.currency.code;
    const amount = draft.amountToSend && { amountToSend: [draft.amountToSend, currency] };
    const fields = { ...draft, ...amount, code, url, status: 'PENDING', inviterUma: uma, createdAt: new Date(now).toISOString() };
    const invitation = { isOurs, member: isOurs ? member : undefined, fields, expiresAt };
    this.sameInvitation(answer, fields, 201);
    this.invitations.push(invitation);
    await this.compareInvitation(invitation);
  }

  /** "Codes, except expired; refusals carry `details.status`." */
  private refusedFor(answer: Answer, status: string): void {
    this.agree(answer, [400, REFUSALS[status] ?? 'INVALID_INPUT']);
    const { details } = answer.body;
    this.same([details.status, details.cause], [status, status === 'EXPIRED' ? 'INVITATION_EXPIRED' : undefined], 'why');
  }

  async claim(): Promise<void> {
    const invitation = await this.anyInvitation();
    const isHere = this.random.chance(0.6);
    const guest = this.any(this.present.filter((member) => member !== invitation?.member));
    if (!invitation || !guest) return;
    const { fields, isOurs, member } = invitation;
    const [client, inviteeUma]: [Client, string] = isHere
      ? [this.platform, guest.fields['umaAddress']]
      : [this.other, this.otherUmas[1] ?? ''];
    const isPending = fields['status'] === 'PENDING';
    const wrong = this.random.weighted({ nothing: 7, malformed: 1, unknown: 0.5, nobody: isPending ? 1 : 0, self: isPending ? 1 : 0 });
    this.note('claim', fields['status'], isOurs ? 'ours' : 'theirs', isHere ? 'here' : 'elsewhere', wrong);
    if (wrong === 'malformed') return this.agree(await claim(client, fields['code'], 'guest'), [400, 'INVALID_UMA_ADDRESS']);
    if (wrong === 'unknown') return this.agree(await claim(client, '222222222222', inviteeUma), [404, 'INVITATION_NOT_FOUND']);
    // "not a live customer of the CLAIMING platform"
    if (wrong === 'nobody') return this.agree(await claim(client, fields['code'], '$nobody@members.example'), [400, 'INVALID_INPUT']);
    if (wrong === 'self') {
      const home = isOurs ? this.platform : this.other;
      if (!member?.isDeleted) this.agree(await claim(home, fields['code'], fields['inviterUma'].toUpperCase()), [400, 'SELF_PAYMENT']);
      return this.compareInvitation(invitation);
    }
    const answer = await claim(client, fields['code'], inviteeUma);
    if (!isPending) return this.refusedFor(answer, fields['status']);
    // "The creator's clock rules"
    const claimedAt = new Date(isOurs ? this.now : this.otherNow).toISOString();
    invitation.fields = { ...fields, status: 'CLAIMED', inviteeUma, claimedAt };
    this.sameInvitation(answer, invitation.fields);
    if (this.random.chance(0.3)) this.refusedFor(await claim(client, fields['code'], inviteeUma), 'CLAIMED');
    await this.compareInvitation(invitation);
  }

  /** "cancellable only by its creator"; "Unknown code is 404 before 403" */
  async cancel(): Promise<void> {
    const invitation = await this.anyInvitation();
    if (!invitation) return;
    const { fields, isOurs } = invitation;
    const isHere = this.random.chance(0.7);
    const answer = await cancel(isHere ? this.platform : this.other, fields['code']);
    this.note('cancel', fields['status'], isOurs ? 'ours' : 'theirs', isHere ? 'here' : 'elsewhere');
    this.agree(await cancel(this.platform, '333333333333'), [404, 'INVITATION_NOT_FOUND']);
    if (isHere !== isOurs) this.agree(answer, [403, 'FORBIDDEN']);
    else if (fields['status'] !== 'PENDING') this.refusedFor(answer, fields['status']);
    else {
      invitation.fields = { ...fields, status: 'CANCELLED' };
      this.sameInvitation(answer, invitation.fields);
    }
    await this.compareInvitation(invitation);
  }

  /** The page "tells first name, amount if any and the state in words"; text is escaped. */
  async look(): Promise<void> {
    const invitation = await this.anyInvitation();
    if (!invitation) return;
    await this.compareInvitation(invitation);
    this.note('look', invitation.fields['status']);
    this.agree(await this.platform.get('/invitations/444444444444'), [404, 'INVITATION_NOT_FOUND']);
    const { url, status, firstName, amountToSend } = invitation.fields;
    const page = await fetch(url);
    const html = await page.text();
    const headers = [page.headers.get('content-type')?.split(';')[0], page.headers.get('cache-control')];
    this.same([page.status, ...headers], [200, 'text/html', 'no-store'], 'the page');
    this.same(
      Object.keys(WORDS).filter((each) => WORDS[each]?.test(html)),
      [status],
      'the state in words',
    );
    if (firstName) this.same([html.includes(firstName.split(' &')[0]), html.includes(firstName)], [true, false], 'the name, escaped');
    if (amountToSend?.[1] === 'USD') this.same(html.includes((amountToSend[0] / 100).toFixed(2)), true, 'the amount');
    this.same((await fetch(url.replace(/\w+$/, '555555555555'))).status, 404, 'an unknown code');
  }

  /** "Inviter's customer deleted: PENDING invitations become CANCELLED in the same transaction." */
  protected override leaving(member: Member): void {
    for (const invitation of this.invitations)
      if (invitation.member === member && invitation.fields['status'] === 'PENDING')
        invitation.fields = { ...invitation.fields, status: 'CANCELLED' };
  }

  // ---- imports

  private row(run: string, i: number): Row {
    const id = `${run}-${i}`;
    const uma = `$${run}-${i}@import.example`;
    const taken = this.any(this.present);
    const what = this.random.weighted({ person: 5, business: 2, birthDate: 1, city: 1, anonymous: 1, surplus: 1, id: 1, uma: 1 });
    const person = personRow(run, i);
    const address = { line1: `${i} Main Street`, city: 'Springfield', state: 'IL', postalCode: '62701', country: 'US' };
    const common = { platformCustomerId: id, umaAddress: uma, address };
    if (what === 'business') {
      const businessInfo = { legalName: `Company, No. ${i}`, country: 'US' };
      return { text: businessRow(run, i), member: { customerType: 'BUSINESS', ...common, businessInfo } };
    }
    if (what === 'birthDate') return { text: person.replace('1990-01-01', '1990-13-01'), error: [id, 'INVALID_FIELD', ['birthDate']] };
    if (what === 'city') return { text: person.replace('Springfield', ''), error: [id, 'INVALID_FIELD', ['city']] };
    // "`correlationId` = the row's `platformCustomerId`, else `row_<line>` (header is line 1)"
    if (what === 'anonymous')
      return { text: person.replace(`,${id},`, ',,'), error: [`row_${i + 2}`, 'INVALID_FIELD', ['platformCustomerId']] };
    if (what === 'surplus') return { text: `${person},surplus`, error: [id, 'INVALID_CSV_FORMAT'] };
    if (what === 'id' && taken) {
      const { platformCustomerId } = taken.fields;
      return { text: person.replace(`,${id},`, `,${platformCustomerId},`), error: [platformCustomerId, 'CONFLICT'] };
    }
    if (what === 'uma' && taken) return { text: person.replace(uma, taken.fields['umaAddress']), error: [id, 'UMA_ADDRESS_EXISTS'] };
    const suffix = this.random.pick(['', ' 001', ' 002', ' 003']);
    const fullName = `Ada Lovelace ${i % 7}${suffix}`;
    const member = { customerType: 'INDIVIDUAL', ...common, fullName, birthDate: '1990-01-01' };
    // "A `umaAddress` without `$` gets one."
    const text = person.replace(`Ada Lovelace ${i % 7}`, fullName);
    return { text: this.random.chance(0.3) ? text.slice(1) : text, member };
  }

  async import(): Promise<void> {
    if (this.jobs.length >= 6) return;
    const run = `run${this.jobs.length}`;
    const spoiled = this.random.weighted({ nothing: 6, column: 1, empty: 1 });
    const rows = spoiled === 'empty' ? [] : Array.from({ length: this.random.int(1, 5) }, (_, i) => this.row(run, i));
    const columns = spoiled === 'column' ? COLUMNS.replace('postalCode', 'zip') : COLUMNS;
    const csv = csvOf(
      rows.map(({ text }) => text),
      columns,
    );
    const key = idempotent(randomUUID());
    const answer = await uploadCsv(this.platform, csv, key);
    this.note('import', spoiled, JSON.stringify(rows.map(({ text }) => text)));
    this.agree(answer, 202);
    const { jobId } = answer.body;
    this.same(answer.body, { jobId, status: 'PENDING' }, 'the accepted job');
    if (this.random.chance(0.5)) this.same((await uploadCsv(this.platform, csv, key)).text, answer.text, 'the repeated request');
    // An advance runs the job, unless the worker has it in hand.
    await this.pass(1);
    for (let tries = 0; tries < 1_000 && !(await jobOf(this.platform, jobId)).completedAt; tries += 1) await sleep(10);
    const made = spoiled === 'nothing' ? rows.filter(({ member }) => member) : [];
    const failed = spoiled === 'nothing' ? rows.length - made.length : 0;
    const total = spoiled === 'nothing' ? rows.length : 0;
    const wholeFile = spoiled === 'nothing' ? [] : [['row_1', 'INVALID_CSV_FORMAT', undefined]];
    const errors = [
      ...wholeFile,
      ...(spoiled === 'nothing' ? rows.flatMap(({ error }) => (error ? [[error[0], error[1], error[2]]] : [])) : []),
    ];
    // "`FAILED` when no customer was created, else `COMPLETED`, also with failures"
    const status = made.length > 0 ? 'COMPLETED' : 'FAILED';
    const progress = { total, processed: total, successful: made.length, failed };
    const job: Job = { id: jobId, shown: { id: jobId, status, progress, errors } };
    this.jobs.push(job);
    await this.compareJob(job);
    for (const { member = {} } of made) await this.imported(member);
  }

  private async imported(fields: Fields): Promise<void> {
    const { data } = await expectStatus(200, this.platform.get(`/customers?platformCustomerId=${fields['platformCustomerId']}`));
    const suffix = fields['fullName']?.slice(-3);
    const ofPerson = { '001': 'PENDING', '002': 'REJECTED', '003': 'UNVERIFIED' }[suffix as string] ?? 'APPROVED';
    const status = fields['customerType'] === 'BUSINESS' ? 'UNVERIFIED' : ofPerson;
    this.made += 1;
    await this.enter({ id: data[0]?.id, fields: { ...fields, currencies: data[0]?.currencies }, contacts: undefined, status });
  }

  private async compareJob({ id, shown }: Job): Promise<void> {
    const { completedAt, errors = [], ...rest } = await jobOf(this.platform, id);
    const entries = errors.map(({ correlationId, code, details }: Fields) => [
      correlationId,
      code,
      details?.errors?.map(({ field }: Fields) => field),
    ]);
    this.same({ ...rest, errors: entries.sort() }, { ...shown, errors: shown['errors'].sort() }, 'the job');
    this.same(typeof completedAt, 'string', 'it has ended');
  }

  async job(): Promise<void> {
    if (this.jobs.length === 0) await this.import();
    const job = this.random.pick(this.jobs);
    this.note('job', job.shown['status']);
    await this.compareJob(job);
    const nobody = await this.platform.get('/customers/bulk/jobs/Job:019542f5-0000-7000-8000-000000000000');
    this.agree(nobody, [404, 'BULK_UPLOAD_JOB_NOT_FOUND']);
  }

  // ---- time and the end

  async advance(): Promise<void> {
    const ms = this.random.pick([1_000, MINUTE, 10 * MINUTE - 1, 10 * MINUTE, HOUR, DAY]);
    if (this.random.chance(0.25)) {
      await this.other.clock.advance(ms);
      this.otherNow += ms;
      this.note('advance', 'elsewhere', ms);
      this.passed();
    } else await this.pass(ms);
    for (const invitation of this.invitations) await this.compareInvitation(invitation);
  }

  protected override passed(): void {
    for (const invitation of this.invitations) {
      const { fields, expiresAt, isOurs } = invitation;
      const isOver = expiresAt !== undefined && expiresAt <= (isOurs ? this.now : this.otherNow);
      if (isOver && fields['status'] === 'PENDING') invitation.fields = { ...fields, status: 'EXPIRED' };
    }
  }

  protected override async finish(): Promise<void> {
    await this.pass(2 * DAY);
    await this.compareStranger();
    for (const invitation of this.invitations) await this.compareInvitation(invitation);
    for (const member of this.members) await this.compareMember(member);
    for (const job of this.jobs) await this.compareJob(job);
  }

  /** The id of an invitation is not part of the API, so its event is found by its code; see `compareEvents`. */
  protected override eventText(event: Event): string | undefined {
    const { type, data } = event;
    if (type === 'INVITATION.CLAIMED') return undefined;
    if (type.startsWith('BULK_UPLOAD.')) return `${type} ${JSON.stringify(data.progress)}`;
    return type.startsWith('CUSTOMER.') ? `${type} ${data.kycStatus ?? data.kybStatus}` : super.eventText(event);
  }

  /** "to the CREATING platform, once, `data` = the claimed invitation"; "none to the claimer" */
  protected override async compareEvents(events: readonly Event[]): Promise<void> {
    const told = events.filter(({ type }) => type === 'INVITATION.CLAIMED').map(({ data }) => data);
    const claimed = this.invitations.filter(({ isOurs, fields }) => isOurs && fields['status'] === 'CLAIMED').map(({ fields }) => fields);
    const sorted = (codes: string[]) => codes.sort();
    this.same(sorted(told.map(({ code }) => code)), sorted(claimed.map((fields) => fields['code'])), 'one event for each claim');
    for (const data of told) this.same(data, (await this.platform.get(`/invitations/${data.code}`)).body, 'the claimed invitation');
  }

  protected override expected(): Map<string, readonly string[]> {
    const expected = new Map<string, readonly string[]>();
    for (const { id, notified, closed } of this.members) {
      if (notified.length > 0) expected.set(id, notified);
      for (const account of closed) expected.set(account, ['INTERNAL_ACCOUNT.STATUS_UPDATED CLOSED']);
    }
    for (const { id, shown } of this.jobs) expected.set(id, [`BULK_UPLOAD.${shown['status']} ${JSON.stringify(shown['progress'])}`]);
    return expected;
  }
}
