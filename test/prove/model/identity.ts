// Histories of identity: customers, owners, documents, verifications, and the hosted page on which an end user completes a packet.
import { randomUUID } from 'node:crypto';
import { idempotent } from '../../support/cards.js';
import type { Answer } from '../../support/client.js';
import { documentForm } from '../../support/documents.js';
import { type Part, png } from '../../support/multipart.js';
import { type Command, DAY, HOUR, MINUTE } from './history.js';
import { type Customer, type Fields, isDecided, isUnderReview, openOf, type Problem, problemsOf } from './packets.js';
import { everyPage, RIGHT, setAt } from './people.js';
import { CHECK, iso, VerificationHistory } from './verifications.js';

type Link = {
  readonly path: string;
  readonly customer: Customer;
  readonly redirectUri: string | undefined;
  expiresAt: number;
  isUsed: boolean;
};
/** What a form of the hosted page gives, and the parts that say it. */
type Form = { readonly parts: Part[]; readonly patch: Fields; readonly papers: Fields[]; readonly owner: Fields | undefined };

const inputsOf = (html: string): string[] => [...html.matchAll(/<(?:input|select)[^>]* name="([^"]+)"/g)].map(([, name = '']) => name);

export class IdentityHistory extends VerificationHistory {
  private readonly links: Link[] = [];

  override commands(): Record<string, Command> {
    return {
      ...this.peopleCommands(),
      ...this.ownerCommands(),
      ...this.documentCommands(),
      ...this.verificationCommands(),
      link: [5, () => this.link()],
      visit: [3, () => this.visit()],
      form: [7, () => this.form()],
      advance: [5, () => this.advance()],
    };
  }

  protected override async prepare(): Promise<void> {
    await this.person();
    await this.business();
  }

  // ---- the hosted page

  private isOpen({ customer, expiresAt, isUsed }: Link): boolean {
    return !isUsed && !customer.isDeleted && this.now < expiresAt;
  }
  private anyLink(): Link | undefined {
    const open = this.links.filter((link) => this.isOpen(link));
    return this.any(open.length > 0 && this.random.chance(0.8) ? open : this.links);
  }

  /** "Each call gives a fresh link; older ones stay valid"; "Works in every status" */
  async link(): Promise<void> {
    const customer = this.anyCustomer();
    if (!customer) return;
    const redirectUri = this.random.pick([undefined, 'https://shop.example/done?x=1', 'http://localhost:3000/', 'http://shop.example/']);
    const missing = Object.entries(customer.contacts ?? {}).flatMap(([channel, status]) => (status === 'PENDING' ? [channel] : []));
    const isWrong = redirectUri === 'http://shop.example/';
    if (isWrong && (customer.isDeleted || missing.length > 0)) return;
    const key = idempotent(randomUUID());
    const send = () => this.platform.post(`/customers/${customer.id}/kyc-link`, redirectUri && { redirectUri }, key);
    const answer = await send();
    this.note('link', customer.number, redirectUri ?? '');
    if (isWrong) return this.invalid(answer, 'redirectUri');
    if (customer.isDeleted) return this.agree(answer, [404, 'CUSTOMER_NOT_FOUND']);
    if (missing.length > 0) {
      this.agree(answer, [409, 'CONFLICT']);
      return this.same(answer.body.details.missing, missing, 'the contacts that come first');
    }
    this.agree(answer, 201);
    if (this.random.chance(0.3)) this.same((await send()).text, answer.text, 'the repeated request');
    const { kycUrl, expiresAt, provider } = answer.body;
    this.same([expiresAt, provider], [iso(this.now + DAY), 'HOSTED_KYC'], 'the link');
    const path = kycUrl.slice(this.service.baseUrl.length);
    this.same(
      this.links.some((other) => other.path === path),
      false,
      'a fresh link',
    );
    this.links.push({ path, customer, redirectUri, expiresAt: this.now + DAY, isUsed: false });
    await this.compareCustomer(customer);
  }

  /** What the page asks for; nothing of a customer that is decided or under review. */
  private asked(customer: Customer): Problem[] {
    const isOver = isDecided(customer) || isUnderReview(openOf(customer)) || this.isUnchecked(customer);
    return isOver ? [] : problemsOf(customer, this.now);
  }
  private ownFields(customer: Customer): string[] {
    const fields = this.asked(customer).flatMap(({ resourceId, field }) => (resourceId === customer.id && field ? [field] : []));
    return fields.filter((field) => field !== 'email' && field !== 'phoneNumber');
  }
  private comparePage(html: string, customer: Customer): void {
    const names = inputsOf(html);
    const own = names.filter((name) => !/^(owners|documents)\./.test(name)).sort();
    this.same(own, this.ownFields(customer).sort(), 'the inputs of the page');
    const problems = this.asked(customer);
    // What the provider has not taken is asked for until something is given for it; the tests of the operation say what that is.
    const open = openOf(customer);
    const isRefused = open?.status === 'RESOLVE_ERRORS' && open.errors.some(({ type }) => type === 'POOR_QUALITY_DOCUMENT');
    const isAsked = [
      isRefused || problems.some(({ accepted }) => accepted),
      problems.some(({ type }) => type === 'MISSING_CONTROL_PERSON'),
    ];
    this.same(
      [isRefused || names.includes('documents.0.file'), names.includes('owners.0.roles')],
      isAsked,
      'whether documents and people are asked for',
    );
  }

  /** "*used* means submitted, not opened". "Unknown, used, expired, customer deleted: a short HTML page with 404." */
  async visit(): Promise<void> {
    if (!this.links.some((each) => this.isOpen(each))) await this.link();
    const link = this.anyLink();
    if (!link) return;
    const answer = await this.platform.get(link.path);
    this.note('visit', link.customer.number, this.isOpen(link));
    this.agree(answer, this.isOpen(link) ? 200 : 404);
    this.same(
      [answer.headers.get('content-type')?.split(';')[0], answer.headers.get('cache-control')],
      ['text/html', 'no-store'],
      'a page',
    );
    if (this.isOpen(link)) this.comparePage(answer.text, link.customer);
    this.agree(await this.platform.get('/kyc/unknown'), 404);
  }

  private formFor(customer: Customer, fields: readonly string[], isWhole: boolean): Form {
    const [parts, patch, papers]: [Part[], Fields, Fields[]] = [[], {}, []];
    const text = (name: string, value: unknown): void => void parts.push({ name, value: String(value) });
    for (const field of fields) {
      if (field.startsWith('address.')) patch['address'] ??= { ...customer.fields['address'] };
      const value = field === 'fullName' ? this.rightName(customer) : RIGHT[field];
      setAt(patch, field, value);
      text(field, value);
    }
    for (const problem of isWhole ? this.asked(customer) : []) {
      const isOwn = [customer, ...customer.papers].some(({ id }) => id === problem.resourceId);
      if (!problem.accepted || !isOwn) continue;
      const paper = this.remedyFor(problem, customer.papers);
      const form = documentForm(paper, { name: 'file', value: png(), fileName: 'page.png', contentType: 'image/png' });
      parts.push(...form.map((part) => ({ ...part, name: `documents.${papers.length}.${part.name}` })));
      papers.push(paper);
    }
    const isLed = !isWhole || !this.asked(customer).some(({ type }) => type === 'MISSING_CONTROL_PERSON');
    const owner = isLed ? undefined : this.leader(customer);
    if (owner) {
      const { address, ...info } = owner['personalInfo'];
      for (const [name, value] of Object.entries({ roles: 'CONTROL_PERSON', ownershipPercentage: 0 })) text(`owners.0.${name}`, value);
      for (const [name, value] of Object.entries(info)) text(`owners.0.personalInfo.${name}`, value);
      for (const [name, value] of Object.entries(address)) text(`owners.0.personalInfo.address.${name}`, value);
    }
    return { parts: [...parts, { name: 'unknown', value: 'ignored' }], patch, papers, owner };
  }

  /** "link used; 303 to `redirectUri` exactly as given, or a closing page (200) without one" */
  private finished(answer: Answer, { redirectUri }: Link): void {
    this.agree(answer, redirectUri ? 303 : 200);
    this.same(answer.headers.get('location'), redirectUri ?? null, 'where the end user goes');
    if (!redirectUri) this.same(inputsOf(answer.text), [], 'a closing page');
  }

  async form(): Promise<void> {
    if (!this.links.some((each) => this.isOpen(each))) await this.link();
    const link = this.anyLink();
    if (!link) return;
    const { customer } = link;
    const fields = this.ownFields(customer);
    const how = this.random.weighted({ whole: 6, one: 1, bad: fields.includes('birthDate') ? 2 : 0 });
    // A part of an address is no address.
    const single = fields.filter((field) => !field.startsWith('address.') || customer.fields['address']).slice(0, 1);
    const given = this.formFor(customer, how === 'whole' ? fields : single, how === 'whole');
    const parts = how === 'bad' ? [{ name: 'birthDate', value: 'yesterday' }] : given.parts;
    const answer = await this.platform.upload('POST', link.path, parts);
    this.note('form', how, 'of', customer.number, customer.status, parts.map(({ name }) => name).join());
    if (!this.isOpen(link)) return this.agree(answer, 404);
    // "A decided customer: 303 at once, nothing changes."
    if (isDecided(customer)) this.finished(answer, link);
    else if (isUnderReview(openOf(customer))) {
      this.finished(answer, link);
      link.isUsed = true;
    } else if (how === 'bad') this.same([200, 400].includes(answer.status), true, 'the page again');
    else await this.taken(link, given, answer);
    this.agree(await this.platform.get(link.path), this.isOpen(link) ? 200 : 404);
    await this.comparePapers(customer);
    await this.compareRecords(customer);
  }

  private async taken(link: Link, { patch, papers, owner }: Form, answer: Answer): Promise<void> {
    const { customer } = link;
    this.apply(customer, patch);
    const { data } = await everyPage(this.platform, `/documents?documentHolder=${customer.id}`, 100);
    for (const paper of papers) {
      const isIt = (real: Fields) => real['documentType'] === paper['documentType'] && real['side'] === paper['side'];
      const stored = { holder: customer.id, fields: paper, fileName: 'page.png', content: png(), contentType: 'image/png' };
      const times = { createdAt: this.now, updatedAt: this.now };
      customer.papers.push({ id: data.find(isIt)?.['id'], ...stored, ...times, isSubmitted: false });
    }
    if (owner) {
      const { data: people } = await everyPage(this.platform, `/beneficial-owners?customerId=${customer.id}`, 100);
      this.addOwner(customer, owner, { id: people[0]?.['id'], kycStatus: 'UNVERIFIED' });
    }
    if (this.asked(customer).length > 0) {
      this.same([200, 400].includes(answer.status), true, 'the page again');
      this.comparePage(answer.text, customer);
      return;
    }
    link.isUsed = true;
    this.finished(answer, link);
    const { data: records } = await everyPage(this.platform, `/verifications?customerId=${customer.id}`, 100);
    this.submitted(customer, records[0] ?? {});
  }

  // ---- time and the end

  async advance(): Promise<void> {
    await this.pass(this.random.pick([1_000, CHECK, 7 * MINUTE, HOUR, DAY - HOUR, DAY, 2 * DAY]));
    for (const customer of this.present) await this.compareRecords(customer);
  }

  protected override passed(): void {
    for (const { customer, record } of this.records) {
      const { planned } = record;
      if (!planned || planned.at > this.now || customer.isDeleted) continue;
      this.enter(record, planned.status, planned.status === 'REJECTED' ? this.rejection(customer) : [], false, planned.at);
      this.move(customer, planned.status);
    }
  }

  protected override async finish(): Promise<void> {
    await this.pass(2 * DAY);
    await this.compareEverything();
    for (const { path } of this.links) this.agree(await this.platform.get(path), 404);
  }
}
