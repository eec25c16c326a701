// How PostgreSQL plans statements on a connection of the service: by indexes, whatever it knows of the tables.
import { sql } from './sql.js';

/** For `plan_cache_mode`. A coordinator cannot plan a statement before it knows the platform, and so the node. */
export const GENERIC_PLANS = sql`case when current_setting('citus.version', true) is null then 'force_generic_plan' else 'auto' end`;

/**
 * On tables without statistics the planner believes that a platform has few rows: it would read all of them by a bitmap and sort them for a
 * page of a list, or join all of them by merging. On tables that were small when it counted them it would read them whole. Without these
 * three a list goes along its index and stops at the page. Joins of whole sets stay possible, by hashing.
 */
export const PLAN_SETTINGS = 'set enable_seqscan = off; set enable_bitmapscan = off; set enable_mergejoin = off';

/**
 * A generic plan is kept while its connection lives. A plan made on a small table would scan it, and still do so when the table has
 * grown; without scans and joins of whole tables every plan goes by indexes, whatever the statistics say.
 */
export const DECISION_SETTINGS = `
  select set_config('plan_cache_mode', ${GENERIC_PLANS.text}, false); set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
  set enable_bitmapscan = off; set enable_material = off`;

/** For connections with `plans`. */
export const SETTINGS = { custom: PLAN_SETTINGS, generic: DECISION_SETTINGS } as const;
