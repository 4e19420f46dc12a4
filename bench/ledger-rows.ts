import { DAY_MS } from "@farline/domain/durations.ts";
import { ledger, verifyLedger } from "@farline/server/ledger/ledger.ts";
import type { LedgerGroup } from "@farline/server/ledger/read-lines.ts";
import { type BenchPostgres, CUSTOMER_ID, customerId, runLong, startBenchPostgres } from "./bench-postgres.ts";
import { round, timed } from "@farline/drills/support/spread.ts";

/** Each transaction has two rows. */
const ROWS = Number(process.env["ROWS"] ?? 10_000_000);
/** One customer has a tenth of all rows; the others follow Zipf's law. */
const CUSTOMERS = 20_000;
const SHARE_OF_THE_LARGEST = 0.1;
const MONTHS = 36;
/** Nineteen calls follow each top-up and spend it. */
const CYCLE = 20;
const SAMPLES = 1_000;
const STATEMENTS = 200;
const PAGE = 25;
const CONNECTIONS = 4;
const GROUPS: readonly LedgerGroup[] = ["all", "top_ups", "calls", "refunds", "bonus"];

/** Milliseconds of the pages' ledger queries with ten million rows, for all customers and for the largest. */
export async function ledgerRows(): Promise<Record<string, unknown>> {
  const postgres = await startBenchPostgres({ poolSize: CONNECTIONS, settings: ["max_wal_size=4GB", "checkpoint_timeout=1h"] });
  try {
    const began = performance.now();
    await fill(postgres);
    const filledInSeconds = Math.round((performance.now() - began) / 1000);
    const verifying = performance.now();
    const drift = await verifyLedger(postgres.handle.db);
    if (drift.length > 0) throw new Error(`The generated rows are inconsistent: ${drift[0]?.check}`);
    return {
      rows: await one(postgres, "select count(*)::bigint as value from ledger_entry"),
      customers: CUSTOMERS,
      transactionsOfTheLargest: await one(
        postgres,
        `select entry_count as value from account where customer_id = '${customerId(1)}'`,
      ),
      filledInSeconds,
      verifiedInSeconds: round((performance.now() - verifying) / 1000),
      milliseconds: {
        anyCustomer: await measure(postgres, () => customerId(1 + Math.floor(Math.random() * CUSTOMERS))),
        largestCustomer: await measure(postgres, () => customerId(1)),
      },
      postgres: postgres.facts,
    };
  } finally {
    await postgres.close();
  }
}

async function measure({ handle: { db } }: BenchPostgres, customer: () => string): Promise<Record<string, unknown>> {
  const pages: Record<string, unknown> = {};
  for (const group of GROUPS)
    pages[group] = await timed(Array(SAMPLES), () => ledger.transactions(db, customer(), { limit: PAGE, group }));
  const month = () => {
    const from = new Date(Date.now() - (1 + Math.floor(Math.random() * (MONTHS - 1))) * 30 * DAY_MS);
    return { from, to: new Date(from.getTime() + 30 * DAY_MS) };
  };
  let lines = 0;
  return {
    balance: await timed(Array(SAMPLES * 5), () => ledger.balance(db, customer())),
    firstPage: pages,
    firstPageOfAMonth: await timed(Array(SAMPLES), () => ledger.transactions(db, customer(), { limit: PAGE, ...month() })),
    firstPageOfAMonthsRefunds: await timed(Array(SAMPLES), () =>
      ledger.transactions(db, customer(), { limit: PAGE, group: "refunds", ...month() }),
    ),
    statementOfAMonth: await timed(Array(STATEMENTS), async () => {
      const statement = await ledger.statement(db, customer(), month());
      for await (const line of statement.lines()) if (line.id !== "") lines += 1;
    }),
    linesOfAStatement: Math.round(lines / STATEMENTS),
  };
}

/** Inserts the rows with plain SQL, which bypasses the money functions; the ledger's own verification checks them. */
async function fill(postgres: BenchPostgres): Promise<void> {
  const transactions = Math.floor(ROWS / 2);
  const largest = Math.floor(transactions * SHARE_OF_THE_LARGEST);
  const harmonic = Math.log(CUSTOMERS) + 0.5772;
  const call = "(100000 + (n % 7) * 1000)";
  await runLong(
    postgres,
    "set session_replication_role = replica",
    `insert into customer (id, name, email, email_key, created_at)
      select ${CUSTOMER_ID}, 'Caller', n || '@example.com', n || '@example.com', now() from generate_series(1, ${CUSTOMERS}) n`,
    `create table bench_customer as select n, ${CUSTOMER_ID} as id, case n when 1 then ${largest}
        else greatest(1, (${transactions - largest} / (n * ${harmonic - 1}))::integer) end as entries
      from generate_series(1, ${CUSTOMERS}) n`,
    // In time order, as in production, so that one customer's rows are far apart.
    `create table bench_row as
      select n, id as customer_id, sequence, (sequence - 1) % ${CYCLE} as place, uuidv7() as transaction_id,
        now() - interval '${MONTHS * 30} days' * (1 - sequence::float8 / (entries + 1)) as booked_at
      from bench_customer, generate_series(1, entries) as sequence order by booked_at`,
    `insert into account (customer_id, balance_micros, entry_count, newest_entry_at)
      select c.id, ${call} * (${CYCLE} - 1 - (entries - 1) % ${CYCLE}), entries, max(booked_at)
      from bench_customer c join bench_row r using (n) group by c.id, n, entries`,
    `insert into ledger_transaction (id, kind, idempotency_key, customer_id, description, created_at)
      select transaction_id, (case place when 0 then 'top_up' else 'call' end)::ledger_kind, 'bench:' || transaction_id, customer_id,
        case place when 0 then 'Top-up' else 'Call to +44 7400 123456' end, booked_at from bench_row`,
    `insert into ledger_entry (transaction_id, customer_id, system_account, amount_micros, sequence, balance_after_micros, kind)
      select transaction_id, case side when 1 then customer_id end,
        (case when side = 2 then case place when 0 then 'payment_clearing' else 'revenue' end end)::ledger_system_account,
        case side when 1 then 1 else -1 end * case place when 0 then ${call} * (${CYCLE} - 1) else -${call} end,
        case side when 1 then sequence end, case side when 1 then ${call} * (${CYCLE} - 1 - place) end,
        (case side when 1 then case place when 0 then 'top_up' else 'call' end end)::ledger_kind
      from bench_row, generate_series(1, 2) as side`,
    "drop table bench_row, bench_customer",
    "reset session_replication_role",
    "vacuum analyze",
    "checkpoint",
  );
}

async function one({ handle }: BenchPostgres, query: string): Promise<number> {
  const { rows } = await handle.pool.query<{ value: bigint }>(query);
  return Number(rows[0]?.value);
}
