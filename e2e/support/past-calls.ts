import { query } from "./books.ts";

/**
 * Gives a customer many calls from the last two years, with a realistic distribution of countries, durations and failures.
 * Inserted by SQL and without ledger entries, because creating them one by one would take hours.
 */
export async function insertPastCalls(databaseUrl: string, email: string, calls: number): Promise<void> {
  await query(INSERT_CALLS, [email, calls], databaseUrl);
  await query("vacuum analyze call", [], databaseUrl);
}

const INSERT_CALLS = `
  with person as (select id from customer where email = $1),
  places (place, country_code, prefix, description, number, rate_micros) as (
    values (0, 'GH', '23320', 'Ghana Mobile', '+23320', 142000), (1, 'IN', '9198', 'India Mobile', '+9198', 21000),
      (2, 'GB', '4420', 'United Kingdom London', '+4420', 25000), (3, 'MX', '5255', 'Mexico City', '+5255', 19000),
      (4, 'NG', '23480', 'Nigeria Mobile', '+23480', 160000), (5, 'PH', '63917', 'Philippines Mobile', '+63917', 175000),
      (6, 'DE', '4930', 'Germany Berlin', '+4930', 22000), (7, 'AE', '97150', 'United Arab Emirates Mobile', '+97150', 185000)
  ),
  made as (
    select n, hashint4(n) & 1023 as chance, date_trunc('milliseconds', now() - n * interval '2 years' / $2::integer) as begun,
      (hashint4(n + 7) & 1023) as spread
    from generate_series(1, $2::integer) as n
  ),
  told as (
    select made.*, places.*, case when chance < 110 then 0 else 5 + (spread * spread) / 900 end as seconds
    from made join places on places.place = (made.chance + made.n) % 8
  )
  insert into call (id, customer_id, destination, country_code, number_type, status, end_reason, rate_prefix, rate_description,
    rate_per_minute_micros, price_class, first_interval_seconds, next_interval_seconds, deck_id, deck_effective_at, held_micros,
    cap_seconds, ticket_hash, ticket_expires_at, created_at, started_at, answered_at, ended_at, duration_ms, billed_seconds, charge_micros)
  select gen_random_uuid(), person.id, number || lpad((spread % 400)::text, 6, '0'), country_code, 'mobile',
    case when seconds = 0 then 'failed' else 'completed' end,
    case when seconds > 0 then 'hangup' when chance < 50 then 'no_answer' when chance < 90 then 'busy' else 'cancelled' end,
    prefix, description, rate_micros, case when rate_micros > 150000 then 'B' else 'A' end, 1, 1, gen_random_uuid(),
    begun - interval '3 days', 100000000, 7200,
    sha256(convert_to(n::text || person.id::text, 'UTF8')), begun + interval '1 minute', begun,
    case when seconds > 0 then begun + interval '3 seconds' end, case when seconds > 0 then begun + interval '12 seconds' end,
    begun + interval '12 seconds' + seconds * interval '1 second', seconds * 1000, seconds,
    (rate_micros * seconds + 59) / 60
  from told, person`;
