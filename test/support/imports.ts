// CSV files of customers, and imports of them.
import { type Answer, type Client, expectStatus, type Sent } from './client.js';

export const COLUMNS =
  'umaAddress,platformCustomerId,customerType,fullName,birthDate,addressLine1,city,state,postalCode,country,businessLegalName';

/** A row of a person. The names of a run keep its customers apart from others. */
export const personRow = (run: string, i: number): string =>
  `$${run}-${i}@import.example,${run}-${i},INDIVIDUAL,Ada Lovelace ${i % 7},1990-01-01,${i} Main Street,Springfield,IL,62701,US,`;

export const businessRow = (run: string, i: number): string =>
  `$${run}-${i}@import.example,${run}-${i},BUSINESS,,,${i} Main Street,Springfield,IL,62701,US,"Company, No. ${i}"`;

export const csvOf = (rows: readonly string[], columns = COLUMNS): string => `${[columns, ...rows].join('\n')}\n`;

export const uploadCsv = (platform: Client, csv: string | Buffer, sent?: Sent): Promise<Answer> =>
  platform.upload(
    'POST',
    '/customers/bulk/csv',
    [{ name: 'file', value: Buffer.isBuffer(csv) ? csv : Buffer.from(csv), fileName: 'customers.csv', contentType: 'text/csv' }],
    sent,
  );

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Job = any;

export const jobOf = (platform: Client, id: string): Promise<Job> => expectStatus(200, platform.get(`/customers/bulk/jobs/${id}`));

/** Imports a file to its end: an advance of the clock runs the job before it answers. */
export async function imported(platform: Client, csv: string | Buffer): Promise<Job> {
  const { jobId } = await expectStatus(202, uploadCsv(platform, csv));
  for (;;) {
    await platform.clock.advance(1);
    const job = await jobOf(platform, jobId);
    if (job.completedAt) return job;
  }
}
