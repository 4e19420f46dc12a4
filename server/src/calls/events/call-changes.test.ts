import { describe, expect, test, afterAll, beforeAll, beforeEach } from "vitest";
import { MARK_UP } from "@farline/domain/business/mark-up.ts";
import { randomUUID } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { fromDecimalString } from "@farline/domain/money.ts";
import { DeckRows } from "@farline/domain/rates/deck-rows.ts";
import type { CallRow, CallEventRow } from "../record/calls.tables.ts";
import type { Fact, Outcome } from "./derive-outcome.ts";
import { progressChanges, routeChanges } from "./call-changes.ts";
import { startRunningCall, type RunningCall } from "../../../test/running-call.ts";
import type { EventToSend } from "../../../test/fakes/scripted-telnyx.ts";
import { asOperator } from "../../../test/test-context.ts";
import { createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import { insertActivation, insertDeck, pricedRow } from "../../rates/rates.ts";
import type { TrunkAttempt } from "../record/call-columns.ts";
import { readCallForOperator } from "../operate/read-call-for-operator.ts";

const now = new Date(1_000_000);
const after = (ms: number) => new Date(now.getTime() + ms);
const call = {
  status: "ringing",
  limit_seconds: 60,
  last_seen_alive_at: null,
  hangup_requested_at: null,
  ticket_used_at: null,
} as CallRow;
const running: Outcome = {
  status: "ringing",
  startedAtMs: now.getTime(),
  answeredAtMs: null,
  end: null,
  needsProof: false,
  carrierCostMicros: null,
};
const answered: Outcome = { ...running, status: "in-progress", answeredAtMs: now.getTime() };
const ended: Outcome = {
  ...running,
  status: "failed",
  end: { atMs: now.getTime(), reason: "hangup", hungUpBy: null, durationMs: 0, silence: null },
};
const hangup: Fact = { kind: "hangup", leg: "far", atMs: now.getTime() } as Fact;

describe("a call's status", () => {
  test("follows the facts and never moves back", () => {
    expect(progressChanges(call, answered, [], now).status).toBe("in-progress");
    expect(progressChanges({ ...call, status: "in-progress" }, running, [], now).status).toBe("in-progress");
  });

  test("shows the end only after the settlement", () => {
    expect(progressChanges(call, ended, [], now).status).toBe("ringing");
  });
});

describe("a call's times", () => {
  test("are set by the answer, with the end of its credit", () => {
    expect(progressChanges(call, answered, [], now)).toMatchObject({ answered_at: now, ends_at: after(60_000) });
    expect(progressChanges(call, running, [], now)).toMatchObject({ answered_at: null, ends_at: null });
  });

  test("last_seen_alive_at is the later of the stored time and the answer", () => {
    const seen = (at: Date | null, outcome: Outcome) =>
      progressChanges({ ...call, last_seen_alive_at: at }, outcome, [], now).last_seen_alive_at;
    expect(seen(null, running)).toBe(null);
    expect(seen(null, answered)).toEqual(now);
    expect(seen(after(5_000), running)).toEqual(after(5_000));
    expect(seen(after(5_000), answered)).toEqual(after(5_000));
    expect(seen(after(-5_000), answered)).toEqual(now);
  });

  test("a hang-up is requested once, when one leg of a running call is over", () => {
    const requested = (row: CallRow, outcome: Outcome, facts: readonly Fact[]) =>
      progressChanges(row, outcome, facts, now).hangup_requested_at;
    expect(requested(call, running, [])).toBe(null);
    expect(requested(call, running, [hangup])).toBe(now);
    expect(requested({ ...call, hangup_requested_at: after(-1) }, running, [hangup])).toEqual(after(-1));
    expect(requested(call, ended, [hangup])).toBe(null);
  });

  test("the end of the call closes its ticket", () => {
    expect(progressChanges(call, running, [], now)).not.toHaveProperty("ticket_used_at");
    expect(progressChanges(call, ended, [], now).ticket_used_at).toBe(now);
    expect(progressChanges({ ...call, ticket_used_at: after(-1) }, ended, [], now).ticket_used_at).toEqual(after(-1));
  });
});

describe("the next check is", () => {
  const nextCheck = (outcome: Outcome, at = now) => progressChanges(call, outcome, [], at).next_check_at;

  test("ten seconds away while the call is running", () => {
    expect(nextCheck(running)).toEqual(after(10_000));
    expect(nextCheck(answered)).toEqual(after(10_000));
  });

  test("sooner while the end is unproven or unsettled", () => {
    expect(nextCheck({ ...running, needsProof: true })).toEqual(after(2_000));
    expect(nextCheck(ended)).toEqual(after(2_000));
  });

  test("five seconds after the limit at the latest, and never in the past", () => {
    expect(nextCheck(answered, after(59_000))).toEqual(after(65_000));
    expect(nextCheck(answered, after(90_000))).toEqual(after(90_000));
  });
});

const COST = { ratePerMinuteMicros: 7_000n, firstIntervalSeconds: 60, nextIntervalSeconds: 6 };

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
  await deckFor("main", "44");
  await deckFor("spare", "49");
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

async function deckFor(trunk: string, prefix: string): Promise<void> {
  const { db } = world.database.handle;
  const at = world.clock.now();
  const deck = { id: uuidv7(), name: trunk, source: "test", checksum: null, trunk, createdAt: at };
  const range = { prefix, description: "Somewhere", countryCode: "GB", numberType: "landline" };
  await insertDeck(db, deck, { rows: DeckRows.from([pricedRow(range, COST, MARK_UP)]), blocks: [] });
  await insertActivation(db, { deckId: deck.id, effectiveAt: at, operator: "test", reason: "test", confirmed: false, at });
}

function attempt(trunk: string, outcome: TrunkAttempt["outcome"], overrides: Partial<TrunkAttempt> = {}): TrunkAttempt {
  return {
    trunk,
    started_at: "2026-11-24T12:00:00.000Z",
    duration_ms: 90,
    post_dial_delay_ms: 40,
    sip_status: 503,
    q850_cause: null,
    outcome,
    ...overrides,
  };
}

describe("a transfer", () => {
  test("sends our exchange the call's price and the cost of each trunk that has a deck", async () => {
    const { leg } = await startRunningCall(world);
    const quote = world.ctx.rates.quote(LONDON, "visitor");
    const body = world.provider.commandsOf("transfer").find(({ path }) => path.includes(leg.parked))?.body;
    expect(body?.["prices"]).toEqual({
      sale: {
        rate_per_minute: `0.${String(quote?.ratePerMinuteMicros).padStart(6, "0").slice(0, 4)}`,
        first_interval: quote?.firstIntervalSeconds,
        next_interval: quote?.nextIntervalSeconds,
      },
      trunks: [
        { trunk: "main", cost: { rate_per_minute: "0.0070", first_interval: 60, next_interval: 6 } },
        { trunk: "spare", cost: null },
      ],
    });
  });
});

const record = (call: string) => readCallForOperator(asOperator(world.ctx, "grace"), { call });

describe("the record of a call", () => {
  const failed = attempt("main", "failed", { q850_cause: 41 });
  const route = { trunk: "spare", trunk_attempts: [failed, attempt("spare", "answered", { sip_status: 200 })] };

  function eventsOf({ leg }: RunningCall): EventToSend[] {
    const far = { call_session_id: leg.session, client_state: world.farState(leg.parked) };
    const at = world.clock.now();
    const end = { hangup_cause: "normal_clearing", hangup_source: "callee", sip_hangup_cause: "200" };
    return [
      { type: "call.answered", callControlId: leg.far, occurredAt: at, payload: { ...far, trunk: "spare", trunk_attempts: [] } },
      { type: "call.hangup", callControlId: leg.far, occurredAt: at, payload: { ...far, ...end, ...route } },
      { type: "call.cost", callControlId: leg.far, occurredAt: at, payload: { ...far, total_cost: "0.0070" } },
    ].map((event) => ({ ...event, id: randomUUID() }));
  }

  test.each([
    ["in their order", [0, 1, 2]],
    ["backwards", [2, 1, 0]],
    ["repeatedly", [1, 0, 1, 2, 0, 2]],
  ])("has the trunk, its cost and every attempt if events arrive %s", async (_how, order) => {
    const running = await startRunningCall(world);
    const events = eventsOf(running);
    for (const index of order) expect(await world.deliver(events[index] as EventToSend)).toBe(200);
    const found = await record(running.id);
    expect(found).toMatchObject({ call: { status: "completed" }, trunk: "spare", attempts: route.trunk_attempts, cost: "0.007" });
    expect(fromDecimalString(found.margin ?? "")).toBe(fromDecimalString(found.call.charge) - 7_000n);
  });

  test("of an unknown or malformed id is not found", async () => {
    await expect(record(randomUUID())).rejects.toMatchObject({ code: "not_found" });
    await expect(record("' or true --")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("an event's trunk data", () => {
  const eventWith = (payload: Record<string, unknown>, overrides: Partial<CallEventRow> = {}): CallEventRow => ({
    id: "1",
    call_id: "call",
    source: "provider",
    kind: "hangup",
    leg: "far",
    occurred_at: new Date(0),
    received_at: new Date(0),
    payload,
    ...overrides,
  });
  const good = { trunk: "main", trunk_attempts: [attempt("main", "answered")] };

  test.each([
    ["nothing", {}],
    ["too long a name", { ...good, trunk: "m".repeat(65) }],
    ["too many attempts", { ...good, trunk_attempts: Array(9).fill(attempt("main", "failed")) }],
    ["an unknown outcome", { ...good, trunk_attempts: [{ ...attempt("main", "failed"), outcome: "x".repeat(99) }] }],
    ["attempts that are not a list", { ...good, trunk_attempts: "many" }],
  ])("is not stored when it is %s", (_what, payload) => {
    expect(routeChanges([eventWith(payload)])).toEqual({});
  });

  test("is stored without unknown fields and impossible values", () => {
    const odd = { ...attempt("main", "failed"), sip_status: 9_999, q850_cause: "busy", note: "x".repeat(99) };
    const { trunk, trunk_attempts: stored } = routeChanges([eventWith({ trunk: "main", trunk_attempts: [odd] })]);
    expect([trunk, JSON.parse(stored ?? "")]).toEqual(["main", [attempt("main", "failed", { sip_status: null })]]);
  });

  test("is not read from the browser's leg or from the service's own events", () => {
    expect(routeChanges([eventWith(good, { leg: "parked" }), eventWith(good, { source: "service" })])).toEqual({});
  });
});
