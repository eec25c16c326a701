// Imports of customers beside COPY of the same rows, and uploads of documents beside inserts of the same bytes.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { newUuid } from '../src/kernel/ids.js';
import { csvOf, personRow } from '../test/support/imports.js';
import { formOf, formPieces, pdf } from '../test/support/multipart.js';
import { Pieces } from './http-client.js';
import { atLeast, comparedTime, load, median, type Row, sideBySide } from './measure.js';
import { meterOf } from './processor-time.js';
import { type BenchService, startBenchService } from './service.js';

const ROWS = 10_000;
const ROUNDS = 3;
const CALLERS = 8;
/** The default pool size of one process of the service. */
const CONNECTIONS = 10;
const DOCUMENT_BYTES = 500_000;
/** Asking for the job takes processor time from the import. */
const POLL_MS = 100;
const LEAST = { import: 0.1, documents: 0.5 };

export async function identity(): Promise<Row[]> {
  const service = await startBenchService();
  const plain = service.plainPool(CONNECTIONS);
  try {
    return [await imports(service, plain), await documents(service, plain)];
  } finally {
    service.client.close();
    await plain.end();
    await service.stop();
  }
}

// ---- imports

async function imports(service: BenchService, plain: pg.Pool): Promise<Row> {
  const meter = await meterOf(service);
  const rounds: { ours: Imported; theirs: Imported }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const run = `b${round}`;
    rounds.push({ ours: await importRows(service, run, meter), theirs: await copyRows(plain, run, meter) });
  }
  // The first round warms up.
  const measured = rounds.slice(1);
  const middle = (of: (round: (typeof rounds)[number]) => number) => median(measured.map(of));
  const [ours, theirs] = [middle((round) => round.ours.perSecond), middle((round) => round.theirs.perSecond)];
  const time = comparedTime(
    { processorMs: middle((round) => round.ours.processorMs) },
    { processorMs: middle((round) => round.theirs.processorMs) },
  );
  const rate = (perSecond: number) => `${Math.round(perSecond).toLocaleString('en-US')} rows/s`;
  return {
    name: `import of ${ROWS.toLocaleString('en-US')} customers with their accounts and events`,
    measured: rate(ours),
    beside: `COPY of the same rows ${rate(theirs)}${time}`,
    ratio: ours / theirs,
    limit: `≥ ${LEAST.import}`,
    holds: ours / theirs >= LEAST.import,
  };
}

type Imported = { readonly perSecond: number; readonly processorMs: number };

const importedSince = (began: number, usedBefore: number, meter: () => number): Imported => ({
  perSecond: (ROWS * 1000) / (performance.now() - began),
  processorMs: ((meter() - usedBefore) * 1000) / ROWS,
});

/** From the upload to the end of the job. */
async function importRows({ client }: BenchService, run: string, meter: () => number): Promise<Imported> {
  const csv = Buffer.from(csvOf(Array.from({ length: ROWS }, (_, i) => personRow(run, i))));
  const { body, contentType } = formOf([{ name: 'file', value: csv, fileName: 'customers.csv', contentType: 'text/csv' }]);
  const [began, usedBefore] = [performance.now(), meter()];
  const { jobId } = JSON.parse(await client.expect(202, 0, 'POST', '/customers/bulk/csv', body, { 'content-type': contentType }));
  for (;;) {
    const job = JSON.parse(await client.expect(200, 0, 'GET', `/customers/bulk/jobs/${jobId}`));
    if (job.completedAt) {
      if (job.progress.successful !== ROWS) throw new Error(`only ${job.progress.successful} rows were imported`);
      return importedSince(began, usedBefore, meter);
    }
    await pause(POLL_MS);
  }
}

/** The tables an import writes, and which of their rows belong to it. Parents first. */
const TABLES: Readonly<Record<string, string>> = {
  customers: `t.platform_customer_id like $1`,
  ledger_accounts: `exists (select from internal_accounts a join customers c on c.id = a.customer_id where a.id = t.id and c.platform_customer_id like $1)`,
  internal_accounts: `exists (select from customers c where c.id = t.customer_id and c.platform_customer_id like $1)`,
  webhook_events: `exists (select from customers c where t.object_id = 'Customer:' || c.id and c.platform_customer_id like $1)`,
};

/** Copies the rows of an import from files into empty tables with the same columns and indexes. */
async function copyRows(plain: pg.Pool, run: string, meter: () => number): Promise<Imported> {
  const client = await plain.connect();
  try {
    const { rows } = await client.query(`select current_setting('data_directory') || '/bench_' as path`);
    const path = (table: string) => `'${rows[0].path}${table}.copy'`;
    await client.query('drop schema if exists copied cascade');
    await client.query('create schema copied');
    for (const [table, condition] of Object.entries(TABLES)) {
      await client.query(`copy (select t.* from ${table} t where ${condition.replace('$1', `'${run}-%'`)}) to ${path(table)}`);
      await client.query(`create table copied.${table} (like ${table} including all)`);
    }
    const [began, usedBefore] = [performance.now(), meter()];
    await client.query('begin');
    for (const table of Object.keys(TABLES)) await client.query(`copy copied.${table} from ${path(table)}`);
    await client.query('commit');
    return importedSince(began, usedBefore, meter);
  } finally {
    client.release();
  }
}

// ---- documents

/** Types that need neither number nor side, so that a customer takes one of each. */
const TYPES = [
  'PROOF_OF_ADDRESS',
  'BANK_STATEMENT',
  'TAX_RETURN',
  'CERTIFICATE_OF_INCORPORATION',
  'ARTICLES_OF_INCORPORATION',
  'ARTICLES_OF_ASSOCIATION',
  'STATE_REGISTRY_EXCERPT',
  'GOOD_STANDING_CERTIFICATE',
  'INFORMATION_STATEMENT',
  'INCUMBENCY_CERTIFICATE',
];

async function documents(service: BenchService, plain: pg.Pool): Promise<Row> {
  const { rows: holders } = await plain.query<{ platform_id: string; id: string }>('select platform_id, id from customers limit 10000');
  const content = pdf(DOCUMENT_BYTES);
  const small = pdf();
  const noise = randomBytes(DOCUMENT_BYTES);
  let taken = 0;
  const next = () => {
    taken += 1;
    const holder = holders[Math.floor(taken / TYPES.length)];
    if (!holder) throw new Error('too few customers');
    return { ...holder, documentType: TYPES[taken % TYPES.length] as string };
  };

  const upload = async (caller: number, file: Buffer) => {
    const { id, documentType } = next();
    const { pieces, contentType } = formPieces([
      { name: 'documentHolder', value: `Customer:${id}` },
      { name: 'documentType', value: documentType },
      { name: 'country', value: 'US' },
      { name: 'file', value: file, fileName: 'a.pdf', contentType: 'application/pdf' },
    ]);
    await service.client.expect(201, caller, 'POST', '/documents', new Pieces(pieces), { 'content-type': contentType });
  };
  // A new process runs code that is not compiled yet; the plain client has done nothing else all the time.
  await load((caller) => upload(caller, small), { callers: CALLERS, seconds: 5, warmupSeconds: 0 });

  const measured = await sideBySide(
    {
      ours: (caller) => upload(caller, content),
      theirs: () => insertDocument(plain, next(), noise),
    },
    { callers: CALLERS, seconds: 4, meter: await meterOf(service) },
  );
  return atLeast(
    `documents of ${DOCUMENT_BYTES / 1000} kB, sent, checked and encrypted`,
    measured.ours,
    measured.theirs,
    'inserts of the same bytes',
    LEAST.documents,
  );
}

/** The rows of one document in one transaction. The bytes are random, as encrypted ones are. */
async function insertDocument(
  plain: pg.Pool,
  { platform_id, id, documentType }: { platform_id: string; id: string; documentType: string },
  bytes: Buffer,
): Promise<void> {
  const client = await plain.connect();
  try {
    const [file, chunk] = [newUuid(), 256 * 1024];
    await client.query('begin');
    await client.query({
      name: 'file',
      text: `insert into stored_files (platform_id, id, key_sealed, size, sha256, kept_at) values ($1, $2, '', $3, '', now())`,
      values: [platform_id, file, bytes.length],
    });
    for (let sequence = 0; sequence * chunk < bytes.length; sequence += 1)
      await client.query({
        name: 'chunk',
        text: 'insert into stored_file_chunks (platform_id, file_id, sequence, bytes) values ($1, $2, $3, $4)',
        values: [platform_id, file, sequence, bytes.subarray(sequence * chunk, (sequence + 1) * chunk)],
      });
    await client.query({
      name: 'document',
      text: `insert into documents (platform_id, id, holder_kind, holder_id, document_type, country, file_id, file_name, content_type, created_at, updated_at)
             values ($1, $2, 'Customer', $3, $4, 'US', $5, 'a.pdf', 'application/pdf', now(), now())`,
      values: [platform_id, newUuid(), id, documentType, file],
    });
    await client.query('commit');
  } finally {
    client.release();
  }
}
