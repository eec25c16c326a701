// The time of a platform in SQL.
import { sql } from './sql.js';

/**
 * The current time of the platform in row `p`, truncated to the milliseconds of the API. An expression and no function: a database that
 * is distributed by platform refuses functions that read another table. It is volatile, so it stands in reads only; a write is given the
 * time that was read before.
 */
export const platformTime = sql`date_trunc('milliseconds', coalesce(p.clock_frozen_at, clock_timestamp() + p.clock_offset))`;
