import { OPERATORS_SQL } from "./operators.ts";
import type { DatabaseHandle } from "../src/platform/database/database.ts";

/** How much data to make. */
export interface OperatorDataSize {
  readonly customers: number;
  readonly calls: number;
}

/** A customer's rows repeat in cycles: a payment, then calls that spend it, then calls that nobody answers. */
const CYCLE = { charged: 19, unanswered: 5 } as const;
const CYCLE_ROWS = 1 + CYCLE.charged + CYCLE.unanswered;
const CYCLE_CALLS = CYCLE.charged + CYCLE.unanswered;
/** One customer has this share of all calls; the others follow Zipf's law. */
const SHARE_OF_THE_LARGEST = 0.01;
const DAYS = 3 * 365;
const LIVE_CALLS = 2_000;
/** One call in so many goes to one of the popular numbers. */
const POPULAR = { every: 50, numbers: 100 } as const;
/** Provider's ids and events are kept for this share of the calls, the newest. */
const SHARE_WITH_EVENTS = 0.1;

/** One customer in so many has a mail domain of their firm. */
const FIRM_EVERY = 40;
const FIRMS = 100;
/** One customer in so many called from one large network; the others from networks of about two hundred customers. */
const LARGE_NETWORK_EVERY = 50;
const NETWORKS = 5_000;

const FIRST_NAMES = words(
  "Anna Ifeoma Rajesh Chidi Yaa Lina Tunde Marta Abena Wanjiru Bilal Minh Kwame Grace José Omar Zoë Pedro Li Noor",
);
const LAST_NAMES = words(
  "Kovács Eze Patel Okafor Asante Cruz Bello Hoffmann Mensah Kamau Khan Tran Darko Obi Souza Saleh Müller Nowak Wei",
);
const COUNTRIES = words("GB GB GB GB GB GB NG NG NG NG GH GH GH IN IN IN PH PH KE PK TR BR MX PL CN VN AE DE US FJ");

/** An SQL array. */
function words(text: string): string {
  return `array['${text.split(" ").join("', '")}']`;
}

const pick = (array: string, index: string): string => `(${array})[1 + (${index}) % array_length(${array}, 1)]`;
const NAME = `${pick(FIRST_NAMES, "n")} || ' ' || ${pick(LAST_NAMES, "n / 20")} || case n / 380 when 0 then '' else ' ' || n end`;
const EMAIL = `'caller' || n || '@' || case n % ${FIRM_EVERY} when ${FIRM_EVERY - 1} then 'firm' || n % ${FIRMS} || '.example' else 'example.com' end`;
const NETWORK = `case n % ${LARGE_NETWORK_EVERY} when 1 then '100.64.0.x'
  else '11.' || n % ${NETWORKS} / 250 || '.' || n % ${NETWORKS} % 250 || '.x' end`;

const FILLED = [
  "account",
  "call",
  "call_event",
  "customer",
  "hold",
  "ledger_entry",
  "ledger_transaction",
  "mail",
  "operation",
  "payment",
  "payment_failure",
  "receipt",
  "security_event",
  "session",
  "stripe_customer",
  "support_case",
];

/** The id of a made-up customer, counted from 1. The first one has the most calls. */
export function operatorDataCustomer(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

export function operatorDataEmail(n: number): string {
  return `caller${n}@${n % FIRM_EVERY === FIRM_EVERY - 1 ? `firm${n % FIRMS}.example` : "example.com"}`;
}

/**
 * The statements that fill an empty, migrated database with customers, payments, calls, holds and postings that agree with each other.
 * They must run in this order on one connection of a superuser. Plain inserts instead of the money functions, because those would
 * take hours for ten million calls; `verifyLedger` checks the result.
 */
export function operatorDataStatements({ customers, calls }: OperatorDataSize): string[] {
  return [
    "set session_replication_role = replica",
    ...dropIndexes,
    ...makePlan({ customers, calls }),
    ...fillCustomers,
    ...fillMoney,
    ...fillCalls(calls),
    ...fillTimeline,
    // The hours' sums begin with the first booking.
    `update ledger_hours_summed set since = hour, until = hour from (select date_trunc('hour', min(at), 'UTC') as hour from seed_row) first`,
    ...startCalls(Math.min(LIVE_CALLS, Math.floor(customers / 10))),
    "drop table seed_row, seed_customer",
    ...createIndexes,
    "reset session_replication_role",
  ];
}

/** Runs the statements. For small sizes: the pool's time-out applies to each. */
export async function fillOperatorData({ pool }: DatabaseHandle, size: OperatorDataSize): Promise<void> {
  const client = await pool.connect();
  try {
    for (const statement of operatorDataStatements(size)) await client.query(statement);
  } finally {
    client.release();
  }
}

/** Building an index once is several times faster than updating it for each row. */
const dropIndexes = [
  `create table seed_index as select indexname, indexdef from pg_indexes i
    where schemaname = 'public' and tablename in (${FILLED.map((name) => `'${name}'`).join(", ")})
      and not exists (select from pg_constraint c where c.conname = i.indexname)`,
  "do $$ declare one record; begin for one in select * from seed_index loop execute format('drop index %I', one.indexname); end loop; end $$",
];

const createIndexes = [
  "do $$ declare one record; begin for one in select * from seed_index loop execute one.indexdef; end loop; end $$",
  "drop table seed_index",
];

/** One row for each payment and call, in time order, as in production, so that one customer's rows are far apart. */
function makePlan({ customers, calls }: OperatorDataSize): string[] {
  const largest = Math.floor(calls * SHARE_OF_THE_LARGEST);
  const harmonic = Math.log(customers) + 0.5772;
  const others = (calls - largest) / Math.max(1, harmonic - 1);
  const id = "('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid";
  return [
    `create unlogged table seed_customer as select n, ${id} as id, now() - interval '${DAYS} days' - interval '1 second' * n as since,
        (100000 + (n % 7) * 10000)::bigint as charge, calls, calls + ceil(greatest(calls, 1) / ${CYCLE_CALLS}.0)::integer as rows
      from (select n, case n when 1 then ${largest} else round(${others} / n + 0.2)::integer end as calls
        from generate_series(1, ${customers}) n) counted`,
    `create unlogged table seed_row as
      select n, id as customer_id, charge, (k - 1) / ${CYCLE_ROWS} as cycle, (k - 1) % ${CYCLE_ROWS} as place,
        since + interval '${DAYS} days' * (k / (rows + 1.0)) as at, uuidv7(since + interval '${DAYS} days' * (k / (rows + 1.0)) - now()) as row_id
      from seed_customer, generate_series(1, rows) k order by 6`,
    "analyze seed_row",
  ];
}

const fillCustomers = [
  `insert into customer (id, name, email, email_key, email_verified, status, frozen_because, created_at)
    select id, ${NAME}, ${EMAIL}, ${EMAIL}, n % 10 > 0,
      case n % 1000 when 999 then 'frozen' else 'active' end, case n % 1000 when 999 then 'payment' end, since
    from seed_customer order by n`,
  `insert into account (customer_id, balance_micros, entry_count, newest_entry_at)
    select c.id, r.charge * (${CYCLE.charged} - least(r.place, ${CYCLE.charged})),
      r.cycle * ${1 + CYCLE.charged} + least(r.place, ${CYCLE.charged}) + 1, r.at
    from seed_customer c join seed_row r on r.n = c.n and r.cycle * ${CYCLE_ROWS} + r.place + 1 = c.rows`,
  "insert into stripe_customer (customer_id, provider_customer_id, created_at) select id, 'cus_seed' || n, since from seed_customer",
];

const fillMoney = [
  `insert into payment (id, customer_id, kind, charge_micros, status, session_id, payment_intent_id, card_brand, card_last4,
      authenticated, expires_at, created_at, settled_at, receipt_id)
    select row_id, customer_id, 'custom', charge * ${CYCLE.charged}, 'paid', 'cs_test_seed' || n || 'x' || cycle,
      'pi_seed' || n || 'x' || cycle, 'visa', lpad((n % 10000)::text, 4, '0'), true, at + interval '1 hour', at, at, row_id
    from seed_row where place = 0`,
  `insert into receipt (id, year, sequence, customer_id, kind, payment_id, amount_micros, bonus_micros, card_brand, card_last4,
      buyer_name, buyer_email, seller, sample, paid_at, issued_at)
    select row_id, extract(year from at), row_number() over (partition by extract(year from at) order by at, row_id), customer_id,
      'payment', row_id, charge * ${CYCLE.charged}, 0, 'visa', lpad((n % 10000)::text, 4, '0'), ${NAME},
      ${EMAIL}, '{}', true, at, at
    from seed_row where place = 0`,
  // Declined cards, and checkouts that are still open.
  `insert into payment (id, customer_id, kind, charge_micros, status, failure_code, card_brand, card_last4, expires_at, created_at)
    select gen_random_uuid(), id, 'custom', 20000000, case n % 20 when 5 then 'failed' else 'open' end,
      case n % 20 when 5 then case n % 60 when 5 then 'insufficient_funds' else 'card_declined' end end,
      case n % 20 when 5 then 'visa' end, case n % 20 when 5 then lpad((n % 10000)::text, 4, '0') end, at + interval '1 hour', at
    from (select *, since + interval '${DAYS} days' * (n % 997) / 997 as at from seed_customer) one where n % 20 in (5, 6)`,
  `insert into payment_failure (id, payment_id, customer_id, code, failed_at)
    select 'ch_seed' || id, id, customer_id, failure_code, created_at from payment where status = 'failed'`,
  "insert into receipt_counter (year, last_number) select year, max(sequence) from receipt group by year",
  `insert into ledger_transaction (id, kind, idempotency_key, customer_id, reference_id, description, created_at)
    select row_id, (case place when 0 then 'top_up' else 'call' end)::ledger_kind,
      case place when 0 then 'top_up:' else 'call:' end || row_id, customer_id, row_id,
      case place when 0 then 'Top-up' else 'Call to +44 7400 123456' end, at
    from seed_row where place <= ${CYCLE.charged}`,
  `insert into ledger_entry (transaction_id, customer_id, system_account, amount_micros, sequence, balance_after_micros, kind)
    select row_id, case side when 1 then customer_id end,
      (case when side = 2 then case place when 0 then 'payment_clearing' else 'revenue' end end)::ledger_system_account,
      case side when 1 then 1 else -1 end * case place when 0 then charge * ${CYCLE.charged} else -charge end,
      case side when 1 then cycle * ${1 + CYCLE.charged} + place + 1 end, case side when 1 then charge * (${CYCLE.charged} - place) end,
      (case side when 1 then case place when 0 then 'top_up' else 'call' end end)::ledger_kind
    from seed_row, generate_series(1, 2) as side where place <= ${CYCLE.charged}`,
  `insert into hold (id, customer_id, wanted_micros, least_micros, amount_micros, state, posted_micros, created_at, resolved_at)
    select row_id, customer_id, charge, 1, charge, case when place <= ${CYCLE.charged} then 'posted' else 'voided' end,
      case when place <= ${CYCLE.charged} then charge end, at, at
    from seed_row where place > 0`,
];

const CALL_COLUMNS = `id, customer_id, destination, country_code, number_type, status, rate_prefix, rate_description,
  rate_per_minute_micros, price_class, first_interval_seconds, next_interval_seconds, deck_id, deck_effective_at, held_micros, cap_seconds,
  ticket_hash, ticket_expires_at, ticket_used_at, created_at, started_at, trunk, caller_number, parked_call_control_id,
  far_call_control_id, session_id, transferred_at`;
const CALL_NUMBER = `case (n + cycle + place) % ${POPULAR.every} when 0 then '+44207946' || lpad(((n + cycle) % ${POPULAR.numbers})::text, 4, '0')
  else '+4474' || lpad(((n * 20 + place % 12) % 100000000)::text, 8, '0') end`;
const CALL_RATE = `${pick(COUNTRIES, "n + cycle + place")}, 'mobile'`;
const UNANSWERED = `case when n % 97 = 3 then 'network_failure' else ${pick(words("no_answer busy rejected cancelled"), "n + place")} end`;
/** One in five hundred customers' calls take the spare trunk. */
const TRUNK = "case n % 500 when 7 then 'carrier-spare' else 'carrier-' || (n + place) % 2 end";

/** @param withIds condition for rows that get the provider's ids */
function callValues(status: string, withIds: string): string {
  return `row_id, customer_id, ${CALL_NUMBER}, ${CALL_RATE}, ${status}, '44', 'United Kingdom', charge, 'A', 1, 1,
    '00000000-0000-7000-8000-000000000001', at, charge, 60, sha256(uuid_send(row_id)), at + interval '1 minute', at, at,
    at + interval '2 seconds', ${TRUNK}, '+12025550143', case when ${withIds} then 'v3:seed.' || md5('a' || row_id) end,
    case when ${withIds} then 'v3:seed.' || md5('b' || row_id) end, case when ${withIds} then 'session-' || row_id end, at`;
}

function fillCalls(calls: number): string[] {
  const eventsSince = `now() - interval '${DAYS} days' * ${SHARE_WITH_EVENTS}`;
  const answered = `place <= ${CYCLE.charged}`;
  return [
    `insert into call (${CALL_COLUMNS}, end_reason, hung_up_by, answered_at, ended_at, duration_ms, billed_seconds, charge_micros,
        carrier_cost_micros)
      select ${callValues(`case when ${answered} then 'completed' else 'failed' end`, `at > ${eventsSince}`)},
        case when ${answered} then 'hangup' else ${UNANSWERED} end, case when ${answered} then 'caller' end,
        case when ${answered} then at + interval '8 seconds' end, at + interval '68 seconds',
        case when ${answered} then 60000 else 0 end, case when ${answered} then 60 else 0 end,
        case when ${answered} then charge else 0 end, case when ${answered} then charge * 6 / 10 else 0 end
      from seed_row where place > 0`,
    `insert into call_event (id, call_id, source, kind, leg, occurred_at, received_at, payload)
      select 'seed-' || id || '-' || place, id, 'provider', kind, leg, created_at + after, created_at + after, '{}'
      from (select id, created_at from call where created_at > ${eventsSince} order by created_at desc limit ${Math.ceil(calls / 100)}) newest,
        (values (1, 'initiated', 'parked', interval '1 second'), (2, 'initiated', 'far', '2 seconds'), (3, 'answered', 'far', '8 seconds'),
          (4, 'bridged', 'far', '8 seconds'), (5, 'hangup', 'far', '68 seconds'), (6, 'hangup', 'parked', '68 seconds'))
          as steps (place, kind, leg, after)`,
  ];
}

/** What waits for an operator: a large backlog. Disputes are inquiries, for which no money moves. */
const WAITING = [
  `insert into support_case (id, customer_id, topic, message, created_at)
    select gen_random_uuid(), id, 'charge', 'Why did this call cost so much?', now() - interval '1 minute' * (n % 4000) from seed_customer
    where n % 200 = 3`,
  `insert into call_refund_request (call_id, customer_id, reason, note, evidence, created_at)
    select row_id, customer_id, 'bad_sound', 'I could not hear a word.', '{"packetsFromCaller": 3000, "tier": "known"}', at from seed_row
    where place = 1 and cycle = 0 and n % 400 = 3`,
  `insert into dispute (id, payment_id, amount_micros, reason, status, due_at, created_at, updated_at)
    select 'dp_seed' || n, row_id, charge * ${CYCLE.charged}, 'fraudulent', 'warning_needs_response', now() + interval '7 days', now(), now()
    from seed_row where place = 0 and cycle = 0 and n % 500 = 3`,
  `insert into freeze_review (customer_id, reason, opened_at)
    select id, 'A payment is disputed.', now() - interval '1 minute' * (n % 4000) from seed_customer where n % 1000 = 999`,
];

const fillTimeline = [
  `insert into mail (id, key, recipient, template, language, state, attempts, next_at, useful_until, created_at, done_at)
    select row_id, 'seed:' || row_id, ${EMAIL}, 'receipt', 'en', 'sent', 1, at, at + interval '1 day', at, at
    from seed_row where place = 0`,
  `insert into security_event (id, customer_id, kind, device, network, happened_at)
    select gen_random_uuid(), id, 'signed_in', 'Firefox on Linux', ${NETWORK}, now() - interval '90 days' * random() from seed_customer`,
  `insert into session (id, customer_id, token_hash, device, network, created_at, authenticated_at, last_seen_at, expires_at)
    select gen_random_uuid(), id, sha256(uuid_send(id)), 'Firefox on Linux', ${NETWORK}, now(), now(), now(), now() + interval '30 days'
    from seed_customer where n % 10 = 1`,
  `insert into support_case (id, customer_id, topic, message, state, answer, created_at, answered_at)
    select gen_random_uuid(), id, 'charge', 'Why did this call cost so much?', 'answered', 'The call took a minute.',
      now() - interval '10 days', now() - interval '9 days'
    from seed_customer where n % 50 = 1`,
  ...WAITING,
  OPERATORS_SQL,
  `insert into operation (id, operator_id, operator, action, customer_id, reason, happened_at)
    select gen_random_uuid(), (select id from operator where name = 'grace'), 'grace', 'unfreeze', id, 'The payment was real', now() - interval '5 days'
    from seed_customer where n % 100 = 1`,
];

/** Starts one call each of customers whose credit pays for it. */
function startCalls(live: number): string[] {
  const values = callValues("case n % 4 when 0 then 'ringing' else 'in-progress' end", "true");
  return [
    `create unlogged table seed_live as
      select n, id as customer_id, charge, 0 as cycle, 1 as place, now() - interval '1 second' * (n % 50) as at, uuidv7() as row_id
      from seed_customer c join account a on a.customer_id = c.id where a.balance_micros >= c.charge and n % 1000 <> 999 order by n limit ${live}`,
    `insert into hold (id, customer_id, wanted_micros, least_micros, amount_micros, created_at)
      select row_id, customer_id, charge, 1, charge, at from seed_live`,
    "update account a set held_micros = s.charge from seed_live s where s.customer_id = a.customer_id",
    `insert into call (${CALL_COLUMNS}, answered_at, ends_at, next_check_at, last_seen_alive_at)
      select ${values}, case when n % 4 > 0 then at end, case when n % 4 > 0 then at + interval '1 minute' end,
        now() + interval '1 hour', now()
      from seed_live`,
    "drop table seed_live",
  ];
}
