import { fc, test } from "@fast-check/vitest";
import type { PriceClass } from "@farline/domain/calls/call-terms.ts";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { ledgerAccount } from "../../../test/ledger-account.ts";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { ledger } from "../../ledger/ledger.ts";
import type { DatabaseHandle } from "../../platform/database/database.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { insertCall, type AuthoriseLimits, type NewCall } from "../call.store.ts";
import { createAuthorise } from "./authorise.ts";
import { authorisePlainCalls, settleCalls, type AuthoriseRequest, type Settlement } from "./grouped-calls.store.ts";
import { createSettleCall } from "../settle/settle-call.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const MINUTE_MS = 60_000;
const NOW = new Date("2026-11-22T12:00:00Z");
const RATE_MICROS = 60_000n;
const DEAR_MICROS = 200_000n;

/** What may stand in the way of a call, or not. */
interface Caller {
  readonly creditMicros: bigint;
  readonly bonusMicros: bigint;
  /** Owed after a refund of spent credit. */
  readonly owes: boolean;
  readonly pastCalls: number;
  readonly live: boolean;
  readonly ownLimits: "none" | "country" | "cap";
  readonly paused: boolean;
  readonly key: "none" | "new" | "known";
  readonly price: "ordinary" | "listed" | "dear";
  readonly rules: boolean;
  readonly liveLimit: number | null;
  readonly hourLimit: number | null;
}

const seldom = fc.integer({ min: 0, max: 7 }).map((n) => n === 0);
const caller: fc.Arbitrary<Caller> = fc.record({
  creditMicros: fc.constantFrom(0n, 59_999n, 60_000n, 500_000n, 50_000_000n, 50_000_000n),
  bonusMicros: fc.constantFrom(0n, 30_000n, 1_000_000n),
  owes: seldom,
  pastCalls: fc.constantFrom(0, 0, 1, 2, 3, 4),
  live: seldom,
  ownLimits: fc.constantFrom("none" as const, "none" as const, "none" as const, "country" as const, "cap" as const),
  paused: seldom,
  key: fc.constantFrom("none" as const, "new" as const, "new" as const, "known" as const),
  price: fc.integer({ min: 0, max: 11 }).map((n) => (n === 0 ? "dear" : n === 1 ? "listed" : "ordinary")),
  rules: fc.boolean(),
  liveLimit: fc.constantFrom(null, 1, 2),
  hourLimit: fc.constantFrom(null, 2, 40),
});

describe("calls authorised together", () => {
  let plainOnes = 0;
  let others = 0;

  test.prop([fc.array(caller, { minLength: 1, maxLength: 5 })], { numRuns: 60 })(
    "are those, and held and written just as, that each would be alone",
    async (callers) => {
      const requests = await Promise.all(callers.map((one) => open(database.handle, one)));
      const together = await rolledBack(database.handle, async (handle) => {
        const calls = await authorisePlainCalls(handle, requests);
        return inTurn(requests, ({ call }) => stateOf(handle, call, calls.get(call.customerId) ?? null));
      });
      for (const [index, request] of requests.entries()) {
        const alone = await rolledBack(database.handle, async (handle) =>
          stateOf(handle, request.call, await insertCall(handle, request.call, request.limits).catch(() => null)),
        );
        const found = together[index];
        if (found?.made === null) others += 1;
        else {
          plainOnes += 1;
          expect(found).toEqual(alone);
        }
      }
    },
  );

  test("are many of them, and so are the others: the comparison compared something", () => {
    expect(plainOnes).toBeGreaterThan(20);
    expect(others).toBeGreaterThan(20);
  });

  test("leave out whose account is locked, who is asked again alone and waits for it", async () => {
    const request = await open(database.handle, easyCaller);
    const holder = await database.handle.pool.connect();
    await holder.query("begin");
    await holder.query("select from account where customer_id = $1 for update", [request.call.customerId]);
    expect((await authorisePlainCalls(database.handle, [request])).size).toBe(0);
    const authorised = createAuthorise(database.handle)(request);
    await expect.poll(() => waitingFor(database.handle)).toBe(1);
    await holder.query("rollback");
    holder.release();
    expect(await authorised).toMatchObject({ id: request.call.id, status: "initiated" });
  });

  test("are none when one of them cannot be written; alone the others are", async () => {
    const [good, bad] = await Promise.all([open(database.handle, easyCaller), open(database.handle, easyCaller)]);
    const broken = { ...bad, call: { ...bad.call, countryCode: "Ghana" } };
    expect((await authorisePlainCalls(database.handle, [good, broken])).size).toBe(0);
    const authorise = createAuthorise(database.handle);
    const [first, second] = await Promise.allSettled([authorise(good), authorise(broken)]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ status: "rejected", reason: { constraint: "call_sound" } });
  });
});

/** A call that runs, and what it is to be charged. */
const ending = fc.record({
  bonusMicros: fc.constantFrom(0n, 30_000n, 1_000_000n),
  chargeMicros: fc.constantFrom(0n, 1n, 30_000n, 60_000n),
  refundMicros: fc.constantFrom(0n, 0n, 49_990_000n, 50_000_000n),
});

describe("calls settled together", () => {
  test.prop([fc.array(ending, { minLength: 1, maxLength: 5 })], { numRuns: 40 })(
    "move the money and write the record just as each would alone",
    async (endings) => {
      const settlements = await Promise.all(endings.map((one) => running(database.handle, one)));
      const stateAfter = (handle: DatabaseHandle) => inTurn(settlements, ({ callId }) => moneyOf(handle, callId));
      const together = await rolledBack(database.handle, async (handle) => {
        expect((await settleCalls(handle, settlements)).size).toBe(settlements.length);
        return stateAfter(handle);
      });
      const alone = await rolledBack(database.handle, async (handle) => {
        for (const s of settlements) await settleByLedger(handle, s);
        return stateAfter(handle);
      });
      expect(together).toEqual(alone);
    },
  );

  test("twice at once and again later charge once, and every time answer the same call", async () => {
    const settlement = await running(database.handle, { bonusMicros: 0n, chargeMicros: 60_000n, refundMicros: 0n });
    const settle = createSettleCall({ handle: database.handle, ledger });
    const { rows } = await database.handle.pool.query("select * from call where id = $1", [settlement.callId]);
    const outcome = {
      status: "completed" as const,
      startedAtMs: NOW.getTime(),
      answeredAtMs: NOW.getTime(),
      end: { atMs: NOW.getTime() + MINUTE_MS, reason: "hangup" as const, durationMs: MINUTE_MS },
      needsProof: false,
      carrierCostMicros: null,
    };
    const first = await Promise.all([settle(rows[0], outcome), settle(rows[0], outcome), settle(rows[0], outcome)]);
    const later = await settle(rows[0], outcome);
    for (const call of [...first, later]) expect(call).toMatchObject({ status: "completed", charge_micros: 60_000n });
    const entries = await database.handle.pool.query("select from ledger_transaction where reference_id = $1 and kind = 'call'", [
      settlement.callId,
    ]);
    expect(entries.rowCount).toBe(1);
  });

  test("of one account in one group: one is settled, the other is left for its turn", async () => {
    const first = await running(database.handle, { bonusMicros: 0n, chargeMicros: 60_000n, refundMicros: 0n });
    const { rows } = await database.handle.pool.query<{ customer_id: string }>("select customer_id from call where id = $1", [
      first.callId,
    ]);
    const second = await runningOf(database.handle, rows[0]?.customer_id ?? "", 60_000n);
    const settled = await settleCalls(database.handle, [first, second]);
    expect(settled.size).toBe(1);
    const rest = [first, second].filter(({ callId }) => !settled.has(callId));
    expect((await settleCalls(database.handle, rest)).size).toBe(1);
    expect(await ledger.balance(database.handle.pool, rows[0]?.customer_id ?? "")).toMatchObject({ heldMicros: 0n });
  });
});

const easyCaller: Caller = {
  creditMicros: 50_000_000n,
  bonusMicros: 0n,
  owes: false,
  pastCalls: 0,
  live: false,
  ownLimits: "none",
  paused: false,
  key: "none",
  price: "ordinary",
  rules: true,
  liveLimit: 1,
  hourLimit: 40,
};

/** Makes the caller, and the request for a call. */
async function open(handle: DatabaseHandle, one: Caller): Promise<AuthoriseRequest> {
  const account = await ledgerAccount(handle, one.creditMicros);
  if (one.bonusMicros > 0n) await account.credit("bonus", one.bonusMicros);
  if (one.owes) await account.reverse("dispute", one.creditMicros + one.bonusMicros + 1n);
  const past = Array.from({ length: one.pastCalls }, (_, n) => ({
    customerId: account.id,
    createdAt: new Date(NOW.getTime() - (n + 1) * 20 * MINUTE_MS),
    chargeMicros: 10_000n,
  }));
  await insertPastCalls(handle.pool, past);
  if (one.live)
    await insertCall(handle, newCall(account.id, { key: null, rateMicros: RATE_MICROS }), noLimits).catch(() => undefined);
  if (one.ownLimits !== "none")
    await handle.pool.query(
      "insert into guard_rail (customer_id, call_cap_micros, countries, time_zone, updated_at) values ($1, $2, $3, 'UTC', $4)",
      [account.id, one.ownLimits === "cap" ? 100_000n : null, one.ownLimits === "country" ? ["GH"] : null, NOW],
    );
  if (one.paused)
    await handle.pool.query(
      "insert into call_block (id, customer_id, rule, inputs, created_at, blocked_until) values ($1, $2, 'near_numbers', '{}', $3, $4)",
      [uuidv7(), account.id, NOW, new Date(NOW.getTime() + MINUTE_MS)],
    );
  const key = one.key === "none" ? null : uuidv7();
  const rateMicros = one.price === "dear" ? DEAR_MICROS : RATE_MICROS;
  const priceClass = one.price === "ordinary" ? "A" : "B";
  if (one.key === "known")
    await insertCall(handle, newCall(account.id, { key, rateMicros: RATE_MICROS }), noLimits).catch(() => undefined);
  return {
    call: newCall(account.id, { key, rateMicros, priceClass }),
    limits: {
      ...noLimits,
      wantMicros: rateMicros * 60n,
      leastMicros: rateMicros,
      liveCalls: one.liveLimit,
      perHour: one.hourLimit,
      rules: one.rules ? RULES : null,
    },
  };
}

const noLimits: AuthoriseLimits = {
  wantMicros: RATE_MICROS,
  leastMicros: RATE_MICROS,
  liveCalls: null,
  perMinute: null,
  perHour: null,
  perDay: null,
  rules: null,
};
const RULES = {
  near_numbers_per_hour: 4,
  short_calls_per_hour: 10,
  same_number_per_hour: 12,
  numbers_per_day: 25,
  countries_per_day: 5,
  spend_per_day_micros: 5_000_000,
  dear_spend_per_day_micros: 2_000_000,
  dear_above_class: "A",
  short_call_ms: 10_000,
  earns_nothing: "^\\+442079460",
};

function newCall(
  customerId: string,
  { key, rateMicros, priceClass = "A" }: { key: string | null; rateMicros: bigint; priceClass?: PriceClass },
): NewCall {
  return {
    id: uuidv7(),
    customerId,
    destination: "+447400123456",
    countryCode: "GB",
    numberType: "mobile",
    idempotencyKey: key,
    ratePrefix: "447",
    rateDescription: "United Kingdom mobile",
    ratePerMinuteMicros: rateMicros,
    priceClass,
    firstIntervalSeconds: 1,
    nextIntervalSeconds: 1,
    deckId: uuidv7(),
    deckEffectiveAt: NOW,
    capSeconds: 3_600,
    ticketHash: crypto.getRandomValues(Buffer.alloc(32)),
    ticketExpiresAt: new Date(NOW.getTime() + MINUTE_MS),
    createdAt: NOW,
  };
}

/** A call under way, of an account that may owe by now. */
async function running(
  handle: DatabaseHandle,
  one: { bonusMicros: bigint; chargeMicros: bigint; refundMicros: bigint },
): Promise<Settlement> {
  const account = await ledgerAccount(handle, 50_000_000n);
  if (one.bonusMicros > 0n) await account.credit("bonus", one.bonusMicros);
  const settlement = await runningOf(handle, account.id, one.chargeMicros);
  if (one.refundMicros > 0n) await account.reverse("refund", one.refundMicros);
  return settlement;
}

async function runningOf(handle: DatabaseHandle, customerId: string, chargeMicros: bigint): Promise<Settlement> {
  const call = newCall(customerId, { key: null, rateMicros: RATE_MICROS });
  await insertCall(handle, call, noLimits);
  return {
    transactionId: uuidv7(),
    callId: call.id,
    status: chargeMicros > 0n ? "completed" : "failed",
    endReason: chargeMicros > 0n ? "hangup" : "no_answer",
    answeredAt: chargeMicros > 0n ? NOW : null,
    endedAt: new Date(NOW.getTime() + MINUTE_MS),
    durationMs: chargeMicros > 0n ? MINUTE_MS : 0,
    billedSeconds: chargeMicros > 0n ? 60 : 0,
    chargeMicros,
    description: "Call to +44 7400 123456",
  };
}

/** As the ledger's own functions do it, one by one. */
async function settleByLedger(handle: DatabaseHandle, s: Settlement): Promise<void> {
  if (s.chargeMicros > 0n)
    await handle.pool.query("select post_hold($1, $2, $3, $4)", [s.transactionId, s.callId, s.chargeMicros, s.description]);
  else await handle.pool.query("select void_hold($1)", [s.callId]);
  await handle.pool.query(
    `update call set status = $2, end_reason = $3, answered_at = $4, ended_at = $5, duration_ms = $6, billed_seconds = $7,
      charge_micros = $8, next_check_at = null where id = $1`,
    [s.callId, s.status, s.endReason, s.answeredAt, s.endedAt, s.durationMs, s.billedSeconds, s.chargeMicros],
  );
}

/** Runs it in a transaction that never was; `handle` there has one connection. */
async function rolledBack<Result>(handle: DatabaseHandle, work: (handle: DatabaseHandle) => Promise<Result>): Promise<Result> {
  const client = await handle.pool.connect();
  try {
    await client.query("begin");
    return await work({ ...handle, pool: client as unknown as pg.Pool });
  } finally {
    await client.query("rollback");
    client.release();
  }
}

/** One connection answers one question at a time. */
async function inTurn<One, Answer>(ones: readonly One[], ask: (one: One) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const one of ones) answers.push(await ask(one));
  return answers;
}

/** Nothing of when, everything else: the call's row, its hold, and the account. */
async function stateOf(handle: DatabaseHandle, call: NewCall, made: unknown) {
  if (made === null) return { made };
  const { rows } = await handle.pool.query(
    `select to_jsonb(a) - 'newest_entry_at' as account, to_jsonb(h) - 'created_at' as hold, to_jsonb(c) as call
      from account a left join hold h on h.id = $2 left join call c on c.id = $2 where a.customer_id = $1`,
    [call.customerId, call.id],
  );
  return { made, rows };
}

async function moneyOf(handle: DatabaseHandle, callId: string) {
  const { rows } = await handle.pool.query(
    `select to_jsonb(a) - 'newest_entry_at' as account, to_jsonb(h) - 'created_at' - 'resolved_at' as hold, to_jsonb(c) as call,
        (select jsonb_agg(to_jsonb(t) - 'created_at') from ledger_transaction t where t.reference_id = c.id) as transactions,
        (select jsonb_agg(to_jsonb(e) order by e.amount_micros) from ledger_transaction t join ledger_entry e on e.transaction_id = t.id
          where t.reference_id = c.id) as entries
      from call c join account a using (customer_id) join hold h on h.id = c.id where c.id = $1`,
    [callId],
  );
  return rows;
}

async function waitingFor(handle: DatabaseHandle): Promise<number> {
  const { rows } = await handle.pool.query<{ count: bigint }>(
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return Number(rows[0]?.count);
}
