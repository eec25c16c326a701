// A bulk import of customers from a CSV file.
import type { Id } from '../../../kernel/ids.js';
import type { FileId } from '../../../providers/files/file.js';

export type ImportJobId = Id<'Job'>;

export const IMPORT_STATUSES = ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

/** A row that was refused. It holds no value of the row but its platformCustomerId. */
export type ImportError = {
  readonly correlationId: string;
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
};

export type ImportJob = {
  readonly id: ImportJobId;
  readonly status: ImportStatus;
  /** Null once the import has ended. */
  readonly fileId: FileId | null;
  /** The columns of the header row; null until all rows were counted. */
  readonly columns: readonly string[] | null;
  /** Where the next row to be counted, later to be created, begins. */
  readonly next: { readonly byte: number; readonly line: number };
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
};
