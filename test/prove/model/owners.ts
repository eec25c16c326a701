// Histories of beneficial owners of businesses.
import { randomUUID } from 'node:crypto';
import { idempotent } from '../../support/cards.js';
import { US_OWNER } from '../../support/identity/verifications.js';
import type { Command } from './history.js';
import { type Customer, type Fields, isUnderReview, lastOf, masked, type Owner, openOf } from './packets.js';
import { ALMOST_OF_AGE, everyPage, NOBODY, PeopleHistory, untimed } from './people.js';

export abstract class OwnerHistory extends PeopleHistory {
  protected ownerCommands(): Record<string, Command> {
    return {
      owner: [6, () => this.owner()],
      reshape: [4, () => this.reshape()],
      dismiss: [2, () => this.dismiss()],
    };
  }

  private ownerDraft(): Fields {
    this.made += 1;
    const isUs = this.random.chance(0.5);
    const country = isUs ? 'US' : 'DE';
    const idType = this.random.pick(isUs ? ['SSN', 'SSN', 'ITIN', 'EIN'] : ['NON_US_TAX_ID', 'NON_US_TAX_ID', 'ITIN', 'SSN']);
    const identifier = idType === 'SSN' && isUs ? this.random.pick(['123-45-6789', '123-45-6789', '12-3456789']) : '912-34-5678';
    return {
      roles: this.random.pick([['UBO'], ['CONTROL_PERSON'], ['UBO', 'CONTROL_PERSON'], ['DIRECTOR']]),
      ownershipPercentage: this.random.pick([0, 10, 25, 40, 60]),
      personalInfo: {
        ...US_OWNER.personalInfo,
        lastName: `Hopper${this.made} ${this.random.pick(['Murray', '001', '002'])}`,
        birthDate: this.random.pick(['1980-12-09', '1980-12-09', ALMOST_OF_AGE]),
        nationality: country,
        address: { line1: '2 Navy Yard', postalCode: '20374', country },
        ...{ idType, identifier },
        ...this.maybe(idType === 'NON_US_TAX_ID' ? 0.7 : 0, { countryOfIssuance: 'DE' }),
      },
    };
  }
  private sharesOf({ owners }: Customer, but?: Owner): number {
    return owners.reduce((sum, owner) => sum + (owner === but ? 0 : owner.fields['ownershipPercentage']), 0);
  }

  async owner(): Promise<void> {
    const businesses = this.customers.filter(({ isBusiness }) => isBusiness);
    const customer = this.any(this.random.chance(0.9) ? businesses : this.customers);
    if (!customer || customer.owners.length >= 4) return;
    const draft = this.ownerDraft();
    const wrong = this.random.weighted({ nothing: 10, roles: 1, birthDate: 1, nationality: 1 });
    if (wrong === 'roles') draft['roles'] = ['UBO', 'UBO'];
    if (wrong === 'birthDate') draft['personalInfo'].birthDate = '2040-01-01';
    if (wrong === 'nationality') draft['personalInfo'].nationality = 'XX';
    const isTooMuch = this.sharesOf(customer) + draft['ownershipPercentage'] > 100;
    if (wrong !== 'nothing' && (isTooMuch || !customer.isBusiness || customer.isDeleted)) return;
    if (wrong === 'nothing' && customer.isBusiness && !customer.isDeleted && !isTooMuch) return this.join(customer, draft);
    const answer = await this.platform.post('/beneficial-owners', { customerId: customer.id, ...draft });
    this.note('owner', wrong, JSON.stringify(draft));
    if (customer.isDeleted) return this.agree(answer, [404, 'CUSTOMER_NOT_FOUND']);
    if (!customer.isBusiness) return this.invalid(answer, 'customerId');
    if (wrong === 'roles') return this.agree(answer, [400, 'INVALID_INPUT']);
    if (wrong !== 'nothing') return this.invalid(answer, `personalInfo.${wrong}`);
    // "all owners of a business together at most 100 %"
    this.invalid(answer, 'ownershipPercentage');
  }

  protected async join(customer: Customer, draft: Fields): Promise<void> {
    const key = idempotent(randomUUID());
    const send = () => this.platform.post('/beneficial-owners', { customerId: customer.id, ...draft }, key);
    const answer = await send();
    this.note('owner', JSON.stringify(draft));
    this.agree(answer, 201);
    if (this.random.chance(0.3)) this.same((await send()).text, answer.text, 'the repeated request');
    this.addOwner(customer, draft, answer.body);
    await this.compareCustomer(customer);
  }

  /** A person who controls the business and owns nothing of it. */
  protected leader({ number }: Customer): Fields {
    const personalInfo = { ...US_OWNER.personalInfo, lastName: `Leader${number} Murray` };
    return { roles: ['CONTROL_PERSON'], ownershipPercentage: 0, personalInfo };
  }

  protected addOwner(customer: Customer, draft: Fields, { id, kycStatus }: Fields): void {
    const { identifier, ...personalInfo } = draft['personalInfo'];
    // Nothing says whether a person who joins a business under review is under review at once.
    const statuses = isUnderReview(openOf(customer)) ? ['PENDING', 'UNVERIFIED'] : ['UNVERIFIED'];
    this.same(statuses.includes(kycStatus), true, `a new owner is ${kycStatus}`);
    customer.owners.push({ id, fields: { ...draft, personalInfo }, identifier, kycStatus, papers: [] });
  }

  private async anyOwner(): Promise<{ customer: Customer | undefined; owner: Owner | undefined }> {
    const find = () => this.any(this.present.filter(({ owners }) => owners.length > 0));
    if (!find()) await this.owner();
    const customer = find();
    return { customer, owner: customer && this.any(customer.owners) };
  }

  /** "only what is given changes; `personalInfo` merges member by member, `address` is replaced whole" */
  async reshape(): Promise<void> {
    const { customer, owner } = await this.anyOwner();
    if (!customer || !owner) return;
    const gone = this.random.chance(0.1) ? this.any(this.deletedOwners) : undefined;
    if (gone) {
      this.note('reshape', 'nobody');
      return this.agree(await this.platform.patch(`/beneficial-owners/${gone}`, { ownershipPercentage: 1 }), [404, 'NOT_FOUND']);
    }
    const { country } = owner.fields['personalInfo'].address;
    const change: Fields = this.random.pick<Fields>([
      { ownershipPercentage: this.random.pick([0, 15, 50, 100]) },
      { roles: ['UBO', 'CONTROL_PERSON'] },
      this.repairOfOwner(owner),
      { personalInfo: { identifier: masked(owner.identifier), middleName: 'Brewster' } },
      { personalInfo: { address: { line1: '4 Back Lane', postalCode: '20375', country } } },
    ]);
    await this.rework(customer, owner, change);
  }

  protected repairOfOwner({ fields }: Owner): Fields {
    const { nationality, address } = fields['personalInfo'];
    const isUs = nationality === 'US' || address.country === 'US';
    const abroad = { idType: 'NON_US_TAX_ID', identifier: 'DE-4711-0815', countryOfIssuance: 'DE' };
    return { personalInfo: { birthDate: '1979-01-01', ...(isUs ? { idType: 'SSN', identifier: '123-45-6789' } : abroad) } };
  }

  protected async rework(customer: Customer, owner: Owner, change: Fields): Promise<void> {
    const answer = await this.platform.patch(`/beneficial-owners/${owner.id}`, change);
    this.note('reshape', JSON.stringify(change));
    if (this.sharesOf(customer, owner) + (change['ownershipPercentage'] ?? 0) > 100) return this.invalid(answer, 'ownershipPercentage');
    this.agree(answer, 200);
    const { personalInfo, ...rest } = owner.fields;
    const { identifier = owner.identifier, ...info } = change['personalInfo'] ?? {};
    // "Sending the masked text back leaves it unchanged."
    if (identifier !== masked(owner.identifier)) owner.identifier = identifier;
    owner.fields = { ...rest, ...change, personalInfo: { ...personalInfo, ...info } };
    this.same(untimed(answer.body), this.shownOwner(owner, customer), 'the owner');
    await this.compareOwners(customer);
  }

  protected async compareOwners(customer: Customer): Promise<void> {
    const { data } = await everyPage(this.platform, `/beneficial-owners?customerId=${customer.id}`, this.random.pick([1, 2, 100]));
    const expected = customer.owners.map((owner) => this.shownOwner(owner, customer)).reverse();
    this.same(data.map(untimed), expected, 'the owners of a business');
    for (const { id } of customer.owners) {
      const { body } = await this.platform.get(`/beneficial-owners/${id}`);
      this.same(
        body,
        data.find((owner) => owner['id'] === id),
        'an owner',
      );
    }
  }

  /** "204; 409 CONFLICT while the business is under review". Its documents go with it. */
  async dismiss(): Promise<void> {
    const { customer, owner } = await this.anyOwner();
    const id = owner && this.random.chance(0.8) ? owner.id : (this.any(this.deletedOwners) ?? `BeneficialOwner:${NOBODY}`);
    if (!customer || !owner) return;
    const answer = await this.platform.delete(`/beneficial-owners/${id}`);
    this.note('dismiss', id === owner.id ? 'an owner of' : 'nobody of', lastOf(customer)?.status ?? 'none');
    if (id !== owner.id) return this.agree(answer, [404, 'NOT_FOUND']);
    if (isUnderReview(openOf(customer))) return this.agree(answer, [409, 'CONFLICT']);
    this.agree(answer, 204);
    this.deletedOwners.push(id);
    this.deletedPapers.push(...owner.papers.map((paper) => paper.id));
    customer.owners.splice(customer.owners.indexOf(owner), 1);
    this.agree(await this.platform.get(`/beneficial-owners/${id}`), [404, 'NOT_FOUND']);
    await this.comparePapers({ id, papers: [] });
    await this.compareOwners(customer);
  }
}
