// Histories of verifications: packets are submitted, judged, decided and judged again.
import { CONTACT_CHANNELS, confirmCode, sendCode } from '../../support/contacts.js';
import { DocumentHistory } from './documents.js';
import type { Command, Event } from './history.js';
import {
  areSame,
  type Customer,
  type Fields,
  IDENTITY_PAPERS,
  inOrder,
  isDecided,
  isUnderReview,
  lastOf,
  type Owner,
  openOf,
  type Problem,
  problemsOf,
  type RecordStatus,
  type Status,
  suffixOf,
  type Verification,
} from './packets.js';
import { everyPage, NOBODY } from './people.js';

/** "'Then' = five seconds later by the platform's clock, as a job." */
export const CHECK = 5_000;
const STATUSES = ['UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED', 'HOLD'] as const;
const SUBMITTED = { UNVERIFIED: 'PENDING', HOLD: 'PENDING' } as const;
/** What an answer of the provider makes of the status. Every other status stays. */
const MOVES: Readonly<Record<RecordStatus, Partial<Record<Status, Status>>>> = {
  IN_PROGRESS: SUBMITTED,
  PENDING_MANUAL_REVIEW: SUBMITTED,
  RESOLVE_ERRORS: {},
  APPROVED: { UNVERIFIED: 'APPROVED', PENDING: 'APPROVED', HOLD: 'APPROVED' },
  REJECTED: { UNVERIFIED: 'REJECTED', PENDING: 'REJECTED', HOLD: 'REJECTED' },
};
/** Owners, by the suffix of their last name: "set together with any final verdict on the business" */
const OWNERS: Readonly<Record<string, Status>> = { '001': 'PENDING', '002': 'REJECTED' };

export type Verdict = { readonly status: RecordStatus; readonly errors: Problem[]; readonly later?: 'APPROVED' | 'REJECTED' };

export const iso = (at: number): string => new Date(at).toISOString();
const textOfErrors = (errors: readonly Pick<Problem, 'type' | 'field'>[]): string =>
  errors
    .map(({ type, field = '' }) => `${type} ${field}`)
    .sort()
    .join();

export abstract class VerificationHistory extends DocumentHistory {
  /** In the order of creation. */
  protected readonly records: { readonly customer: Customer; readonly record: Verification }[] = [];

  protected verificationCommands(): Record<string, Command> {
    return {
      contact: [3, () => this.contact()],
      submit: [16, () => this.submit()],
      decide: [7, () => this.decide()],
      compliance: [3, () => this.compliance()],
      verifications: [3, () => this.verifications()],
    };
  }

  // ---- what a submission, a decision and compliance do

  /** "Sandbox verdicts that skip the checks": a business whose registration number asks for one. */
  protected isUnchecked({ isBusiness, fields }: Customer): boolean {
    const number: string | undefined = fields['businessInfo']?.registrationNumber;
    return isBusiness && number !== undefined && !['001', '003'].includes(suffixOf(number));
  }

  protected readonly rejection = ({ id }: Customer): Problem[] => [{ resourceId: id, type: 'APPLICANT_REJECTED' }];

  protected judge(customer: Customer, shown: readonly Problem[]): Verdict {
    const { isBusiness, fields, papers } = customer;
    if (this.isUnchecked(customer)) {
      const isRejected = suffixOf(fields['businessInfo'].registrationNumber) === '002';
      return isRejected ? { status: 'REJECTED', errors: this.rejection(customer) } : { status: 'APPROVED', errors: [] };
    }
    const errors = problemsOf(customer, this.now);
    if (errors.length > 0) return { status: 'RESOLVE_ERRORS', errors };
    if (isBusiness) return { status: 'IN_PROGRESS', errors };
    const suffix = suffixOf(fields['fullName']);
    if (suffix === '001') return { status: 'PENDING_MANUAL_REVIEW', errors };
    // Of several identity documents nothing says which one.
    const ids = papers.filter((paper) => IDENTITY_PAPERS.includes(paper.fields['documentType'])).map(({ id }) => id);
    if (suffix === '003') return { status: 'RESOLVE_ERRORS', errors: this.poorQuality(ids, shown) };
    return { status: 'IN_PROGRESS', errors, later: suffix === '002' ? 'REJECTED' : 'APPROVED' };
  }

  private poorQuality(ids: readonly string[], [first]: readonly Problem[]): Problem[] {
    const resourceId = ids.find((id) => id === first?.resourceId) ?? `one of ${ids}`;
    return [{ resourceId, type: 'POOR_QUALITY_DOCUMENT' }];
  }

  /** A packet under review is not submitted twice; otherwise the open record is judged again, or there is a new one. */
  protected submitted(customer: Customer, real: Fields): void {
    const open = openOf(customer);
    if (isUnderReview(open)) return;
    const { status, errors, later } = this.judge(customer, real['errors']);
    const isHandedOver = this.isUnchecked(customer) || problemsOf(customer, this.now).length === 0;
    // Nothing says whether the provider sees the documents of a business that it does not check.
    for (const paper of [customer, ...customer.owners].flatMap(({ papers }) => papers))
      if (isHandedOver && !paper.isSubmitted) paper.isSubmitted = this.isUnchecked(customer) ? undefined : true;
    const record: Verification = open ?? {
      id: real['id'],
      status,
      errors: [],
      createdAt: this.now,
      updatedAt: 0,
      planned: undefined,
      submissions: 0,
      notified: [],
    };
    if (!open) {
      customer.records.push(record);
      this.records.push({ customer, record });
    }
    if (isHandedOver) record.submissions += 1;
    this.enter(record, status, errors, !open);
    record.planned = later && { at: this.now + CHECK, status: later };
    this.move(customer, status);
    // "business and owners PENDING", also those who joined a business that is PENDING already
    if (isUnderReview(record)) for (const owner of customer.owners) owner.kycStatus = 'PENDING';
  }

  /** "sent when a record is created and whenever its status or errors change" */
  protected enter(record: Verification, status: RecordStatus, errors: Problem[], isNew = false, at = this.now): void {
    const isChanged = isNew || record.status !== status || !areSame(record.errors, errors);
    Object.assign(record, { status, errors, updatedAt: at, planned: undefined });
    if (isChanged) record.notified.push(`VERIFICATION.${status} ${status} ${textOfErrors(errors)}`);
  }

  protected move(customer: Customer, outcome: RecordStatus): void {
    const status = MOVES[outcome][customer.status];
    if (status === undefined) return;
    for (const owner of customer.owners) owner.kycStatus = status === 'PENDING' ? status : this.verdictOn(owner, status);
    customer.status = status;
    this.notify(customer);
  }

  protected verdictOn({ fields }: Owner, _ofBusiness: Status): Status {
    return OWNERS[suffixOf(fields['personalInfo'].lastName)] ?? 'APPROVED';
  }

  // ---- comparison

  private sameRecord(real: Fields, { id, status, errors, createdAt, updatedAt }: Verification, customer: Customer): void {
    const { errors: entries, ...rest } = real;
    const times = { createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
    this.same(rest, { id, customerId: customer.id, verificationStatus: status, ...times }, 'the verification');
    const shown = entries.map(({ acceptedDocumentTypes: accepted, ...entry }: Fields) => ({ ...entry, accepted }));
    this.same(inOrder(shown), inOrder(errors), 'its errors');
    this.same(entries.filter(({ reason }: Fields) => !reason).length, 0, 'every error has a reason');
  }

  protected async compareRecords(customer: Customer): Promise<void> {
    for (const record of customer.records) {
      const answer = await this.platform.get(`/verifications/${record.id}`);
      if (customer.isDeleted) this.agree(answer, [404, 'VERIFICATION_NOT_FOUND']);
      else this.sameRecord(answer.body, record, customer);
    }
    await this.compareCustomer(customer);
  }

  protected async compareEverything(): Promise<void> {
    for (const customer of this.customers) {
      await this.compareRecords(customer);
      await this.comparePapers(customer);
      await this.compareOwners(customer);
    }
  }

  // ---- verifications

  async submit(customer = this.anyCustomer()): Promise<void> {
    if (!customer) return;
    if (this.random.chance(0.3) && !customer.isDeleted && !isDecided(customer)) await this.complete(customer);
    const answer = await this.platform.post('/verifications', { customerId: customer.id });
    this.note('submit', customer.number, customer.status, 'after', lastOf(customer)?.status ?? 'none');
    if (customer.isDeleted) return this.agree(answer, [404, 'CUSTOMER_NOT_FOUND']);
    if (isDecided(customer)) {
      this.agree(answer, [400, 'INVALID_INPUT']);
      return this.same(answer.body.details.cause, 'ALREADY_DECIDED', 'why');
    }
    this.agree(answer, 200);
    this.submitted(customer, answer.body);
    this.sameRecord(answer.body, lastOf(customer) as Verification, customer);
    await this.compareRecords(customer);
  }

  /** The caller plays the provider. "Not under review: 409 CONFLICT." */
  async decide(): Promise<void> {
    const waiting = () => this.records.filter(({ customer, record }) => !customer.isDeleted && isUnderReview(record));
    const candidate = this.any(this.present.filter((customer) => !isDecided(customer) && !this.isUnchecked(customer)));
    if (waiting().length === 0 && candidate) {
      await this.complete(candidate);
      await this.submit(candidate);
    }
    const found = this.any(this.random.chance(0.85) ? waiting() : this.records);
    if (!found) return;
    const { customer, record } = found;
    const outcome = this.random.pick(['APPROVED', 'REJECTED', 'RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW'] as const);
    const isFinal = outcome === 'APPROVED' || outcome === 'REJECTED';
    // Not defined: a review that goes to people while its end is planned, or again; owners of a business that compliance has decided.
    if (outcome === 'PENDING_MANUAL_REVIEW' && (record.planned || record.status === outcome)) return;
    if (isFinal && customer.isBusiness && isDecided(customer)) return;
    const packet = [customer, ...customer.owners].flatMap(({ papers }) => papers);
    const newest = Math.max(...packet.map(({ createdAt }) => createdAt));
    const identity = customer.isBusiness ? [] : packet.filter((paper) => IDENTITY_PAPERS.includes(paper.fields['documentType']));
    const candidates = identity.length > 0 ? identity : packet.filter(({ createdAt }) => createdAt === newest);
    const isExplicit = (outcome === 'REJECTED' || outcome === 'RESOLVE_ERRORS') && (candidates.length === 0 || this.random.chance(0.3));
    const type = outcome === 'REJECTED' ? 'APPLICANT_SANCTIONED' : 'UNREADABLE_DOCUMENT';
    const explicit = [{ resourceId: customer.id, type, reason: 'The reviewer says so.' }];
    const body = { outcome, ...(isExplicit && { errors: explicit }) };
    const answer = await this.platform.post(`/sandbox/verifications/${record.id}/decision`, body);
    this.note('decide', outcome, 'on', record.status, 'of', customer.number);
    if (customer.isDeleted) return this.agree(answer, [404, 'VERIFICATION_NOT_FOUND']);
    if (!isUnderReview(record)) return this.agree(answer, [409, 'CONFLICT']);
    this.agree(answer, 200);
    const byDefault = () =>
      outcome === 'REJECTED'
        ? this.rejection(customer)
        : this.poorQuality(
            candidates.map(({ id }) => id),
            answer.body.errors,
          );
    const errors = outcome === 'REJECTED' || outcome === 'RESOLVE_ERRORS' ? (isExplicit ? explicit : byDefault()) : [];
    this.enter(record, outcome, errors);
    if (isFinal) this.move(customer, outcome);
    this.sameRecord(answer.body, record, customer);
    await this.compareRecords(customer);
    if (outcome !== 'RESOLVE_ERRORS' || !customer.isBusiness || isDecided(customer) || this.random.chance(0.5)) return;
    // Somebody joins before the business is submitted again, and comes under review with it.
    await this.join(customer, this.leader(customer));
    await this.complete(customer);
    await this.submit(customer);
  }

  /** "any of the five; the same status 409 CONFLICT; touches no Verification" */
  async compliance(): Promise<void> {
    const customer = this.any(this.customers);
    if (!customer) return;
    const status = this.random.pick(STATUSES);
    const answer = await this.platform.put(`/sandbox/customers/${customer.id}/verification-status`, { status });
    this.note('compliance', customer.number, customer.status, status);
    if (customer.isDeleted) return this.agree(answer, [404, 'CUSTOMER_NOT_FOUND']);
    if (customer.status === status) return this.agree(answer, [409, 'CONFLICT']);
    this.agree(answer, 200);
    customer.status = status;
    this.notify(customer);
    this.sameCustomer(answer.body, customer);
    await this.compareRecords(customer);
  }

  /** "newest first"; "a filter naming something unknown gives an empty `data`" */
  async verifications(): Promise<void> {
    const customer = this.random.chance(0.5) ? this.any(this.customers) : undefined;
    const verificationStatus = this.random.chance(0.5) ? this.random.pick(['RESOLVE_ERRORS', 'IN_PROGRESS', 'APPROVED']) : undefined;
    const isUnknown = this.random.chance(0.1);
    const customerId = isUnknown ? `Customer:${NOBODY}` : customer?.id;
    const query = new URLSearchParams({ ...(customerId && { customerId }), ...(verificationStatus && { verificationStatus }) });
    const { data, totals } = await everyPage(this.platform, `/verifications?${query}`, this.random.pick([1, 3, 100]));
    this.note('verifications', isUnknown ? 'of nobody' : (customer?.number ?? ''), verificationStatus ?? '');
    const expected = this.records
      .filter((each) => !each.customer.isDeleted && (!customerId || each.customer.id === customerId))
      .filter(({ record }) => !verificationStatus || record.status === verificationStatus)
      .reverse();
    this.same(
      data.map(({ id }) => id),
      expected.map(({ record }) => record.id),
      'the list',
    );
    this.same(new Set(totals), new Set([expected.length]), 'the total');
    for (const [i, each] of expected.entries()) this.sameRecord(data[i] ?? {}, each.record, each.customer);
    this.agree(await this.platform.get(`/verifications/Verification:${NOBODY}`), [404, 'VERIFICATION_NOT_FOUND']);
  }

  /** Makes the packet whole: right fields, verified contacts, somebody who leads the business, and every document. */
  protected async complete(customer: Customer): Promise<void> {
    const repair = this.repairOf(customer);
    if (Object.keys(repair).length > 0) await this.patch(customer, repair);
    await this.verifyContacts(customer);
    const problems = () => problemsOf(customer, this.now);
    if (problems().some(({ type }) => type === 'MISSING_CONTROL_PERSON')) await this.join(customer, this.leader(customer));
    for (const owner of customer.owners)
      if (problems().some(({ resourceId, field }) => resourceId === owner.id && field))
        await this.rework(customer, owner, this.repairOfOwner(owner));
    const lacking = () => problems().find(({ accepted }) => accepted);
    for (let lack = lacking(); lack; lack = lacking()) {
      const isOf = ({ id, papers }: Pick<Owner, 'id' | 'papers'>) =>
        [id, ...papers.map((paper) => paper.id)].includes(lack?.resourceId ?? '');
      const holder = [customer, ...customer.owners].find(isOf) ?? customer;
      await this.store(holder, this.remedyFor(lack, holder.papers));
    }
  }

  /** Codes have histories of their own. */
  async contact(): Promise<void> {
    const find = () => this.any(this.present.filter(({ contacts }) => contacts && Object.values(contacts).includes('PENDING')));
    if (!find()) await this.person('DE');
    const customer = find();
    if (!customer) return;
    await this.verifyContacts(customer);
    this.note('contact', customer.number);
    await this.compareCustomer(customer);
  }

  private async verifyContacts(customer: Customer): Promise<void> {
    for (const { channel, path } of customer.contacts ? CONTACT_CHANNELS : []) {
      if (customer.contacts?.[channel] !== 'PENDING') continue;
      const sent = await sendCode(this.platform, customer, path);
      // "At most 5 codes per customer, channel and purpose in any 10 minutes"
      if (sent.status === 429) return;
      this.agree(sent, 204);
      this.agree(await confirmCode(this.platform, customer, path), 200);
      customer.contacts[channel] = 'VERIFIED';
    }
  }

  // ---- events

  /** Names instead of ids, so that a history gives the same text again. An event shows the customer as it was then. */
  protected override eventText({ type, data }: Event): string | undefined {
    if (type.startsWith('VERIFICATION.')) return `${type} ${data.verificationStatus} ${textOfErrors(data.errors)}`;
    if (!type.startsWith('CUSTOMER.')) return `${type} ${data.status}`;
    const people = (data.beneficialOwners ?? []).map((owner: Fields) => `${owner['personalInfo'].lastName}: ${owner['kycStatus']}`).sort();
    return [type, data.kycStatus ?? data.kybStatus, data.fullName ?? data.businessInfo?.legalName, ...people].join(', ');
  }

  protected override expected(): Map<string, readonly string[]> {
    const expected = new Map<string, readonly string[]>();
    const put = (id: string, notified: readonly string[]): void => void (notified.length > 0 && expected.set(id, notified));
    for (const { id, notified, closed } of this.customers) {
      put(id, notified);
      for (const account of closed) put(account, ['INTERNAL_ACCOUNT.STATUS_UPDATED CLOSED']);
    }
    for (const { record } of this.records) put(record.id, record.notified);
    return expected;
  }
}
