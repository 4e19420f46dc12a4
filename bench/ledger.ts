import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CALL_LIMITS, scaleCallLimits } from "@farline/domain/calls/call-limits.ts";
import {
  createBatchedAuthorise,
  type Authorise,
  type AuthoriseRequest,
} from "@farline/server/calls/authorise/authorise-batch.ts";
import type { CallRow } from "@farline/server/calls/record/calls.tables.ts";
import type { Outcome } from "@farline/server/calls/events/derive-outcome.ts";
import { createSettleCall, type SettleCall } from "@farline/server/calls/settle/settle-call.ts";
import { ledger } from "@farline/server/ledger/ledger.ts";
import { authoriseRequest } from "@farline/server/test/draft-call.ts";
import { testContext } from "@farline/server/test/test-context.ts";
import { uuidv7 } from "uuidv7";
import {
  type BenchPostgres,
  customerId,
  findPgbench,
  openAccounts,
  type Pgbench,
  runLong,
  startBenchPostgres,
} from "./bench-postgres.ts";
import { round, spread } from "@farline/drills/support/spread.ts";

const ACCOUNTS = 10_000;
const CONNECTIONS = 8;
/** Concurrent requests in the service, which share the connections; pgbench has one client per connection. */
const CALLERS = 128;
const TRANSACTIONS_EACH = 1_000;
const TRANSACTIONS = CONNECTIONS * TRANSACTIONS_EACH;
const HOT_HOLDS = 8_000;
const ROUNDS = 5;
/** pgbench's manual requires at least the number of clients; here it is also large enough to avoid a hot row. */
const TPCB_SCALE = 40;

const RATE_MICROS = 20_000n;
/** The charge of a call of `TALK_MS`. */
const CHARGE_MICROS = 40_000n;
const TALK_MS = 65_000;
/** The hold of a trusted customer's longest call: four hours. */
const HOLD_MICROS = 4_800_000n;
const CREDIT_MICROS = 10_000_000_000n;
const DESCRIPTION = "Call to +44 7400 123456";
/** Every rule is evaluated and none applies. */
const LIMITS_SCALE = 1_000_000;

/**
 * Calls per second authorised and settled as in the service (one process, one pool, batched), against pgbench with the same
 * functions; and complete charged calls with their records, against pgbench's TPC-B-like script. One PostgreSQL, safe commits,
 * 10,000 accounts, 8 connections, alternating; ratios are computed within a round.
 */
export async function ledgerThroughput(): Promise<Record<string, unknown>> {
  const postgres = await startBenchPostgres({
    poolSize: CONNECTIONS,
    settings: ["shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=1h"],
  });
  const scripts = mkdtempSync(join(tmpdir(), "farline-bench-scripts-"));
  try {
    const pgbench = await findPgbench(postgres.url);
    await pgbench.initialise(TPCB_SCALE);
    await openAccounts(postgres, ACCOUNTS, CREDIT_MICROS);
    const limitScripts = writeScripts(scripts);
    const rounds: Round[] = [];
    for (let number = 0; number <= ROUNDS; number++) {
      await tidy(postgres);
      const measured = await measureRound(postgres, pgbench, { ...limitScripts, number });
      console.log(JSON.stringify(measured));
      // The first round is a warm-up.
      if (number > 0) rounds.push(measured);
    }
    return {
      accounts: ACCOUNTS,
      connections: CONNECTIONS,
      callers: CALLERS,
      transactionsOfAMeasurement: TRANSACTIONS,
      rounds: ROUNDS,
      medianPerSecond: perSecond(rounds),
      authoriseToPgbench: ratio(rounds, "authorise", "pgbenchAuthorise"),
      settleToPgbench: ratio(rounds, "settle", "pgbenchSettle"),
      wholeCallsToTpcb: ratio(rounds, "wholeCalls", "pgbenchTpcb"),
      pgbench: pgbench.version,
      postgres: postgres.facts,
    };
  } finally {
    await postgres.close();
    rmSync(scripts, { recursive: true, force: true });
  }
}

interface Round {
  readonly authorise: number;
  readonly pgbenchAuthorise: number;
  readonly settle: number;
  readonly pgbenchSettle: number;
  readonly wholeCalls: number;
  readonly pgbenchTpcb: number;
  readonly holdsOfOneHotAccount: number;
}

async function measureRound(
  postgres: BenchPostgres,
  pgbench: Pgbench,
  { authorise, settle, number }: { authorise: string; settle: string; number: number },
): Promise<Round> {
  const load = { clients: CONNECTIONS, transactionsEach: TRANSACTIONS_EACH, define: [`round=${number}`, "count=0"] };
  const service = serviceOf(postgres);
  const pgbenchAuthorise = await pgbench.transactionsPerSecond(authorise, load);
  const calls: CallRow[] = [];
  const ours = await perSecondOf(TRANSACTIONS, async () => calls.push(await authoriseCall(service)));
  const pgbenchSettle = await pgbench.transactionsPerSecond(settle, load);
  const settled = await perSecondOf(calls.length, (index) => settleCall(service, calls[index]));
  const pgbenchTpcb = await pgbench.transactionsPerSecond("tpcb-like", load);
  const wholeCalls = await perSecondOf(TRANSACTIONS, async () => settleCall(service, await authoriseCall(service)));
  const hot = { customerId: customerId(0), wantMicros: RATE_MICROS, leastMicros: RATE_MICROS };
  const holdsOfOneHotAccount = await perSecondOf(HOT_HOLDS, () => ledger.hold(postgres.handle.db, { ...hot, holdId: uuidv7() }));
  return { authorise: ours, pgbenchAuthorise, settle: settled, pgbenchSettle, wholeCalls, pgbenchTpcb, holdsOfOneHotAccount };
}

interface Service {
  readonly authorise: Authorise;
  readonly settle: SettleCall;
}

function serviceOf({ handle }: BenchPostgres): Service {
  const ctx = testContext({ handle });
  return { authorise: createBatchedAuthorise(ctx), settle: createSettleCall(ctx) };
}

/** @throws Error when the call was refused */
async function authoriseCall({ authorise }: Service): Promise<CallRow> {
  const { call, refused } = await authorise(newRequest(customerId(1 + Math.floor(Math.random() * ACCOUNTS))));
  if (call === undefined) throw new Error(`A call was refused: ${refused?.rule ?? "its ticket is in use"}.`);
  return call;
}

/** @throws Error when the charge is not the call's cost */
async function settleCall({ settle }: Service, call: CallRow | undefined): Promise<void> {
  if (call === undefined) throw new Error("The call does not exist.");
  const answeredAtMs = call.created_at.getTime();
  const outcome: Outcome = {
    status: "completed",
    startedAtMs: answeredAtMs,
    answeredAtMs,
    end: { atMs: answeredAtMs + TALK_MS, reason: "hangup", hungUpBy: "callee", durationMs: TALK_MS, silence: null },
    needsProof: false,
    carrierCostMicros: null,
  };
  const settled = await settle(call, outcome);
  if (settled.charge_micros !== CHARGE_MICROS) throw new Error(`A call was charged ${settled.charge_micros} micro-dollars.`);
}

/** Keeps as many requests in flight as there are callers. */
async function perSecondOf(times: number, one: (index: number) => Promise<unknown>): Promise<number> {
  const rest = Array.from({ length: times }, (_, index) => index).values();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (const index of rest) await one(index);
    }),
  );
  return round((times * 1000) / (performance.now() - began));
}

/** Billed by the minute, so that the charge is a round number. */
function newRequest(customerId: string): AuthoriseRequest {
  const rate = { ratePerMinuteMicros: RATE_MICROS, firstIntervalSeconds: 60, nextIntervalSeconds: 60 };
  return authoriseRequest(customerId, {
    at: new Date(),
    rate,
    proposed: { limits: scaleCallLimits(CALL_LIMITS.trusted, LIMITS_SCALE) },
  });
}

/** Ends the previous round's calls as the service would have, and lets the database run its maintenance. */
async function tidy(postgres: BenchPostgres): Promise<void> {
  await runLong(
    postgres,
    "update call set status = 'failed', ended_at = created_at, end_reason = 'no_answer', next_check_at = null where ended_at is null",
    "vacuum analyze",
    "checkpoint",
  );
}

/**
 * The same work as pgbench scripts, one call per statement, without the decision. Ids contain the round, the client and the
 * client's counter, so that the second script finds the first one's calls. (pgbench parses a colon followed by letters as a
 * variable, even inside quotes.)
 */
function writeScripts(folder: string): { authorise: string; settle: string } {
  const count = "\\set count :count + 1\n";
  const id =
    "('00000000-0000-7000-' || lpad(:round::text, 4, '0') || '-' || lpad((:client_id * 10000000 + :count)::text, 12, '0'))";
  const customer = "('00000000-0000-4000-8000-' || lpad(:account::text, 12, '0'))";
  const { draft, proposed } = newRequest("");
  const caller = json(
    { destination: proposed.destination, country_code: proposed.countryCode, most_begun: proposed.limits?.callsPerDay },
    { customer_id: customer, payer_id: customer, at: "now()" },
  );
  const call = json(
    { ...draft, cap_seconds: 14_400, held_micros: HOLD_MICROS, bounded_by: "longest_call" },
    {
      id,
      customer_id: customer,
      ticket_hash: `'\\x' || encode(sha256(${id}::bytea), 'hex')`,
      ...{ created_at: "now()", deck_effective_at: "now()" },
      ...{ ticket_expires_at: "now() + interval '1 minute'", next_check_at: "now() + interval '1 minute'" },
    },
  );
  const authorise = `${count}\\set account random(1, ${ACCOUNTS})
with caller as materialized (select customer_id from read_caller_counters(jsonb_build_array(${caller}), 'wait')),
  held as materialized (select h.* from caller,
    hold_credit(array[${id}::uuid], array[customer_id], array[null]::uuid[], array[${HOLD_MICROS}], array[${HOLD_MICROS}]) h)
insert into call select c.* from held, jsonb_populate_record(null::call, ${call}) c;\n`;
  const record = json(
    { status: "completed", end_reason: "hangup", duration_ms: TALK_MS, billed_seconds: 120, charge_micros: CHARGE_MICROS },
    { id, answered_at: "now()", ended_at: "now()" },
  );
  const settle = `${count}with locked as materialized (
    select c.id from call c join account using (customer_id) where c.id = ${id}::uuid for no key update
  ), posted as materialized (select r.* from locked,
    resolve_holds(array[uuidv7()], array[id], array[${CHARGE_MICROS}], array['${DESCRIPTION}']) r)
update call c set status = f.status, end_reason = f.end_reason, answered_at = f.answered_at, ended_at = f.ended_at,
    duration_ms = f.duration_ms, billed_seconds = f.billed_seconds, charge_micros = f.charge_micros, next_check_at = null
  from posted, jsonb_populate_record(null::call, ${record}) f where c.id = f.id;\n`;
  return { authorise: write(folder, "authorise.sql", authorise), settle: write(folder, "settle.sql", settle) };
}

/** A JSON object as SQL. @param computed expressions, by name */
function json(fixed: Readonly<Record<string, unknown>>, computed: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(fixed).flatMap(([name, value]) => {
    if (value === null || name in computed) return [];
    return [`'${name}', '${typeof value === "bigint" ? value : JSON.stringify(value).replaceAll('"', "")}'`];
  });
  return `jsonb_build_object(${[...pairs, ...Object.entries(computed).map(([name, sql]) => `'${name}', ${sql}`)].join(", ")})`;
}

function write(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text.replaceAll(/\n\s+/g, " "));
  return path;
}

function perSecond(rounds: readonly Round[]): Record<string, number> {
  const names = Object.keys(rounds[0] ?? {}) as (keyof Round)[];
  return Object.fromEntries(names.map((name) => [name, spread(rounds.map((one) => one[name])).median]));
}

function ratio(rounds: readonly Round[], ours: keyof Round, theirs: keyof Round): { median: number; each: number[] } {
  const each = rounds.map((one) => round(one[ours] / one[theirs]));
  return { median: spread(each).median, each };
}
