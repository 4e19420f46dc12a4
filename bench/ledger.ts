import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rulesFor } from "@farline/server/calls/call-limits.ts";
import { insertCall, type AuthoriseLimits, type NewCall } from "@farline/server/calls/call.store.ts";
import { ledger } from "@farline/server/ledger/ledger.ts";
import { uuidv7 } from "uuidv7";
import { runLong, startBenchPostgres, type BenchPostgres } from "./bench-postgres.ts";
import { findPgbench, type Pgbench } from "./pgbench.ts";
import { round, spread } from "./spread.ts";

const ACCOUNTS = 10_000;
const CONNECTIONS = 8;
/** Requests under way in the service, which share the connections; pgbench has one client on each. */
const CALLERS = 32;
const TRANSACTIONS_EACH = 1_000;
const TRANSACTIONS = CONNECTIONS * TRANSACTIONS_EACH;
const HOT_HOLDS = 8_000;
const ROUNDS = 5;
/** As pgbench's manual asks: at least as much as there are clients; here also too large to be one hot row. */
const TPCB_SCALE = 40;

const RATE_MICROS = 20_000n;
const CHARGE_MICROS = 40_000n;
const WANT_MICROS = 4_800_000n;
const CREDIT_MICROS = 10_000_000_000n;
const DESCRIPTION = "Call to +44 7400 123456";
const DECK = "00000000-0000-4000-8000-000000000001";
/** All rules are asked and none is reached. */
const LIMITS_SCALE = 1_000_000;
const MANY = 1_000_000_000;

const limits: AuthoriseLimits = {
  wantMicros: WANT_MICROS,
  leastMicros: RATE_MICROS,
  liveCalls: MANY,
  perMinute: MANY,
  perHour: MANY,
  perDay: MANY,
  rules: rulesFor(LIMITS_SCALE),
};

/**
 * Transactions per second of the two money functions of a call as the service calls them (one process, one pool), against
 * pgbench with the same functions, and whole charged calls against pgbench's TPC-B-like script. One PostgreSQL, safe
 * commits, 10,000 accounts, 8 connections, everything in turns; ratios are made within a round.
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
    await openAccounts(postgres);
    const limitScripts = writeScripts(scripts);
    const rounds: Round[] = [];
    for (let number = 0; number <= ROUNDS; number++) {
      await tidy(postgres);
      const measured = await measureRound(postgres, pgbench, { ...limitScripts, number });
      console.log(JSON.stringify(measured));
      // The first one warms everything up.
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
  const calls = Array.from({ length: TRANSACTIONS }, newCall);
  const pgbenchAuthorise = await pgbench.transactionsPerSecond(authorise, load);
  const ours = await transactionsPerSecond(calls, (call) => insertCall(postgres.handle, call, limits));
  const pgbenchSettle = await pgbench.transactionsPerSecond(settle, load);
  const settled = await transactionsPerSecond(calls, (call) => settleCall(postgres, call));
  const pgbenchTpcb = await pgbench.transactionsPerSecond("tpcb-like", load);
  const wholeCalls = await transactionsPerSecond(Array.from({ length: TRANSACTIONS }, newCall), async (call) => {
    await insertCall(postgres.handle, call, limits);
    await settleCall(postgres, call);
  });
  const hot = { customerId: idOf(0), wantMicros: RATE_MICROS, leastMicros: RATE_MICROS };
  const holds = Array.from({ length: HOT_HOLDS }, () => ({ ...hot, holdId: uuidv7() }));
  const holdsOfOneHotAccount = await transactionsPerSecond(holds, (hold) => ledger.hold(postgres.handle.pool, hold));
  return { authorise: ours, pgbenchAuthorise, settle: settled, pgbenchSettle, wholeCalls, pgbenchTpcb, holdsOfOneHotAccount };
}

function settleCall(postgres: BenchPostgres, call: NewCall): Promise<unknown> {
  return ledger.postHold(postgres.handle.pool, { holdId: call.id, chargeMicros: CHARGE_MICROS, description: DESCRIPTION });
}

/** Always as many under way as there are callers. */
async function transactionsPerSecond<Work>(work: readonly Work[], one: (work: Work) => Promise<unknown>): Promise<number> {
  const rest = work.values();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (const item of rest) await one(item);
    }),
  );
  return round((work.length * 1000) / (performance.now() - began));
}

function newCall(): NewCall {
  const account = 1 + Math.floor(Math.random() * ACCOUNTS);
  const createdAt = new Date();
  return {
    id: uuidv7(),
    customerId: idOf(account),
    destination: `+4474${String(account).padStart(8, "0")}`,
    countryCode: "GB",
    numberType: "mobile",
    idempotencyKey: null,
    ratePrefix: "447",
    rateDescription: "United Kingdom mobile",
    ratePerMinuteMicros: RATE_MICROS,
    firstIntervalSeconds: 60,
    nextIntervalSeconds: 60,
    deckId: DECK,
    deckEffectiveAt: createdAt,
    capSeconds: 14_400,
    ticketHash: crypto.getRandomValues(Buffer.alloc(32)),
    ticketExpiresAt: new Date(createdAt.getTime() + 60_000),
    createdAt,
  };
}

function idOf(account: number): string {
  return `00000000-0000-4000-8000-${String(account).padStart(12, "0")}`;
}

async function openAccounts(postgres: BenchPostgres): Promise<void> {
  const id = "('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid";
  await runLong(
    postgres,
    `insert into customer (id, name, email, email_key, created_at)
      select ${id}, 'Caller', n || '@example.com', n || '@example.com', now() from generate_series(0, ${ACCOUNTS}) n`,
    `select open_account(${id}) from generate_series(0, ${ACCOUNTS}) n`,
    `select post_credit(gen_random_uuid(), 'bench:' || n, ${id}, 'top_up', ${CREDIT_MICROS}, null, 'Top-up')
      from generate_series(0, ${ACCOUNTS}) n`,
  );
}

/** Ends the calls of the round before, as the service would have, and lets the database do its own work. */
async function tidy(postgres: BenchPostgres): Promise<void> {
  await runLong(
    postgres,
    "update call set status = 'failed', ended_at = created_at, end_reason = 'no_answer', next_check_at = null where next_check_at is not null",
    "vacuum analyze",
    "checkpoint",
  );
}

/**
 * The same functions in pgbench's own language, with the same arguments. Ids go up in turn, like the service's, and say
 * the round, the client and the client's count, so that the second script finds the calls of the first. (pgbench takes
 * letters right after a colon for one of its variables, in quotes too.)
 */
function writeScripts(folder: string): { authorise: string; settle: string } {
  const count = "\\set count :count + 1\n";
  const id =
    "('00000000-0000-7000-' || lpad(:round::text, 4, '0') || '-' || lpad((:client_id * 10000000 + :count)::text, 12, '0'))";
  const call = `'{"id":"' || ${id} || '","customer_id":"00000000-0000-4000-8000-' || lpad(:account::text, 12, '0')
    || '","destination":"+4474' || lpad(:account::text, 8, '0') || '","country_code":"GB","number_type":"mobile",'
    || '"idempotency_key": null,"rate_prefix":"447","rate_description":"United Kingdom mobile",'
    || '"rate_per_minute_micros":"${RATE_MICROS}","first_interval_seconds":60,"next_interval_seconds":60,'
    || '"deck_id":"${DECK}","deck_effective_at":"2026-01-01T00:00:00Z","cap_seconds":14400,"ticket_hash":"\\\\x'
    || encode(sha256(${id}::bytea), 'hex') || '","ticket_expires_at":"' || now() + interval '1 minute'
    || '","created_at":"' || now() || '"}'`;
  const bounds = [WANT_MICROS, RATE_MICROS, MANY, MANY, MANY, MANY].join(", ");
  const rules = JSON.stringify(limits.rules).replaceAll("\\", "\\\\");
  const authorise = `${count}\\set account random(1, ${ACCOUNTS})
select * from authorise_call((${call})::jsonb, ${bounds}, E'${rules}'::jsonb);\n`;
  const settle = `${count}select post_hold(uuidv7(), ${id}::uuid, ${CHARGE_MICROS}, '${DESCRIPTION}') as charged;\n`;
  return { authorise: write(folder, "authorise.sql", authorise), settle: write(folder, "settle.sql", settle) };
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
