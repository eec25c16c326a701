// Histories of customers: what was sent is what is shown, and what may be sent in which state.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { idempotent } from '../../support/cards.js';
import { type Answer, assertInvalid, type Client, expectStatus } from '../../support/client.js';
import { ADDRESS } from '../../support/identity/verifications.js';
import { type Command, History } from './history.js';
import { type Customer, type Fields, masked, type Owner, type Paper, problemsOf, type Status, suffixOf } from './packets.js';

/** Sandbox: "individual, `fullName`: 001 PENDING, 002 REJECTED, 003 UNVERIFIED, other, none APPROVED" at creation. */
const AT_CREATION: Readonly<Record<string, Status>> = { '001': 'PENDING', '002': 'REJECTED', '003': 'UNVERIFIED' };
/** Old enough on the second day of the history. */
export const ALMOST_OF_AGE = '2012-05-16';
export const NOBODY = '019542f5-0000-7000-8000-000000000000';
/** A right value for each field that a packet may lack. */
export const RIGHT: Readonly<Record<string, unknown>> = {
  birthDate: '1985-03-03',
  nationality: 'GB',
  'address.line1': '3 High Road',
  'address.postalCode': 'N1 9GU',
  'address.country': 'GB',
  idType: 'SSN',
  // The form of an SSN and of an ITIN.
  identifier: '912-34-5678',
  countryOfIssuance: 'US',
  purposeOfAccountOtherDescription: 'Holidays',
  sourceOfFundsOtherDescription: 'A prize',
  'businessInfo.registrationNumber': 'HRB-9-001',
  'businessInfo.taxId': 'DE123456789',
  'businessInfo.incorporatedOn': '2015-05-05',
  'businessInfo.countriesOfOperation': ['DE'],
};

/** Writes a value at a path such as `address.line1`. */
export function setAt(target: Fields, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  target[first] ??= {};
  setAt(target[first], rest.join('.'), value);
}

/** All entries of a list, page by page, and the total that every page stated. */
export async function everyPage(platform: Client, path: string, limit: number): Promise<{ data: Fields[]; totals: number[] }> {
  const [data, totals]: [Fields[], number[]] = [[], []];
  for (let cursor = ''; ; ) {
    const page = await expectStatus(200, platform.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`));
    assert.equal(page.hasMore, page.nextCursor !== undefined);
    assert.ok(page.data.length <= limit);
    data.push(...page.data);
    totals.push(page.totalCount);
    if (!page.hasMore) return { data, totals };
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}

export const untimed = ({ createdAt: _created, updatedAt: _updated, ...rest }: Fields): Fields => rest;

export abstract class PeopleHistory extends History {
  protected readonly customers: Customer[] = [];
  /** Ids of owners and documents that were deleted. */
  protected readonly deletedOwners: string[] = [];
  protected readonly deletedPapers: string[] = [];
  protected made = 0;

  protected peopleCommands(): Record<string, Command> {
    return {
      person: [5, () => this.person()],
      business: [4, () => this.business()],
      change: [9, () => this.change()],
      remove: [1, () => this.remove()],
      customers: [2, () => this.listCustomers()],
    };
  }

  // ---- random choices

  protected get present(): Customer[] {
    return this.customers.filter(({ isDeleted }) => !isDeleted);
  }
  /** Mostly one that is not deleted, and not decided. */
  protected anyCustomer(): Customer | undefined {
    const open = this.present.filter(({ status }) => status !== 'APPROVED' && status !== 'REJECTED');
    return this.any(open.length > 0 && this.random.chance(0.75) ? open : this.random.chance(0.8) ? this.present : this.customers);
  }
  protected maybe(share: number, fields: Fields): Fields {
    return this.random.chance(share) ? fields : {};
  }
  protected invalid(answer: Answer, ...fields: string[]): void {
    this.answers += 1;
    assertInvalid(answer, ...fields);
  }

  // ---- comparison

  protected shownOwner({ id, fields, identifier, kycStatus }: Owner, customer: Customer): Fields {
    const personalInfo = { ...fields['personalInfo'], identifier: masked(identifier) };
    return { id, customerId: customer.id, ...fields, personalInfo, kycStatus };
  }
  private shown(customer: Customer): Fields {
    const { id, isBusiness, fields, status, contacts, owners, isDeleted } = customer;
    return {
      id,
      customerType: isBusiness ? 'BUSINESS' : 'INDIVIDUAL',
      ...fields,
      [isBusiness ? 'kybStatus' : 'kycStatus']: status,
      isDeleted,
      ...(contacts && { contactVerification: contacts }),
      ...(owners.length > 0 && { beneficialOwners: owners.map((owner) => this.shownOwner(owner, customer)) }),
    };
  }
  protected sameCustomer({ updatedAt: _moves, ...real }: Fields, customer: Customer): void {
    const owners = real['beneficialOwners']?.map(untimed).sort((a: Fields, b: Fields) => (a['id'] < b['id'] ? -1 : 1));
    this.same(owners ? { ...real, beneficialOwners: owners } : real, this.shown(customer), 'the customer');
  }
  protected async compareCustomer(customer: Customer): Promise<void> {
    const answer = await this.platform.get(`/customers/${customer.id}`);
    if (customer.isDeleted) return this.agree(answer, [404, 'CUSTOMER_NOT_FOUND']);
    this.agree(answer, 200);
    this.sameCustomer(answer.body, customer);
  }
  protected shownPaper({ id, holder, fields, fileName, createdAt, updatedAt }: Paper): Fields {
    const times = { createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() };
    return { id, documentHolder: holder, ...fields, fileName, ...times };
  }
  /** "newest first" */
  protected async comparePapers({ id, papers }: Pick<Owner, 'id' | 'papers'>): Promise<void> {
    const { data, totals } = await everyPage(this.platform, `/documents?documentHolder=${id}`, this.random.pick([1, 3, 100]));
    this.same(data, papers.map((paper) => this.shownPaper(paper)).reverse(), 'the documents of a holder');
    this.same(new Set(totals), new Set([papers.length]), 'their number');
  }

  // ---- customers

  private common(region = this.random.weighted({ none: 7, US: 1, DE: 2 })): Fields {
    const n = this.made;
    return {
      currencies: ['USD'],
      ...(region === 'none' ? {} : { region }),
      ...(region === 'DE' || this.random.chance(0.3) ? { email: `p${n}@example.com`, phoneNumber: `+4930${1_000_000 + n}` } : {}),
      ...this.maybe(0.5, { platformCustomerId: `customer ${n}` }),
      ...this.maybe(0.5, { umaAddress: `$p${n}@people.example` }),
      ...this.maybe(0.7, { address: { ...ADDRESS, country: this.random.pick(['DE', 'DE', 'GB', 'US']) } }),
    };
  }

  async person(region?: 'DE'): Promise<void> {
    this.made += 1;
    const suffix = this.random.weighted({ '': 2, '001': 2, '002': 0.5, '003': 5 });
    const fullName = this.random.chance(0.9) ? `Person${this.made} Lovelace ${suffix}`.trim() : `Person${this.made}x${suffix}`;
    const idType = this.random.pick(['SSN', 'ITIN', 'EIN']);
    const identifier = idType === 'EIN' ? '912-34-5678' : this.random.pick(['912-34-5678', '123-45-6789', '12-3456789']);
    await this.create({
      customerType: 'INDIVIDUAL',
      ...this.common(region),
      ...this.maybe(0.95, { fullName }),
      ...this.maybe(0.8, { birthDate: this.random.pick(['1990-12-10', '1990-12-10', ALMOST_OF_AGE]) }),
      ...this.maybe(0.8, { nationality: this.random.pick(['GB', 'GB', 'DE', 'US', 'XX']) }),
      ...this.maybe(0.3, { idType, ...this.maybe(0.8, { identifier }), ...this.maybe(0.3, { countryOfIssuance: 'DE' }) }),
      ...this.maybe(0.1, { purposeOfAccount: 'OTHER', ...this.maybe(0.5, { purposeOfAccountOtherDescription: 'Savings' }) }),
      ...this.maybe(0.1, { sourceOfFundsCategories: ['OTHER'] }),
    });
  }

  async business(): Promise<void> {
    this.made += 1;
    const suffix = this.random.weighted({ '001': 5, '002': 0.7, '003': 2, '777': 1 });
    const common = this.common();
    const inRegion = common['region'] === 'DE';
    await this.create({
      customerType: 'BUSINESS',
      ...common,
      businessInfo: {
        legalName: `Engines ${this.made}`,
        country: 'DE',
        ...this.maybe(0.9, { registrationNumber: `HRB-${this.made}-${suffix}` }),
        ...this.maybe(0.8, { taxId: 'DE987654321' }),
        ...this.maybe(0.8, { incorporatedOn: this.random.pick(['2012-02-02', '2012-02-02', '2031-01-01']) }),
        ...this.maybe(0.8, { countriesOfOperation: this.random.pick([['DE'], ['DE', 'FR'], []]) }),
        ...(inRegion ? { primaryContactFirstName: 'Grete', primaryContactLastName: 'Hermann' } : {}),
      },
    });
  }

  protected statusAtCreation(fullName: string | undefined): Status {
    return AT_CREATION[suffixOf(fullName)] ?? 'APPROVED';
  }

  private async create(fields: Fields): Promise<void> {
    if (this.present.length >= 8) return;
    const isBusiness = fields['customerType'] === 'BUSINESS';
    const kind = isBusiness ? 'business' : 'person';
    const statusName = isBusiness ? 'kybStatus' : 'kycStatus';
    const other = this.any(this.present);
    const wrong = this.random.weighted({ nothing: 12, id: 1, uma: 1, status: 1, contacts: 1 });
    const send = (body: Fields, key = randomUUID()) => this.platform.post('/customers', body, idempotent(key));
    if (wrong === 'id' && other) {
      this.note(kind, 'with the id of another');
      return this.agree(await send({ ...fields, platformCustomerId: other.fields['platformCustomerId'] }), [409, 'CONFLICT']);
    }
    if (wrong === 'uma' && other) {
      this.note(kind, 'with the address of another');
      return this.agree(await send({ ...fields, umaAddress: other.fields['umaAddress'].toUpperCase() }), [409, 'UMA_ADDRESS_EXISTS']);
    }
    // "The caller never sets them; sending back the present value is harmless, another is 400"
    if (wrong === 'status') {
      this.note(kind, 'with a status');
      return this.invalid(await send({ ...fields, [statusName]: 'HOLD' }), statusName);
    }
    if (wrong === 'contacts' && fields['region'] === 'DE') {
      this.note(kind, 'without contacts');
      const { email: _email, phoneNumber: _phone, ...rest } = fields;
      return this.invalid(await send(rest), 'email', 'phoneNumber');
    }
    const key = randomUUID();
    const answer = await send(fields, key);
    this.note(kind, JSON.stringify(fields));
    this.agree(answer, 201);
    if (this.random.chance(0.2)) this.same((await send(fields, key)).text, answer.text, 'the repeated request');
    const { customerType: _type, identifier, ...sent } = fields;
    const { id, platformCustomerId, umaAddress } = answer.body;
    const status = isBusiness ? 'UNVERIFIED' : this.statusAtCreation(fields['fullName']);
    const customer: Customer = {
      id,
      number: this.made,
      isBusiness,
      // What was not sent is made by the service.
      fields: { platformCustomerId, umaAddress, ...sent, createdAt: new Date(this.now).toISOString() },
      identifier,
      status,
      contacts: fields['region'] === 'DE' ? { email: 'PENDING', phone: 'PENDING' } : undefined,
      ...{ owners: [], papers: [], records: [], notified: [], closed: [], isDeleted: false },
    };
    this.customers.push(customer);
    this.notify(customer);
    this.sameCustomer(answer.body, customer);
    await this.compareCustomer(customer);
  }

  /** "One event per change of status"; `UNVERIFIED` and `HOLD` have none. The event shows the owners as they are afterwards. */
  protected notify(customer: Customer): void {
    const { isBusiness, status, notified, fields, owners } = customer;
    if (status === 'UNVERIFIED' || status === 'HOLD') return;
    const name = isBusiness ? fields['businessInfo'].legalName : fields['fullName'];
    const people = owners.map((owner) => `${owner.fields['personalInfo'].lastName}: ${owner.kycStatus}`).sort();
    notified.push([`CUSTOMER.${isBusiness ? 'KYB' : 'KYC'}_${status}`, status, name, ...people].join(', '));
  }

  /** The change of a customer that makes right what its packet lacks, or another one. */
  async change(): Promise<void> {
    const customer = this.anyCustomer();
    if (!customer) return;
    const { isBusiness, number } = customer;
    const what = this.random.weighted({ repair: 5, rename: 3, contact: 0.7, type: 0.5, status: 0.5 });
    const suffix = this.random.pick(isBusiness ? ['001', '003', '777', '002'] : ['', '001', '002', '003']);
    const statusName = isBusiness ? 'kybStatus' : 'kycStatus';
    const patches: Record<typeof what, () => Fields> = {
      repair: () => this.repairOf(customer),
      rename: () =>
        isBusiness
          ? { businessInfo: { registrationNumber: `HRB-${number}-${suffix}` } }
          : { fullName: `Person${number} Byron ${suffix}`.trim() },
      contact: () => ({ email: `p${number}@${this.random.pick(['example.com', 'example.org'])}` }),
      type: () => ({ customerType: isBusiness ? 'INDIVIDUAL' : 'BUSINESS' }),
      status: () => ({ [statusName]: customer.status === 'HOLD' ? 'APPROVED' : 'HOLD' }),
    };
    const patch = patches[what]();
    if (what !== 'type' && what !== 'status') return this.patch(customer, patch);
    const answer = await this.sendPatch(customer, patch);
    this.note('change', what);
    if (customer.isDeleted) return this.agree(answer, [404, 'CUSTOMER_NOT_FOUND']);
    this.invalid(answer, what === 'type' ? 'customerType' : statusName);
  }

  private sendPatch(customer: Customer, patch: Fields): Promise<Answer> {
    const customerType = customer.isBusiness ? 'BUSINESS' : 'INDIVIDUAL';
    return this.platform.patch(`/customers/${customer.id}`, { customerType, ...patch });
  }
  protected async patch(customer: Customer, patch: Fields): Promise<void> {
    const answer = await this.sendPatch(customer, patch);
    this.note('change', JSON.stringify(patch));
    if (customer.isDeleted) return this.agree(answer, [404, 'CUSTOMER_NOT_FOUND']);
    this.agree(answer, 200);
    this.same(answer.body.updatedAt, new Date(this.now).toISOString(), 'the time of the change');
    this.apply(customer, patch);
    this.sameCustomer(answer.body, customer);
    await this.compareCustomer(customer);
  }

  /** A right value for every field of the customer that a verification would complain about. */
  protected repairOf(customer: Customer): Fields {
    const patch: Fields = {};
    for (const { resourceId, field } of problemsOf(customer, this.now)) {
      if (resourceId !== customer.id || !field || field === 'email' || field === 'phoneNumber') continue;
      const address = field.startsWith('address.') && customer.fields['address'];
      if (address) patch['address'] ??= { ...address };
      setAt(patch, field, field === 'fullName' ? this.rightName(customer) : RIGHT[field]);
    }
    return patch;
  }
  protected rightName = ({ number, fields }: Customer): string => {
    const suffix = suffixOf(fields['fullName']);
    return /^00\d$/.test(suffix) ? `Person${number} Gordon ${suffix}` : `Person${number} Gordon`;
  };

  /** "an address is replaced whole"; members of `businessInfo` merge one by one. */
  protected apply(customer: Customer, { identifier, businessInfo, ...patch }: Fields): void {
    const { fields, contacts } = customer;
    if (identifier) customer.identifier = identifier;
    if (contacts && patch['email'] !== undefined && patch['email'] !== fields['email']) contacts.email = 'PENDING';
    if (businessInfo) patch['businessInfo'] = { ...fields['businessInfo'], ...businessInfo };
    customer.fields = { ...fields, ...patch };
  }

  /** Owners, documents, verifications and links of a deleted customer answer 404. */
  async remove(): Promise<void> {
    if (this.customers.length < 5) await this.person();
    const customer = this.random.pick(this.customers);
    const accounts = await expectStatus(200, this.platform.get(`/customers/internal-accounts?customerId=${customer.id}`));
    const answer = await this.platform.delete(`/customers/${customer.id}`);
    this.note('remove', customer.number);
    if (customer.isDeleted) return this.agree(answer, [410, 'CUSTOMER_DELETED']);
    this.agree(answer, 200);
    customer.isDeleted = true;
    customer.closed = accounts.data.map(({ id }: Fields) => id);
    for (const { id, papers } of [customer, ...customer.owners]) {
      this.deletedPapers.push(...papers.map((paper) => paper.id));
      if (id !== customer.id) this.deletedOwners.push(id);
      await this.comparePapers({ id, papers: [] });
    }
    customer.owners.length = 0;
    customer.papers.length = 0;
    const { id, isDeleted } = answer.body;
    this.same([id, isDeleted], [customer.id, true], 'the deleted customer');
    await this.compareCustomer(customer);
  }

  async listCustomers(): Promise<void> {
    const some = this.any(this.customers);
    if (!some) return;
    const isDeletedToo = this.random.chance(0.3);
    const filters: Record<string, string | undefined> = {
      none: undefined,
      customerType: this.random.pick(['INDIVIDUAL', 'BUSINESS']),
      region: this.random.pick(['DE', 'US', 'FR']),
      platformCustomerId: some.fields['platformCustomerId'],
      umaAddress: some.fields['umaAddress'],
    };
    const name = this.random.pick(Object.keys(filters));
    const value = filters[name];
    const query = new URLSearchParams({ ...(value && { [name]: value }), ...(isDeletedToo && { isIncludingDeleted: 'true' }) });
    const { data, totals } = await everyPage(this.platform, `/customers?${query}`, this.random.pick([2, 5, 100]));
    this.note('customers', name, isDeletedToo);
    const typeOf = ({ isBusiness }: Customer) => (isBusiness ? 'BUSINESS' : 'INDIVIDUAL');
    const matches = (customer: Customer) => !value || value === (name === 'customerType' ? typeOf(customer) : customer.fields[name]);
    const expected = this.customers.filter((customer) => (isDeletedToo || !customer.isDeleted) && matches(customer)).reverse();
    this.same(
      data.map(({ id, isDeleted }) => [id, isDeleted]),
      expected.map(({ id, isDeleted }) => [id, isDeleted]),
      'the list',
    );
    this.same(new Set(totals), new Set([expected.length]), 'the total');
    for (const [i, customer] of expected.entries()) if (!customer.isDeleted) this.sameCustomer(data[i] ?? {}, customer);
  }
}
