import { MAX_CALLS_PER_CUSTOMER, MIN_CALLS } from "@farline/domain/calls/published-quality.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import type { CalledPrefix } from "../../rates/rates.ts";
import { REPORT_TIMEOUT } from "./quality-report.store.ts";

const DAYS = 90;
/** Of a country and type; the others are too few to matter. */
const MAX_PREFIXES = 50;

/**
 * Counts answered calls by the prefix of their rate in the last 90 complete days, at most four of a customer to a country and type, so that
 * nobody alone decides what most calls cost. Countries and types with fewer than 100 counted calls are left out.
 * @param until start of a day
 */
export async function countCalledPrefixes(tx: Transaction, until: Date): Promise<CalledPrefix[]> {
  const from = new Date(until.getTime() - DAYS * DAY_MS);
  await sql`select set_config('statement_timeout', ${REPORT_TIMEOUT}, true)`.execute(tx);
  const { rows } = await sql<CalledPrefix>`
    with counted as (
      select country_code, number_type, rate_prefix, row_number() over (
        partition by country_code, number_type, customer_id order by created_at desc, id desc) as place
      from call
      where created_at >= ${from} and created_at < ${until} and answered_at is not null
        and number_type in ('mobile', 'landline', 'fixed_or_mobile')
    ), prefixes as (
      select country_code, number_type, rate_prefix as prefix, count(*)::int as calls,
        sum(count(*)) over (partition by country_code, number_type) as total,
        row_number() over (partition by country_code, number_type order by count(*) desc, rate_prefix) as place
      from counted where place <= ${MAX_CALLS_PER_CUSTOMER} group by country_code, number_type, rate_prefix
    )
    select country_code, number_type, prefix, calls from prefixes
    where total >= ${MIN_CALLS} and place <= ${MAX_PREFIXES} order by country_code, number_type, prefix`.execute(tx);
  return rows;
}
