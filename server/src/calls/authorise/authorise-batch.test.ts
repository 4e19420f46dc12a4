import { MINUTE_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { fc, test } from "@fast-check/vitest";
import { decideCall, type CallerCounters } from "@farline/domain/calls/decide-call.ts";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { authoriseRequest } from "../../../test/draft-call.ts";
import { ledgerAccount } from "../../../test/ledger-account.ts";
import { insertPastCalls, type PastCall } from "../../../test/past-calls.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { ledger } from "../../ledger/ledger.ts";
import { createBatchedAuthorise, type AuthorisationResult, type AuthoriseRequest } from "./authorise-batch.ts";
import { lockCallers, readCaller, type CallerQuery } from "./callers.store.ts";
import { testContext } from "../../../test/test-context.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const NOW = new Date("2026-11-22T12:00:00Z");
const authoriser = () => createBatchedAuthorise(testContext({ handle: database.handle }));
const queryOf = ({ draft, proposed }: AuthoriseRequest): CallerQuery => ({
  customerId: draft.customer_id,
  payerId: draft.payer_id,
  proposed,
  idempotencyKey: draft.idempotency_key,
  excludedCallId: null,
});

async function caller(creditMicros = 50_000_000n): Promise<string> {
  return (await ledgerAccount(database.handle, creditMicros)).id;
}

/** Keeps only the decision. */
const outcomeOf = ({ call, refused }: AuthorisationResult) =>
  refused?.rule ?? [call?.status, call?.held_micros, call?.bounded_by, call?.cap_seconds];

describe("calls authorised at the same moment", () => {
  const kinds = fc.constantFrom("plain", "poor", "broke", "busy", "blocked", "own country", "own cap", "known key", "expensive");

  async function requestOf(kind: string): Promise<AuthoriseRequest> {
    const id = await caller(kind === "broke" ? 1n : kind === "poor" ? 100_000n : 50_000_000n);
    const own = (columns: string, value: unknown) =>
      sql`insert into guard_rail (customer_id, ${sql.raw(columns)}, time_zone, updated_at) values (${id}, ${value}, 'UTC', now())`.execute(
        database.handle.db,
      );
    if (kind === "own country") await own("countries", ["GH"]);
    if (kind === "own cap") await own("call_cap_micros", 90_000n);
    if (kind === "blocked")
      await sql`insert into call_block (id, customer_id, rule, inputs, created_at, blocked_until) values (${uuidv7()}, ${id}, 'near_numbers', '{}', ${NOW}, ${new Date(NOW.getTime() + MINUTE_MS)})`.execute(
        database.handle.db,
      );
    const key = kind === "known key" ? uuidv7() : null;
    const request = authoriseRequest(id, {
      at: NOW,
      key,
      rate: { ratePerMinuteMicros: kind === "expensive" ? 700_000n : 60_000n },
    });
    if (kind === "known key") await authoriser()(request);
    if (kind === "busy") for (const _ of [1, 2]) await authoriser()(authoriseRequest(id, { at: NOW }));
    return kind === "known key" ? authoriseRequest(id, { at: NOW, key }) : request;
  }

  test.prop([fc.array(kinds, { minLength: 1, maxLength: 6 })], { numRuns: 12 })(
    "get the same decisions as calls authorised alone, and are written with their holds",
    async (callers) => {
      const [together, alone] = [authoriser(), authoriser()];
      const first = await Promise.all((await Promise.all(callers.map(requestOf))).map(together));
      const second: AuthorisationResult[] = [];
      for (const kind of callers) second.push(await alone(await requestOf(kind)));
      expect(first.map(outcomeOf)).toEqual(second.map(outcomeOf));
      for (const { call } of first) {
        if (call === undefined) continue;
        const { rows } =
          await sql<any>`select c.*, h.amount_micros as in_hold, a.held_micros as in_account from call c join hold h using (id) join account a on a.customer_id = c.customer_id where c.id = ${call.id}`.execute(
            database.handle.db,
          );
        expect(rows).toEqual([{ ...call, in_hold: call.held_micros, in_account: call.held_micros }]);
      }
    },
  );

  test("skip a call whose account is locked, so that only that call waits", async () => {
    const [stuck, free] = [authoriseRequest(await caller(), { at: NOW }), authoriseRequest(await caller(), { at: NOW })];
    const holder = await database.handle.db.startTransaction().execute();
    await sql`select from account where customer_id = ${stuck.draft.customer_id} for update`.execute(holder);
    const authorise = authoriser();
    const [waiting, done] = [authorise(stuck), authorise(free)];
    expect((await done).call).toMatchObject({ id: free.draft.id });
    await expect.poll(waitingForLocks).toBe(1);
    // Writes of the lock's holder are counted, because the snapshot is taken after the wait.
    await insertPastCalls(holder, [{ customerId: stuck.draft.customer_id, createdAt: NOW, chargeMicros: 149_990_000n }]);
    await holder.commit().execute();
    expect((await waiting).refused).toMatchObject({ rule: "spend" });
  });

  test.each(["wait", "skip"] as const)("lock only their own accounts (%s)", async (lock) => {
    const [own, stranger] = [authoriseRequest(await caller(), { at: NOW }), await caller()];
    await database.handle.db.transaction().execute(async (tx) => {
      await lockCallers(tx, [queryOf(own)], lock);
      const { rows } =
        await sql<any>`select customer_id from account where customer_id = any (${[own.draft.customer_id, stranger]}) for update skip locked`.execute(
          database.handle.db,
        );
      expect(rows).toEqual([{ customer_id: stranger }]);
    });
  });

  test("with one idempotency key from two customers are two calls", async () => {
    const key = uuidv7();
    const [first, second] = [
      authoriseRequest(await caller(), { at: NOW, key }),
      authoriseRequest(await caller(), { at: NOW, key }),
    ];
    expect((await authoriser()(first)).call?.id).toBe(first.draft.id);
    expect((await authoriser()(second)).call).toMatchObject({ id: second.draft.id, customer_id: second.draft.customer_id });
  });

  test("succeed when another call in the batch cannot be written", async () => {
    const [good, bad] = [
      authoriseRequest(await caller(), { at: NOW }),
      authoriseRequest(await caller(), { at: NOW, countryCode: "Ghana" }),
    ];
    const authorise = authoriser();
    const [first, second] = await Promise.allSettled([authorise(good), authorise(bad)]);
    expect(first).toMatchObject({ status: "fulfilled", value: { call: { id: good.draft.id } } });
    expect(second).toMatchObject({ status: "rejected", reason: { constraint: "call_sound" } });
    expect((await ledger.balance(database.handle.db, bad.draft.customer_id)).heldMicros).toBe(0n);
  });

  test("of one customer never exceed a limit, even across two instances", async () => {
    const id = await caller();
    const instances = [authoriser(), authoriser()];
    const answers = await Promise.all(
      instances.flatMap((authorise) => Array.from({ length: 10 }, () => authorise(authoriseRequest(id, { at: NOW })))),
    );
    expect(answers.filter((answer) => answer.call !== undefined)).toHaveLength(2);
    expect(new Set(answers.map((answer) => answer.refused?.rule))).toEqual(new Set([undefined, "live_calls"]));
  });
});

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    database.handle.db,
  );
  return rows[0]?.n ?? 0;
}

const pastCall = fc.record({
  agoMinutes: fc.constantFrom(0, 30, 59, 61, 23 * 60, 25 * 60, 28 * 60, 40 * 60),
  destination: fc.constantFrom("+447400123456", "+447400123999", "+447400124000", "+442079460001", "+4930123456"),
  countryCode: fc.constantFrom("GB", "DE", "GH"),
  durationMs: fc.constantFrom(5_000, 20_000, 2 * HOUR_MS),
  chargeMicros: fc.constantFrom(0n, 10_000n, 500_000n),
  priceClass: fc.constantFrom("A" as const, "B" as const, "C" as const),
});

describe("the counters", () => {
  test.prop([fc.array(pastCall, { maxLength: 12 })], { numRuns: 25 })("match the calls' records", async (calls) => {
    const id = await caller();
    const records = calls.map(({ agoMinutes, ...call }) => {
      const createdAt = new Date(NOW.getTime() - agoMinutes * MINUTE_MS);
      return { ...call, customerId: id, createdAt, endedAt: new Date(createdAt.getTime() + 5_000 + call.durationMs) };
    });
    await insertPastCalls(database.handle.db, records);
    await sql`insert into guard_rail (customer_id, daily_cap_micros, time_zone, updated_at) values (${id}, 1000000, 'Asia/Tokyo', now())`.execute(
      database.handle.db,
    );
    const { counters } = await readCaller(database.handle.db, queryOf(authoriseRequest(id, { at: NOW })));
    const begunWithin = (ms: number) => records.filter(({ createdAt }) => createdAt.getTime() > NOW.getTime() - ms);
    const endedSince = (since: Date) => records.filter(({ endedAt }) => endedAt >= since);
    const [hour, day] = [begunWithin(HOUR_MS), begunWithin(24 * HOUR_MS)];
    const others = (list: typeof records) => list.filter(({ destination }) => destination !== "+447400123456");
    const distinct = (values: readonly string[]) => new Set(values).size;
    const spent = (list: typeof records) => list.reduce((sum, { chargeMicros }) => sum + chargeMicros, 0n);
    const yesterday = endedSince(new Date(NOW.getTime() - 24 * HOUR_MS));
    expect(counters).toEqual({
      balanceMicros: 50_000_000n,
      heldMicros: 0n,
      debtMicros: 0n,
      bonusMicros: 0n,
      grantLeftMicros: 0n,
      liveCalls: 0,
      payerLiveCalls: 0,
      family: null,
      block: null,
      startedAtMs: day.map(({ createdAt }) => createdAt.getTime()).toSorted((a, b) => b - a),
      sameNumberInHour: hour.length - others(hour).length,
      nearNumbersInHour: distinct(
        others(hour)
          .map(({ destination }) => destination)
          .filter((destination) => destination.startsWith("+447400123")),
      ),
      shortCallsInHour: endedSince(new Date(NOW.getTime() - HOUR_MS + 1)).filter(
        ({ durationMs, destination }) => durationMs < 10_000 && !destination.startsWith("+442079460"),
      ).length,
      otherNumbersInDay: distinct(others(day).map(({ destination }) => destination)),
      otherCountriesInDay: distinct(day.map(({ countryCode }) => countryCode).filter((code) => code !== "GB")),
      spentInDayMicros: spent(yesterday),
      spentAboveClassAMicros: spent(yesterday.filter(({ priceClass }) => priceClass !== "A")),
      spentAboveClassBMicros: spent(yesterday.filter(({ priceClass }) => priceClass === "C")),
      ownLimits: {
        call_cap_micros: null,
        daily_cap_micros: 1_000_000n,
        // 21:00 in Tokyo: the day there began at 15:00 UTC.
        spentTodayMicros: spent(endedSince(new Date("2026-11-21T15:00:00Z"))),
        countries: null,
      },
    });
  });

  describe("at the edges of their time windows", () => {
    const NEAR = "+447400123999";
    /** When a call ended `agoMs` ago began. It includes 5 seconds besides its duration. */
    const endedAgo = (agoMs: number, durationMs: number) => agoMs + 5_000 + durationMs;
    test.each<
      [what: string, call: Omit<PastCall, "customerId" | "createdAt"> & { agoMs: number }, counted: Partial<CallerCounters>]
    >([
      ["begun an hour ago", { agoMs: HOUR_MS, destination: NEAR }, { nearNumbersInHour: 0, otherNumbersInDay: 1 }],
      ["begun within the hour", { agoMs: HOUR_MS - 1, destination: NEAR }, { nearNumbersInHour: 1 }],
      [
        "begun a day ago",
        { agoMs: 24 * HOUR_MS, countryCode: "GH", destination: NEAR },
        { otherNumbersInDay: 0, startedAtMs: [] },
      ],
      ["begun within the day", { agoMs: 24 * HOUR_MS - 1, countryCode: "GH" }, { otherCountriesInDay: 1 }],
      [
        "short, ended an hour ago",
        { agoMs: endedAgo(HOUR_MS, 9_999), durationMs: 9_999, destination: NEAR },
        { shortCallsInHour: 0 },
      ],
      [
        "short, ended within the hour",
        { agoMs: endedAgo(HOUR_MS - 1, 9_999), durationMs: 9_999, destination: NEAR },
        { shortCallsInHour: 1 },
      ],
      ["just long enough", { agoMs: HOUR_MS / 2, durationMs: 10_000, destination: NEAR }, { shortCallsInHour: 0 }],
      ["ended a day ago", { agoMs: endedAgo(24 * HOUR_MS, 60_000) }, { spentInDayMicros: 60_000n }],
      ["ended before that", { agoMs: endedAgo(24 * HOUR_MS + 1, 60_000) }, { spentInDayMicros: 0n }],
      ["never answered", { agoMs: HOUR_MS / 2, status: "failed", durationMs: 0, destination: NEAR }, { shortCallsInHour: 0 }],
    ])("a call %s", async (_what, { agoMs, ...call }, counted) => {
      const id = await caller();
      await insertPastCalls(database.handle.db, [{ ...call, customerId: id, createdAt: new Date(NOW.getTime() - agoMs) }]);
      const { counters } = await readCaller(database.handle.db, queryOf(authoriseRequest(id, { at: NOW })));
      expect(counters).toMatchObject(counted);
    });
  });

  test("include a live call with its hold, and exclude it when it is being extended", async () => {
    const id = await caller();
    const request = authoriseRequest(id, { at: NOW, proposed: { limits: null } });
    const { call } = await authoriser()(request);
    const held = decideCall(
      request.proposed,
      (await readCaller(database.handle.db, { ...queryOf(request), excludedCallId: request.draft.id })).counters,
    );
    expect(held.allowed?.holdMicros).toBe(call?.held_micros);
    const counted = (await readCaller(database.handle.db, queryOf(request))).counters;
    expect(counted).toMatchObject({ liveCalls: 1, spentInDayMicros: call?.held_micros, heldMicros: call?.held_micros });
    const countersWithout = (await readCaller(database.handle.db, { ...queryOf(request), excludedCallId: request.draft.id }))
      .counters;
    expect(countersWithout).toMatchObject({ liveCalls: 0, spentInDayMicros: 0n, heldMicros: call?.held_micros });
  });

  test("return no more call starts than the daily limit needs", async () => {
    const id = await caller();
    await insertPastCalls(
      database.handle.db,
      Array.from({ length: 5 }, (_, n) => ({ customerId: id, createdAt: new Date(NOW.getTime() - n * MINUTE_MS) })),
    );
    const { draft, proposed } = authoriseRequest(id, { at: NOW });
    const limits = proposed.limits === null ? null : { ...proposed.limits, callsPerDay: 3 };
    const { counters } = await readCaller(database.handle.db, queryOf({ draft, proposed: { ...proposed, limits } }));
    expect(counters.startedAtMs).toHaveLength(3);
    expect(decideCall({ ...proposed, limits }, counters).refused?.rule).toBe("calls_in_a_time");
  });

  // Without a transaction, the lock would end with its statement.
  test("cannot be locked without a transaction", () => {
    // @ts-expect-error -- the database is not a transaction
    const withoutTransaction = () => lockCallers(database.handle.db, [], "wait");
    expect(withoutTransaction).toBeTypeOf("function");
  });
});
