// Histories of customers whose contacts are verified by codes, and of the agreements that they accept.
import { type Answer, expectStatus } from '../../support/client.js';
import { CONTACT_CHANNELS, confirmCode, sendCode } from '../../support/contacts.js';
import { type Command, History, MINUTE } from './history.js';
import type { Fields } from './packets.js';
import { everyPage, NOBODY } from './people.js';

type Channel = (typeof CONTACT_CHANNELS)[number];
type ContactState = {
  status: 'PENDING' | 'VERIFIED';
  /** The code that was sent last, unless it is void. */
  code: { readonly sentAt: number; tries: number } | undefined;
  /** When codes were sent, whatever became of them. */
  readonly sends: number[];
};

export type Member = {
  readonly id: string;
  readonly number: number;
  /** As it is shown, without status, times and contacts. */
  fields: Fields;
  readonly status: string;
  readonly contacts: Readonly<Record<'email' | 'phone', ContactState>> | undefined;
  readonly notified: string[];
  closed: string[];
  isDeleted: boolean;
};

const LIFE = 10 * MINUTE;
const TRIES = 5;
const MOST_SENDS = 5;

/** Every code of the sandbox. */
const CODE = '123456';
const byType = (a: Fields, b: Fields): number => (a['type'] < b['type'] ? -1 : 1);

export abstract class ContactHistory extends History {
  protected readonly members: Member[] = [];
  protected made = 0;

  protected contactCommands(): Record<string, Command> {
    return {
      join: [3, () => this.join()],
      send: [9, () => this.send()],
      confirm: [10, () => this.confirm()],
      reach: [3, () => this.reach()],
      consent: [4, () => this.consent()],
      agreements: [1, () => this.agreements()],
      leave: [1.5, () => this.leave()],
      members: [2, () => this.listMembers()],
    };
  }

  protected get present(): Member[] {
    return this.members.filter(({ isDeleted }) => !isDeleted);
  }
  protected anyMember(): Member | undefined {
    return this.any(this.random.chance(0.9) ? this.present : this.members);
  }

  // ---- customers

  async join(isRegulated = this.random.chance(0.6)): Promise<void> {
    if (this.present.length >= 10) return;
    this.made += 1;
    const n = this.made;
    const fields = {
      platformCustomerId: `member ${n}`,
      umaAddress: `$Member${n}@members.example`,
      fullName: `Emmy Noether ${n}`,
      // A wallet would ask its owner to sign a change of contacts.
      currencies: isRegulated ? ['USD'] : this.random.pick([['USD'], ['USDB', 'USD']]),
      ...(isRegulated && { region: 'DE', email: `m${n}@example.com`, phoneNumber: `+4930${2_000_000 + n}` }),
    };
    const body = await expectStatus(201, this.platform.post('/customers', { customerType: 'INDIVIDUAL', ...fields }));
    this.note('join', isRegulated ? 'in a regulated region' : '');
    const contact = (): ContactState => ({ status: 'PENDING', code: undefined, sends: [] });
    const contacts = isRegulated ? { email: contact(), phone: contact() } : undefined;
    await this.enter({ id: body.id, fields: { customerType: 'INDIVIDUAL', ...fields }, contacts, status: 'APPROVED' });
  }

  /** A new customer, with the event of its status. */
  protected async enter(known: Pick<Member, 'id' | 'fields' | 'contacts' | 'status'>): Promise<void> {
    const kind = known.fields['customerType'] === 'INDIVIDUAL' ? 'KYC' : 'KYB';
    const notified = known.status === 'UNVERIFIED' ? [] : [`CUSTOMER.${kind}_${known.status} ${known.status}`];
    const member: Member = { ...known, number: this.made, notified, closed: [], isDeleted: false };
    this.members.push(member);
    await this.compareMember(member);
  }

  private shown({ id, fields, status, contacts, isDeleted }: Member): Fields {
    const { agreementConsents, ...rest } = fields;
    const terms = agreementConsents?.find(({ type }: Fields) => type === 'SERVICE_END_USER_TERMS');
    const { type: _type, ...endUserTermsConsent } = terms ?? {};
    return {
      ...{ id, ...rest, isDeleted },
      [rest['customerType'] === 'INDIVIDUAL' ? 'kycStatus' : 'kybStatus']: status,
      ...(agreementConsents && { agreementConsents: [...agreementConsents].sort(byType) }),
      ...(terms && { endUserTermsConsent }),
      ...(contacts && { contactVerification: { email: contacts.email.status, phone: contacts.phone.status } }),
    };
  }
  protected sameMember({ createdAt: _created, updatedAt: _updated, ...real }: Fields, member: Member): void {
    const consents = real['agreementConsents'] && [...real['agreementConsents']].sort(byType);
    this.same(consents ? { ...real, agreementConsents: consents } : real, this.shown(member), 'the customer');
  }
  protected async compareMember(member: Member): Promise<void> {
    const answer = await this.platform.get(`/customers/${member.id}`);
    if (member.isDeleted) return this.agree(answer, [404, 'CUSTOMER_NOT_FOUND']);
    this.agree(answer, 200);
    this.sameMember(answer.body, member);
  }

  /** Called before the customer is deleted. */
  protected leaving(_member: Member): void {}

  async leave(): Promise<void> {
    if (this.members.length < 4) await this.join();
    const member = this.random.pick(this.members);
    const { data } = await expectStatus(200, this.platform.get(`/customers/internal-accounts?customerId=${member.id}`));
    const answer = await this.platform.delete(`/customers/${member.id}`);
    this.note('leave', member.number);
    if (member.isDeleted) return this.agree(answer, [410, 'CUSTOMER_DELETED']);
    this.agree(answer, 200);
    this.leaving(member);
    member.isDeleted = true;
    member.closed = data.map(({ id }: Fields) => id);
    this.sameMember(answer.body, member);
    await this.compareMember(member);
  }

  async listMembers(): Promise<void> {
    const filters: Fields[] = [{}, { region: 'DE' }, { customerType: 'BUSINESS' }, { isIncludingDeleted: 'true' }];
    const filter = this.random.pick(filters);
    const { data, totals } = await everyPage(this.platform, `/customers?${new URLSearchParams(filter)}`, this.random.pick([3, 100]));
    this.note('members', JSON.stringify(filter));
    const { isIncludingDeleted, ...sent } = filter;
    const matches = ({ fields }: Member) => Object.entries(sent).every(([name, value]) => fields[name] === value);
    const expected = (isIncludingDeleted ? this.members : this.present).filter(matches).reverse();
    this.same(
      data.map(({ id }) => id),
      expected.map(({ id }) => id),
      'the list, the newest first',
    );
    this.same(new Set(totals), new Set([expected.length]), 'the total');
    for (const [i, member] of expected.entries()) this.sameMember(data[i] ?? {}, member);
  }

  // ---- codes

  private async anyContact(): Promise<{ member: Member; way: Channel } | undefined> {
    if (!this.present.some(({ contacts }) => contacts?.email.status === 'PENDING')) await this.join(true);
    const open = this.present.filter(
      ({ contacts }) => contacts && [contacts.email, contacts.phone].some(({ status }) => status === 'PENDING'),
    );
    const member = this.any(this.random.chance(0.85) ? open : this.members);
    return member && { member, way: this.random.pick(CONTACT_CHANNELS) };
  }

  /** "409 CONFLICT: no such requirement, or already VERIFIED" */
  private refused(answer: Answer, member: Member, state: ContactState | undefined): boolean {
    const isRefused = member.isDeleted || state?.status !== 'PENDING';
    if (isRefused) this.agree(answer, member.isDeleted ? [404, 'CUSTOMER_NOT_FOUND'] : [409, 'CONFLICT']);
    return isRefused;
  }

  /** "At most 5 codes per customer, channel and purpose in any 10 minutes; the next is 429 RATE_LIMITED with `Retry-After` in seconds" */
  async send(): Promise<void> {
    const found = await this.anyContact();
    if (!found) return;
    const { member, way } = found;
    // Often as many as are allowed, and one more.
    for (let times = this.random.pick([1, 1, 2, 6]); times > 0; times -= 1) await this.sendOne(member, way);
  }

  private async sendOne(member: Member, { channel, path, message, member: name }: Channel): Promise<void> {
    const state = member.contacts?.[channel];
    const answer = await sendCode(this.platform, member, path);
    this.note('send', channel, 'of', member.number, state?.status ?? 'not needed');
    if (this.refused(answer, member, state) || !state) return;
    const recent = state.sends.filter((at) => this.now - at < LIFE);
    if (recent.length >= MOST_SENDS) {
      this.agree(answer, [429, 'RATE_LIMITED']);
      const seconds = Math.ceil(((recent[0] ?? 0) + LIFE - this.now) / 1_000);
      return this.same(answer.headers.get('retry-after'), String(seconds), 'when the next is allowed');
    }
    this.agree(answer, 204);
    state.sends.push(this.now);
    state.code = { sentAt: this.now, tries: 0 };
    const to = encodeURIComponent(member.fields[name]);
    const { data } = await expectStatus(200, this.platform.get(`/sandbox/messages?to=${to}&channel=${message}&limit=1`));
    const [{ text, createdAt, ...sent }] = data;
    this.same([sent.channel, sent.to, text.includes(CODE)], [message, member.fields[name], true], 'the message with the code');
    this.same(createdAt, new Date(this.now).toISOString(), 'when it was sent');
    await this.compareMember(member);
  }

  /** "`CODE_INVALID` (wrong) or `CODE_EXPIRED` (none sent, older than 10 minutes, spent, or five wrong tries)" */
  async confirm(): Promise<void> {
    const found = await this.anyContact();
    if (!found) return;
    const { member, way } = found;
    const state = member.contacts?.[way.channel];
    if (state?.status === 'PENDING' && !member.isDeleted && this.random.chance(0.5)) await this.sendOne(member, way);
    for (let times = this.random.pick([1, 1, 1, 6]); times > 0; times -= 1)
      await this.confirmOne(member, way, times > 1 || this.random.chance(0.2));
  }

  private async confirmOne(member: Member, { channel, path }: Channel, isWrong: boolean): Promise<void> {
    const state = member.contacts?.[channel];
    const answer = await confirmCode(this.platform, member, path, isWrong ? '654321' : CODE);
    this.note('confirm', channel, 'of', member.number, isWrong ? 'badly' : 'well', 'after', state?.code?.tries ?? 'nothing');
    if (this.refused(answer, member, state) || !state) return;
    const { code } = state;
    const isOpen = code !== undefined && this.now < code.sentAt + LIFE && code.tries < TRIES;
    if (!isOpen || isWrong) {
      this.agree(answer, [400, 'INVALID_INPUT']);
      this.same(answer.body.details.cause, isOpen ? 'CODE_INVALID' : 'CODE_EXPIRED', 'why');
      if (isOpen) code.tries += 1;
      return this.compareMember(member);
    }
    this.agree(answer, 200);
    Object.assign(state, { status: 'VERIFIED', code: undefined });
    this.sameMember(answer.body, member);
    await this.compareMember(member);
  }

  /** "PATCH of `email` or `phoneNumber` to another value sets that channel back to PENDING and voids its code" */
  async reach(): Promise<void> {
    const member = this.any(this.members.filter(({ contacts }) => contacts));
    if (!member?.contacts) return;
    const { channel, member: name } = this.random.pick(CONTACT_CHANNELS);
    this.made += 1;
    const other = channel === 'email' ? `m${this.made}@example.org` : `+4940${2_000_000 + this.made}`;
    const isSame = this.random.chance(0.3);
    const change = { [name]: isSame ? member.fields[name] : other };
    const answer = await this.platform.patch(`/customers/${member.id}`, { customerType: 'INDIVIDUAL', ...change });
    this.note('reach', channel, 'of', member.number, isSame ? 'as before' : 'elsewhere');
    if (member.isDeleted) return this.agree(answer, [404, 'CUSTOMER_NOT_FOUND']);
    this.agree(answer, 200);
    member.fields = { ...member.fields, ...change };
    if (!isSame) Object.assign(member.contacts[channel], { status: 'PENDING', code: undefined });
    this.sameMember(answer.body, member);
    await this.compareMember(member);
  }

  // ---- agreements

  /** "`GET /customers/agreements`, `GET /customers/end-user-terms`": the terms are one of the agreements. */
  private async current(): Promise<Fields[]> {
    const { data } = await expectStatus(200, this.platform.get('/customers/agreements'));
    const terms = await expectStatus(200, this.platform.get('/customers/end-user-terms'));
    const listed = data.find(({ type }: Fields) => type === 'SERVICE_END_USER_TERMS');
    this.same({ type: 'SERVICE_END_USER_TERMS', ...terms }, listed, 'the end user terms');
    this.same(new Set(data.map(({ type }: Fields) => type)).size, data.length, 'each agreement once');
    return data;
  }

  async agreements(): Promise<void> {
    const data = await this.current();
    this.note('agreements', data.length);
    for (const { version, url } of data) this.same([version !== '', URL.canParse(url)], [true, true], 'version and address');
  }

  /** "one per type, only adds"; "both together refused; unknown version 400 END_USER_TERMS_VERSION_NOT_FOUND" */
  async consent(): Promise<void> {
    const member = this.anyMember();
    if (!member) return;
    const given: Fields[] = member.fields['agreementConsents'] ?? [];
    const open = (await this.current()).filter(({ type }) => !given.some((consent) => consent['type'] === type));
    const agreement = this.any(open);
    if (!agreement) return;
    const { type, version } = agreement;
    const how = this.random.weighted({ well: 6, unknown: 1, both: 1, twice: 1 });
    const termsVersion = how === 'unknown' ? '1999-01-01' : version;
    const acceptedAt = new Date(this.now).toISOString();
    const endUserTermsConsent = { acceptedAt, ipAddress: '203.0.113.7', termsVersion, acceptanceMethod: 'CHECKBOX' };
    const consent = { type, ...endUserTermsConsent };
    const isOldForm = how === 'well' && type === 'SERVICE_END_USER_TERMS' && this.random.chance(0.5);
    const fields = isOldForm ? { endUserTermsConsent } : { agreementConsents: how === 'twice' ? [consent, consent] : [consent] };
    const body = { customerType: member.fields['customerType'], ...fields, ...(how === 'both' && { endUserTermsConsent }) };
    const answer = await this.platform.patch(`/customers/${member.id}`, body);
    this.note('consent', how, type, 'of', member.number);
    if (member.isDeleted) return this.agree(answer, [404, 'CUSTOMER_NOT_FOUND']);
    if (how === 'unknown') return this.agree(answer, [400, 'END_USER_TERMS_VERSION_NOT_FOUND']);
    if (how !== 'well') return this.agree(answer, [400, 'INVALID_INPUT']);
    this.agree(answer, 200);
    member.fields = { ...member.fields, agreementConsents: [...given, consent] };
    this.sameMember(answer.body, member);
    await this.compareMember(member);
  }

  protected async compareStranger(): Promise<void> {
    this.agree(await sendCode(this.platform, { id: `Customer:${NOBODY}` }, 'verify-email'), [404, 'CUSTOMER_NOT_FOUND']);
  }
}
