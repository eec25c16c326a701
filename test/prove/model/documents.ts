// Histories of documents: what is taken, replaced, deleted and read, of customers and of beneficial owners.
import { randomUUID } from 'node:crypto';
import { idempotent } from '../../support/cards.js';
import type { Answer } from '../../support/client.js';
import { filePart, replace, upload } from '../../support/documents.js';
import { pdf, png } from '../../support/multipart.js';
import type { Command } from './history.js';
import { OwnerHistory } from './owners.js';
import { CATEGORIES, type Customer, type Fields, IDENTITY_PAPERS, type Paper, type Problem, problemsOf } from './packets.js';
import { NOBODY } from './people.js';

const TWO_SIDED = ['DRIVERS_LICENSE', 'NATIONAL_ID'];
const IDENTITY_TEXTS = { documentNumber: 'X1234567', issuingAuthority: 'City of Berlin' };

export type Holder = { readonly id: string; readonly papers: Paper[]; readonly customer: Customer; readonly isPerson: boolean };

export abstract class DocumentHistory extends OwnerHistory {
  protected documentCommands(): Record<string, Command> {
    return {
      upload: [14, () => this.upload()],
      replace: [4, () => this.replace()],
      discard: [3, () => this.discard()],
      download: [2, () => this.download()],
    };
  }

  protected get holders(): Holder[] {
    return this.present.flatMap((customer) => [
      { id: customer.id, papers: customer.papers, customer, isPerson: !customer.isBusiness },
      ...customer.owners.map(({ id, papers }) => ({ id, papers, customer, isPerson: true })),
    ]);
  }

  /** A document that resolves a problem of the packet: one that is missing, or the other side of one. */
  protected remedyFor({ resourceId, accepted = [] }: Problem, papers: readonly Paper[], documentType = accepted[0] ?? ''): Fields {
    const half = papers.find(({ id }) => id === resourceId)?.fields;
    const side = half?.['side'] === 'FRONT' ? 'BACK' : 'FRONT';
    const country = half?.['country'] ?? 'DE';
    return {
      documentType,
      country,
      ...(IDENTITY_PAPERS.includes(documentType) && IDENTITY_TEXTS),
      ...(TWO_SIDED.includes(documentType) && { side }),
    };
  }

  /** Often one that the packet lacks. */
  private paperDraft({ id, papers, customer, isPerson }: Holder): Fields {
    const lacking = problemsOf(customer, this.now).filter(
      ({ resourceId, accepted }) => accepted && (resourceId === id || papers.some((paper) => paper.id === resourceId)),
    );
    const lack = this.random.chance(0.7) ? this.any(lacking) : undefined;
    if (lack) return this.remedyFor(lack, papers, this.random.pick(lack.accepted ?? []));
    const types = isPerson ? [...IDENTITY_PAPERS, 'UTILITY_BILL'] : Object.values(CATEGORIES).flat();
    const documentType = this.random.pick(types);
    const country = this.random.pick(['DE', 'DE', 'BR']);
    const hasSides = documentType === 'NATIONAL_ID' || (documentType === 'DRIVERS_LICENSE' && country !== 'BR');
    const texts = IDENTITY_PAPERS.includes(documentType) ? IDENTITY_TEXTS : {};
    return { documentType, country, ...texts, ...(hasSides && { side: this.random.pick(['FRONT', 'BACK']) }) };
  }

  private file(fileName?: string) {
    const size = this.random.int(100, 400);
    if (fileName === undefined && this.random.chance(0.3)) return filePart(png(size), 'scan.png', 'image/png');
    return filePart(pdf(size), fileName ?? 'scan.pdf');
  }

  /** A form with one thing wrong, and the refusal of it. */
  private spoiled(draft: Fields): { fields: Fields; file: ReturnType<typeof filePart>; refuse: (answer: Answer) => void } {
    const { documentNumber: _number, ...unnumbered } = draft;
    const { side: _side, ...sideless } = draft;
    const isIdentity = draft['documentNumber'] !== undefined;
    const what = this.random.pick(['country', 'side', 'kind', 'label', 'code', ...(isIdentity ? ['number'] : [])]);
    if (what === 'country') return { fields: { ...draft, country: 'XX' }, file: this.file(), refuse: (answer) => this.names(answer, what) };
    if (what === 'side') {
      const fields = draft['side'] ? sideless : { ...draft, side: 'FRONT' };
      return { fields, file: this.file(), refuse: (answer) => this.invalid(answer, 'side') };
    }
    if (what === 'number') return { fields: unnumbered, file: this.file(), refuse: (answer) => this.invalid(answer, 'documentNumber') };
    if (what === 'kind') return { fields: draft, file: filePart(png(), 'scan.pdf'), refuse: (answer) => this.invalid(answer, 'file') };
    if (what === 'label') {
      const label = this.random.pick(['dataNotReadable', 'screenshot', 'grayscale', 'documentExpired']);
      const refuse = (answer: Answer) => {
        this.agree(answer, [422, 'DOCUMENT_REJECTED']);
        this.same(answer.body.precheckErrors, [label], 'what the quick look found');
      };
      return { fields: draft, file: this.file(`my-${label}.pdf`), refuse };
    }
    const code = this.random.pick([
      'LOW_QUALITY',
      'DATA_MISMATCH',
      'EXPIRED',
      'SUSPECTED_FRAUD',
      'UNSUITABLE_DOCUMENT',
      'INCOMPLETE',
    ] as const);
    return { fields: draft, file: this.file(`my-${code}.pdf`), refuse: (answer) => this.agree(answer, [400, code]) };
  }
  /** Among the fields that the refusal names: an unknown country may have sides. */
  private names(answer: Answer, field: string): void {
    this.agree(answer, [400, 'INVALID_INPUT']);
    this.same(answer.body.details.errors.map((error: Fields) => error['field']).includes(field), true, `${field} is named`);
  }

  private inTheWay({ papers }: Holder, fields: Fields, but?: Paper): Paper | undefined {
    const isSame = (other: Fields) => other['documentType'] === fields['documentType'] && other['side'] === fields['side'];
    return papers.find((paper) => paper !== but && isSame(paper.fields));
  }

  async upload(): Promise<void> {
    const holder = this.any(this.holders);
    if (!holder) return;
    const draft = this.paperDraft(holder);
    const existing = this.inTheWay(holder, draft);
    if (!existing && this.random.chance(0.15)) {
      const { fields, file, refuse } = this.spoiled(draft);
      this.note('upload', 'badly', JSON.stringify(fields), file.fileName);
      refuse(await upload(this.platform, holder.id, fields, file));
      return this.comparePapers(holder);
    }
    const gone = this.random.chance(0.05) ? (this.any(this.deletedOwners) ?? `Customer:${NOBODY}`) : undefined;
    if (gone) {
      this.note('upload', 'for nobody');
      return this.agree(await upload(this.platform, gone, draft), [404, 'DOCUMENT_HOLDER_NOT_FOUND']);
    }
    if (!existing) return this.store(holder, draft);
    const answer = await upload(this.platform, holder.id, draft);
    this.note('upload', 'again', JSON.stringify(draft));
    this.agree(answer, [409, 'DOCUMENT_ALREADY_EXISTS']);
    this.same(answer.body.details.documentId, existing.id, 'the document that is in the way');
  }

  /** Uploads a document of a type and side that the holder has not. */
  protected async store(holder: Pick<Holder, 'id' | 'papers'>, fields: Fields): Promise<void> {
    const file = this.file();
    const key = idempotent(randomUUID());
    const send = () => upload(this.platform, holder.id, fields, file, key);
    const answer = await send();
    this.note('upload', JSON.stringify(fields));
    this.agree(answer, 201);
    if (this.random.chance(0.2)) this.same((await send()).text, answer.text, 'the repeated request');
    const { fileName = '', contentType = '', value } = file;
    const content = Buffer.from(value);
    const times = { createdAt: this.now, updatedAt: this.now };
    const paper: Paper = { id: answer.body.id, holder: holder.id, fields, fileName, contentType, content, ...times, isSubmitted: false };
    holder.papers.push(paper);
    this.same(answer.body, this.shownPaper(paper), 'the document');
    await this.comparePapers(holder);
  }

  private async anyPaper(): Promise<{ holder: Holder; paper: Paper } | undefined> {
    const find = () => this.any(this.holders.filter(({ papers }) => papers.length > 0));
    if (!find()) await this.upload();
    const holder = find();
    return holder && { holder, paper: this.random.pick(holder.papers) };
  }

  /** "optional fields left out are cleared; `id`, `documentHolder`, `createdAt` stay"; it counts as not submitted. */
  async replace(): Promise<void> {
    const found = await this.anyPaper();
    if (!found) return;
    const { holder, paper } = found;
    const draft = this.random.chance(0.5) ? paper.fields : this.paperDraft(holder);
    const existing = this.inTheWay(holder, draft, paper);
    if (!existing && this.random.chance(0.15)) {
      const { fields, file, refuse } = this.spoiled(draft);
      this.note('replace', 'badly', JSON.stringify(fields), file.fileName);
      refuse(await replace(this.platform, paper.id, fields, file));
      return this.compareContent(paper);
    }
    const gone = this.random.chance(0.1) ? this.any(this.deletedPapers) : undefined;
    const file = this.file();
    const answer = await replace(this.platform, gone ?? paper.id, draft, file);
    this.note('replace', gone ? 'nothing' : JSON.stringify(paper.fields), 'with', JSON.stringify(draft));
    if (gone) return this.agree(answer, [404, 'NOT_FOUND']);
    if (existing) return this.agree(answer, [409, 'DOCUMENT_ALREADY_EXISTS']);
    this.agree(answer, 200);
    const { fileName = '', contentType = '', value } = file;
    Object.assign(paper, { fields: draft, fileName, contentType, content: value, updatedAt: this.now, isSubmitted: false });
    this.same(answer.body, this.shownPaper(paper), 'the document');
    await this.compareContent(paper);
    await this.comparePapers(holder);
  }

  private async compareContent({ id, content, contentType }: Paper): Promise<void> {
    const answer = await this.platform.post(`/documents/${id}/download`);
    this.agree(answer, 200);
    this.same(answer.text, content.toString(), 'the bytes as stored');
    this.same(answer.headers.get('content-type'), contentType, 'the kind of the file');
    this.same(answer.headers.get('content-disposition')?.split(';')[0], 'attachment', 'it is saved and not shown');
  }

  async download(): Promise<void> {
    const found = await this.anyPaper();
    const gone = this.random.chance(0.3) ? this.any(this.deletedPapers) : undefined;
    if (!found) return;
    this.note('download', gone ? 'nothing' : found.paper.fileName);
    if (gone) {
      this.agree(await this.platform.get(`/documents/${gone}`), [404, 'NOT_FOUND']);
      return this.agree(await this.platform.post(`/documents/${gone}/download`), [404, 'NOT_FOUND']);
    }
    this.same((await this.platform.get(`/documents/${found.paper.id}`)).body, this.shownPaper(found.paper), 'the document');
    await this.compareContent(found.paper);
  }

  /** "204; submitted (handed to the provider, also when it answered RESOLVE_ERRORS): 409 CONFLICT" */
  async discard(): Promise<void> {
    const found = await this.anyPaper();
    if (!found || found.paper.isSubmitted === undefined) return;
    const { holder, paper } = found;
    const gone = this.random.chance(0.2) ? this.any(this.deletedPapers) : undefined;
    const answer = await this.platform.delete(`/documents/${gone ?? paper.id}`);
    this.note('discard', gone ? 'nothing' : paper.isSubmitted);
    if (gone) return this.agree(answer, [404, 'NOT_FOUND']);
    if (paper.isSubmitted) return this.agree(answer, [409, 'CONFLICT']);
    this.agree(answer, 204);
    this.deletedPapers.push(paper.id);
    holder.papers.splice(holder.papers.indexOf(paper), 1);
    await this.comparePapers(holder);
  }
}
