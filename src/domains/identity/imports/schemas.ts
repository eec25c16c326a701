// Wire schemas of bulk imports of customers.
import Type from 'typebox';
import { Enum, Timestamp } from '../../../http/schemas.js';

const text = Type.String();
const maybeText = Type.Optional(Type.String());
const maybeTime = Type.Optional(Timestamp());

const count = Type.Integer();

export const BulkCustomerImportJob = Type.Object(
  {
    id: text,
    status: Enum(['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'], { title: 'BulkCustomerImportJobStatus' }),
    progress: Type.Object({ total: count, processed: count, successful: count, failed: count }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            correlationId: text,
            code: maybeText,
            message: maybeText,
            details: Type.Optional(Type.Object({}, { additionalProperties: true })),
          },
          { title: 'BulkCustomerImportErrorEntry' },
        ),
      ),
    ),
    completedAt: maybeTime,
  },
  { title: 'BulkCustomerImportJob' },
);
