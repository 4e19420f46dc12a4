import { DAY_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ScriptedStripe } from "../test/fakes/scripted-stripe.ts";
import { ScriptedTelnyx } from "../test/fakes/scripted-telnyx.ts";
import { fillOperatorData } from "../test/operator-data.ts";
import { NOTHING_ELSEWHERE, testConfig, testContext } from "../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../test/test-database.ts";
import { createAccountContext } from "./accounts/accounts.ts";
import { billingMetrics, reconciliationMetrics } from "./billing/billing.ts";
import { caseMetrics } from "./cases/cases.ts";
import { trafficMetrics } from "./calls/metrics/call-metrics.ts";
import { ledgerMetrics } from "./ledger/ledger.ts";
import { mailMetrics } from "./mail/mail.ts";
import { breakerMetrics } from "./risk/risk.ts";
import type { Context } from "./context.ts";
import { createCallContext } from "./calls/calls.ts";
import { readOverviewMetrics, readTrunkFigures } from "./overview/overview.ts";
import { ManualClock } from "../test/manual-clock.ts";
import type { Job } from "./platform/jobs/jobs.ts";
import { jobsOf } from "./service.ts";

const SIZE = { customers: 2_000, calls: 20_000 };
const POOL_SIZE = 4;
const NIGHT_MS = 3 * HOUR_MS;
/** A run may read this part of a table, or so many rows: today's, and what an index of ranges reads beside them. */
const MAX_SHARE_READ = 0.4;
const MAX_ROWS_READ = 500;

/** Tables that do not grow with customers and calls, so that a job may read them whole. */
const SMALL_TABLES: ReadonlySet<string> = new Set([
  "called_prefix",
  "caller_number_check",
  "call_hours_summed",
  "caller_number_removal",
  "ledger_check",
  "ledger_hours_summed",
  "number_shortening",
  "operator_browser",
  "operator_command_line",
  "operator_invitation",
  "operator_passkey_challenge",
  "operator_session",
  "quality_report",
]);

/** The latest time at which nightly jobs begin, and a time in the day before. */
const LAST_NIGHT = new Date(Math.floor((Date.now() - NIGHT_MS) / DAY_MS) * DAY_MS + NIGHT_MS);
const clock = new ManualClock(new Date(LAST_NIGHT.getTime() - DAY_MS + HOUR_MS));

let database: TestDatabase;
let stripe: ScriptedStripe;
let telnyx: ScriptedTelnyx;
let jobs: Job[];
let ctx: Context;
beforeAll(async () => {
  [database, stripe, telnyx] = await Promise.all([
    testDatabase({ poolSize: POOL_SIZE }),
    ScriptedStripe.start(),
    ScriptedTelnyx.start(),
  ]);
  await fillOperatorData(database.handle, SIZE);
  await sql`insert into family_member (customer_id, owner_id, joined_at) select id, id, now() from customer`.execute(
    database.handle.db,
  );
  await sql`insert into family_invitation (customer_id, id, time_zone, created_at, expires_at)
    select id, gen_random_uuid(), 'UTC', now(), now() + interval '7 days' from customer`.execute(database.handle.db);
  // A hundred days take a second.
  for (const table of ["call_hours_summed", "ledger_hours_summed"])
    await sql`update ${sql.table(table)} set since = now() - interval '3 days', until = now() - interval '3 days'`.execute(
      database.handle.db,
    );
  await sql`vacuum analyze`.execute(database.handle.db);
  const config = testConfig({
    limitsScale: 1,
    mail: { smtpUrl: "smtp://127.0.0.1:9", from: "Farline <no-reply@farline.example>" },
  });
  const full = testContext({
    handle: database.handle,
    clock,
    config: {
      ...config,
      stripe: { ...config.stripe, apiBase: stripe.url },
      telnyx: { ...config.telnyx, apiBase: telnyx.url, connectionId: telnyx.connectionId },
    },
  });
  jobs = jobsOf({ accounts: createAccountContext(full, NOTHING_ELSEWHERE), calls: createCallContext(full) });
  ctx = full;
});
afterAll(async () => {
  await Promise.all([stripe.close(), telnyx.close()]);
  await database.close();
});

test("every job finds its rows by an index, however large the tables are", async () => {
  const { db } = database.handle;
  // A plan then reads a whole table only where no index fits, even if the table is empty here.
  await forEachConnection("set enable_seqscan = off");
  // The first runs do what has been left undone in three years of calls.
  for (const job of [...jobs, ...jobs]) await job.run(new AbortController().signal);
  await sql`vacuum analyze`.execute(db);
  clock.advance(LAST_NIGHT.getTime() - clock.now().getTime());
  const found: Record<string, unknown> = {};
  for (const job of jobs) {
    const before = await reads();
    await job.run(new AbortController().signal);
    for (const [table, after] of await reads()) {
      const was = before.get(table) ?? { scans: 0, read: 0 };
      const [scans, read] = [after.scans - was.scans, after.read - was.read];
      if (scans > 0 || read > Math.max(MAX_ROWS_READ, after.rows * MAX_SHARE_READ))
        found[`${job.name}: ${table}`] = { scans, read, rows: after.rows };
    }
  }
  expect(found).toEqual({});
});

test("what monitoring and every open console ask for again and again finds its calls by an index", async () => {
  await forEachConnection("set enable_seqscan = on");
  const metrics = [
    trafficMetrics,
    billingMetrics,
    reconciliationMetrics,
    ledgerMetrics,
    breakerMetrics,
    caseMetrics,
    mailMetrics,
  ];
  const readings: Record<string, () => Promise<unknown>> = {
    ...Object.fromEntries(metrics.flatMap((of) => of(ctx)).map((metric) => [metric.name, () => metric.read()])),
    "figures of trunks": () => readTrunkFigures(ctx),
    "figures of the day": () => readOverviewMetrics(ctx, "UTC"),
  };
  const scans = async () => (await reads()).get("call")?.scans;
  const found: string[] = [];
  for (const [name, read] of Object.entries(readings)) {
    const before = await scans();
    await read();
    if ((await scans()) !== before) found.push(name);
  }
  expect(found).toEqual([]);
});

/** Sequential scans and rows read so far, by table. */
async function reads(): Promise<Map<string, { scans: number; read: number; rows: number }>> {
  await forEachConnection("select pg_stat_force_next_flush()");
  const { rows } = await sql<{ table: string; scans: number; read: number; rows: number }>`
    select t.relname as table, t.seq_scan::int as scans, t.n_live_tup::int as rows, (t.seq_tup_read + greatest(t.idx_tup_fetch, (
      select sum(idx_tup_read) from pg_stat_user_indexes i join pg_class c on c.oid = i.indexrelid join pg_am on pg_am.oid = c.relam
      where i.relid = t.relid and amname = 'btree')))::int as read
    from pg_stat_user_tables t`.execute(database.handle.db);
  return new Map(rows.filter(({ table }) => !SMALL_TABLES.has(table)).map(({ table, ...one }) => [table, one]));
}

async function forEachConnection(statement: string): Promise<void> {
  const clients = await Promise.all(Array.from({ length: POOL_SIZE }, () => database.handle.pool.connect()));
  for (const client of clients) {
    await client.query(statement);
    client.release();
  }
}
