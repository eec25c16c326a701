// Histories of a KYC vendor that decides instead of the sandbox: packets go out, decisions come back signed, twice, late and out of order,
// and the vendor reads the documents of a packet while it is under review.
import { startVendor } from '../../support/identity/kyc-vendor.js';
import { startOwnService, type TestService } from '../../support/service.js';
import { type Command, DAY, HOUR, MINUTE, START } from './history.js';
import {
  type Customer,
  type Fields,
  isDecided,
  isUnderReview,
  type Owner,
  type Paper,
  type Problem,
  problemsOf,
  type Status,
  type Verification,
} from './packets.js';
import { type Verdict, VerificationHistory } from './verifications.js';

const SECRET = 'a shared secret of at least 32 characters';
const OUTCOMES = ['APPROVED', 'REJECTED', 'RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW', 'IN_PROGRESS'] as const;

/** A packet that the vendor has, and the submission that it is of. */
type Sent = {
  readonly customer: Customer;
  readonly record: Verification;
  readonly submission: number;
  readonly reference: string;
  readonly papers: readonly Paper[];
};

export class VendorHistory extends VerificationHistory {
  private vendor: Awaited<ReturnType<typeof startVendor>> | undefined;
  private own: TestService | undefined;
  private readonly sent: Sent[] = [];

  /** Nothing says whether a packet that was decided by hand before it was sent still goes to the vendor, so the vendor alone decides. */
  override commands(): Record<string, Command> {
    const { decide: _byHand, ...commands } = this.verificationCommands();
    return {
      ...this.peopleCommands(),
      ...this.ownerCommands(),
      ...this.documentCommands(),
      ...commands,
      word: [14, () => this.word()],
      read: [5, () => this.read()],
      advance: [8, () => this.advance()],
    };
  }

  /** Without a worker, packets are sent by an advance of the clock alone. */
  protected override async prepare(): Promise<void> {
    this.vendor = await startVendor(SECRET);
    this.own = await startOwnService({ ROLE: 'api', LOG_LEVEL: 'error', KYC_PROVIDER_URL: this.vendor.url, KYC_PROVIDER_SECRET: SECRET });
    this.service = this.own;
    this.platform = this.noting(await this.own.newPlatform());
    await this.platform.clock.freeze(new Date(START));
    await this.person();
    await this.business();
  }

  override async close(): Promise<void> {
    await this.own?.stop();
    await this.vendor?.stop();
  }

  // ---- the provider

  /** Nobody is known before a packet was checked. */
  protected override statusAtCreation(): Status {
    return 'UNVERIFIED';
  }
  protected override isUnchecked(): boolean {
    return false;
  }
  protected override judge(customer: Customer): Verdict {
    const errors = problemsOf(customer, this.now);
    return errors.length > 0 ? { status: 'RESOLVE_ERRORS', errors } : { status: 'IN_PROGRESS', errors };
  }
  protected override verdictOn(_owner: Owner, ofBusiness: Status): Status {
    return ofBusiness;
  }

  /** Lets time pass, in which every packet under review that the vendor does not have is sent, once. */
  private async deliver(ms: number): Promise<void> {
    await this.pass(ms);
    const isNew = ({ record }: { record: Verification }) =>
      !this.sent.some((sent) => sent.record === record && sent.submission === record.submissions);
    const due = this.records.filter((each) => !each.customer.isDeleted && isUnderReview(each.record) && isNew(each));
    const all = (await this.vendor?.received()) ?? [];
    this.same(all.length, this.sent.length + due.length, 'the packets that the vendor has');
    const arrived = all.slice(this.sent.length);
    // Packets that are sent at the same instant arrive in any order.
    for (const { customer, record } of due) {
      const found = arrived.find(({ packet }) => packet.customer.id === customer.id);
      this.same(found?.isAuthentic, true, 'a signed packet of a customer under review');
      if (!found) continue;
      const { packet } = found;
      const papers = [customer, ...customer.owners].flatMap((holder) => holder.papers);
      const names = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort();
      this.same(names(packet.documents), names(papers), 'the documents of the packet');
      const identifiers = packet.owners.map(({ personalInfo }: Fields) => personalInfo.identifier).sort();
      this.same(identifiers, customer.owners.map(({ identifier }) => identifier).sort(), 'the identifiers of its owners');
      this.same(packet.customer.identifier, customer.identifier, 'the identifier of the customer');
      for (const paper of papers) paper.isSubmitted = true;
      this.sent.push({ customer, record, submission: record.submissions, reference: packet.reference, papers });
    }
  }

  private isCurrent({ customer, record, submission }: Sent): boolean {
    return !customer.isDeleted && isUnderReview(record) && record.submissions === submission;
  }
  private async anySent(): Promise<Sent | undefined> {
    if (!this.sent.some((sent) => this.isCurrent(sent))) {
      const candidate = this.any(this.present.filter((customer) => !isDecided(customer)));
      if (candidate) {
        await this.complete(candidate);
        await this.submit(candidate);
        await this.deliver(1);
      }
    }
    const current = this.sent.filter((sent) => this.isCurrent(sent));
    return this.any(current.length > 0 && this.random.chance(0.75) ? current : this.sent);
  }

  /** A callback of the vendor. One that comes twice or too late is taken and changes nothing. */
  async word(): Promise<void> {
    const sent = await this.anySent();
    if (!sent || !this.vendor) return;
    const { customer, record, reference } = sent;
    const outcome = this.random.pick(OUTCOMES);
    const isFinal = outcome === 'APPROVED' || outcome === 'REJECTED';
    // Not defined: owners of a business that compliance has decided.
    if (isFinal && customer.isBusiness && isDecided(customer)) return;
    const type = outcome === 'REJECTED' ? 'APPLICANT_FRAUD' : 'UNREADABLE_DOCUMENT';
    const hasErrors = outcome === 'RESOLVE_ERRORS' || (outcome === 'REJECTED' && this.random.chance(0.5));
    const given: Problem[] = hasErrors ? [{ resourceId: customer.id, type }] : [];
    const content = {
      reference,
      outcome,
      ...(hasErrors && { errors: given.map((error) => ({ ...error, reason: 'The vendor says so.' })) }),
    };
    const wrong = this.random.weighted({ nothing: 9, key: 1, reference: 1 });
    const { baseUrl } = this.service;
    this.note('word', outcome, 'on', record.status, 'of', customer.number, this.isCurrent(sent) ? '' : 'too late', wrong);
    this.called.add('receiveKycDecision');
    if (wrong !== 'nothing') {
      const altered = wrong === 'reference' ? { ...content, reference: `${reference}.1` } : content;
      const { status, body } = await this.vendor.callBack(baseUrl, altered, wrong === 'key' ? { key: `${SECRET}.` } : {});
      this.same([status, body.code], wrong === 'key' ? [401, 'UNAUTHORIZED'] : [404, 'VERIFICATION_NOT_FOUND'], 'the refusal');
      return this.compareRecords(customer);
    }
    const { status, body } = await this.vendor.callBack(baseUrl, content);
    if (customer.isDeleted) return this.same([status, body.code], [404, 'VERIFICATION_NOT_FOUND'], 'a deleted customer');
    // A packet moves on from the vendor to people, and never back.
    const isNews = outcome !== 'IN_PROGRESS' && outcome !== record.status;
    const isApplied = this.isCurrent(sent) && isNews;
    this.same([status, body], [200, { applied: isApplied }], 'the answer to the vendor');
    if (isApplied) {
      this.enter(record, outcome, outcome === 'REJECTED' && !hasErrors ? this.rejection(customer) : given);
      if (isFinal) this.move(customer, outcome);
    }
    await this.compareRecords(customer);
  }

  /** A document of a packet, "while the packet is under review". */
  async read(): Promise<void> {
    const sent = await this.anySent();
    const paper = sent && this.any(sent.papers);
    if (!sent || !paper || !this.vendor) return;
    const isForged = this.random.chance(0.15);
    const { baseUrl } = this.service;
    const read = await this.vendor.readDocument(baseUrl, sent.reference, paper.id, isForged ? { key: `${SECRET}.` } : {});
    this.note('read', this.isCurrent(sent) ? 'under review' : 'too late', isForged ? 'forged' : '');
    this.called.add('getKycDocument');
    if (isForged) return this.same(read.status, 401, 'a forged request');
    const isHeld = [sent.customer, ...sent.customer.owners].some(({ papers }) => papers.includes(paper));
    if (!this.isCurrent(sent) || !isHeld) return this.same(read.status, 404, 'no document of a packet under review');
    this.same([read.status, read.type, read.bytes.equals(paper.content)], [200, paper.contentType, true], 'the document');
    // One that was replaced since the packet was sent is handed over by this.
    paper.isSubmitted = true;
  }

  // ---- time and the end

  async advance(): Promise<void> {
    await this.deliver(this.random.pick([1_000, 7 * MINUTE, HOUR, DAY]));
    for (const customer of this.present) await this.compareRecords(customer);
  }

  protected override async finish(): Promise<void> {
    await this.deliver(DAY);
    await this.compareEverything();
  }
}
