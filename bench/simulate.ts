import { setTimeout as pause } from "node:timers/promises";
import { CALL_LIMITS, scaleCallLimits } from "@farline/domain/calls/call-limits.ts";
import { type CallContext, createCallContext } from "@farline/server/calls/call-context.ts";
import type { CallRow } from "@farline/server/calls/record/calls.tables.ts";
import type { NewEvent } from "@farline/server/calls/events/call-event.ts";
import { recordEvent } from "@farline/server/calls/events/record-event.ts";
import { sweepCalls } from "@farline/server/calls/settle/sweep-calls.ts";
import { checkLedger } from "@farline/server/ledger/ledger.ts";
import { systemClock } from "@farline/server/platform/clock.ts";
import { openDatabase } from "@farline/server/platform/database/database.ts";
import { createLog } from "@farline/server/platform/log.ts";
import { authoriseRequest } from "@farline/server/test/draft-call.ts";
import { testContext } from "@farline/server/test/test-context.ts";
import { round } from "@farline/drills/support/spread.ts";
import { type BenchPostgres, customerId, openAccounts, startBenchPostgres } from "./bench-postgres.ts";

/** The live calls of a hundred times today's traffic. */
const CALLS = Number(process.env["CALLS"] ?? 17_000);
const SERVICES = Number(process.env["SERVICES"] ?? 4);
/** One holds two hundred calls (docs/operate/voice.md). */
const EXCHANGES = Number(process.env["EXCHANGES"] ?? Math.ceil(CALLS / 200));
const STEADY_SECONDS = Number(process.env["STEADY_SECONDS"] ?? 45);

const POOL_SIZE = 10;
/** Requests in flight at each service. */
const AT_ONCE = 64;
/** As in the service. */
const SWEEP_EVERY_MS = 5_000;
const CREDIT_MICROS = 10_000_000n;
const HALF = 2;
const MAX_SETTLE_SECONDS = 120;
const LIMITS_SCALE = 1_000_000;

/** An exchange's answers, without an exchange. */
interface Exchanges {
  readonly gone: Set<string>;
  checks: number;
}

/**
 * `CALLS` live calls on `SERVICES` services and `EXCHANGES` exchanges with one PostgreSQL. The services, with their own pools, batches and sweeps,
 * are the product's; the exchanges are events and answers. All calls are checked for `STEADY_SECONDS`; then half of the callers hang up at the same
 * moment, and the exchanges of the others are gone without a word. Ends with 1 unless all calls are settled within two minutes, once each.
 */
export async function simulate(): Promise<Record<string, unknown>> {
  const postgres = await startBenchPostgres({
    poolSize: 4,
    settings: ["shared_buffers=512MB", "max_wal_size=4GB", `max_connections=${SERVICES * (POOL_SIZE + 2) + 20}`],
  });
  const exchanges: Exchanges = { gone: new Set(), checks: 0 };
  const services = Array.from({ length: SERVICES }, () => serviceOn(postgres, exchanges));
  const stop = new AbortController();
  try {
    const { seconds: startSeconds } = await timed(() => startCalls(postgres, services));
    const sweeps = services.map(({ ctx }) => sweepUntil(ctx, stop.signal));
    await pause(STEADY_SECONDS * 1_000);
    const checksPerSecond = round(exchanges.checks / STEADY_SECONDS);
    const overdueSeconds = await readOverdue(postgres);

    const calls = (await postgres.handle.db.selectFrom("call").selectAll().execute()) as CallRow[];
    const names = Array.from({ length: EXCHANGES }, (_, index) => nameOf(index));
    for (const name of names.slice(0, Math.floor(EXCHANGES / HALF))) exchanges.gone.add(name);
    const ending = calls.filter((call) => !exchanges.gone.has(exchangeOf(call)));
    const began = performance.now();
    const { seconds: hungUpSettledSeconds } = await timed(() => inParallel(services, ending, endCall));
    const allSettledSeconds = await settledAfter(postgres, began);
    stop.abort();
    await Promise.all(sweeps);
    const wrong = await readWrong(postgres);
    const drift = await checkLedger(testContext({ handle: postgres.handle, clock: systemClock }), { whole: true });
    if (allSettledSeconds > MAX_SETTLE_SECONDS || wrong > 0 || drift.length > 0) process.exitCode = 1;
    return {
      ...{ calls: calls.length, services: SERVICES, exchanges: EXCHANGES, exchangesGone: exchanges.gone.size },
      ...{ startedPerSecond: round(calls.length / startSeconds), checksPerSecond, overdueSeconds },
      ...{ hungUp: ending.length, hungUpSettledSeconds, hungUpSettledPerSecond: round(ending.length / hungUpSettledSeconds) },
      ...{ lost: calls.length - ending.length, allSettledSeconds, notSettledOnce: wrong, ledgerDeviations: drift.length },
      postgres: postgres.facts,
    };
  } finally {
    stop.abort();
    for (const { close } of services) await close();
    await postgres.close();
  }
}

interface Service {
  readonly ctx: CallContext;
  close(): Promise<void>;
}

/** A service's part of calls, with a pool of its own. */
function serviceOn({ url }: BenchPostgres, exchanges: Exchanges): Service {
  const handle = openDatabase(url, POOL_SIZE, createLog("silent", "bench"));
  const ctx = createCallContext(testContext({ handle, clock: systemClock }));
  const status: CallContext["commands"]["status"] = async (controlId) => {
    exchanges.checks += 1;
    return exchanges.gone.has(nodeOf(controlId)) ? { state: "unreachable" } : { state: "alive" };
  };
  const has: CallContext["connection"]["has"] = async () => false;
  const commands = { ...ctx.commands, status, hangUp: async () => true };
  return { ctx: { ...ctx, commands, connection: { ...ctx.connection, has } }, close: () => handle.close() };
}

/** Authorises the calls and has them answered, spread over the services. */
async function startCalls(postgres: BenchPostgres, services: readonly Service[]): Promise<void> {
  await openAccounts(postgres, CALLS, CREDIT_MICROS);
  const numbers = Array.from({ length: CALLS }, (_, index) => index + 1);
  await inParallel(services, numbers, async ({ ctx }, number) => {
    const proposed = { limits: scaleCallLimits(CALL_LIMITS.trusted, LIMITS_SCALE) };
    const { call } = await ctx.authorise(authoriseRequest(customerId(number), { at: new Date(), proposed }));
    if (call === undefined) throw new Error(`The call of customer ${number} was refused.`);
    const at = new Date();
    await ctx.handle.db
      .updateTable("call")
      .set({
        ...{ parked_call_control_id: controlIdOf(number, "p"), far_call_control_id: controlIdOf(number, "f") },
        ...{ ticket_used_at: at, transferred_at: at, provider_seconds: 14_400, started_at: at },
      })
      .where("id", "=", call.id)
      .execute();
    await report(ctx, call.id, { kind: "answered", leg: "far", payload: {} });
  });
}

/** Both legs' events arrive at the same moment. */
async function endCall({ ctx }: Service, { id }: CallRow): Promise<void> {
  const far = { hangup_cause: "normal_clearing", hangup_source: "callee", sip_hangup_cause: "200" };
  await Promise.all([
    report(ctx, id, { kind: "hangup", leg: "far", payload: far }),
    report(ctx, id, { kind: "hangup", leg: "parked", payload: { hangup_cause: "normal_clearing" } }),
  ]);
}

async function report(ctx: CallContext, call: string, reported: Pick<NewEvent, "kind" | "leg" | "payload">): Promise<void> {
  const id = `${call}-${reported.kind}-${String(reported.leg)}`;
  await recordEvent(ctx, call, { id, source: "provider", occurred_at: new Date(), ...reported });
}

/** Gives the work to the services in turn; each has `AT_ONCE` in flight. */
async function inParallel<Item>(
  services: readonly Service[],
  items: readonly Item[],
  one: (service: Service, item: Item) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  const worker = async (service: Service) => {
    for (const item of rest) await one(service, item);
  };
  await Promise.all(services.flatMap((service) => Array.from({ length: AT_ONCE }, () => worker(service))));
}

async function sweepUntil(ctx: CallContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sweepCalls(ctx, signal);
    await pause(SWEEP_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** @returns seconds since `began`, twice the limit at most */
async function settledAfter({ handle }: BenchPostgres, began: number): Promise<number> {
  for (;;) {
    const open = await handle.db.selectFrom("call").select("id").where("ended_at", "is", null).limit(1).executeTakeFirst();
    const seconds = round((performance.now() - began) / 1_000);
    if (open === undefined || seconds > 2 * MAX_SETTLE_SECONDS) return seconds;
    await pause(250);
  }
}

/** For how long the call has waited whose check is due the longest. */
async function readOverdue({ handle }: BenchPostgres): Promise<number> {
  const { rows } = await handle.pool.query<{ seconds: number }>(
    "select extract(epoch from clock_timestamp() - min(next_check_at))::float as seconds from call where ended_at is null",
  );
  return Math.max(0, round(rows[0]?.seconds ?? 0));
}

/** Calls whose hold is open, or whose charge is not exactly one posting of the same amount. */
async function readWrong({ handle }: BenchPostgres): Promise<number> {
  const { rows } = await handle.pool.query<{ wrong: number }>(`
    select count(*)::int as wrong from call join hold using (id)
    where hold.state = 'pending' or coalesce(hold.posted_micros, 0) <> call.charge_micros
      or (select count(*) from ledger_transaction t where t.idempotency_key = 'call:' || call.id) <> (call.charge_micros > 0)::int`);
  return rows[0]?.wrong ?? 0;
}

async function timed(work: () => Promise<unknown>): Promise<{ seconds: number }> {
  const began = performance.now();
  await work();
  return { seconds: round((performance.now() - began) / 1_000) };
}

function nameOf(number: number): string {
  return `x${number % EXCHANGES}`;
}

/** As exchanges make them. */
function controlIdOf(number: number, leg: "p" | "f"): string {
  return `v3:${nameOf(number)}.${`${leg}${number}`.padEnd(32, "-")}`;
}

function nodeOf(controlId: string): string {
  return controlId.slice("v3:".length, controlId.indexOf("."));
}

function exchangeOf({ parked_call_control_id: controlId }: CallRow): string {
  return nodeOf(controlId ?? "");
}
