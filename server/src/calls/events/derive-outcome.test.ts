import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deriveOutcome, type Fact } from "./derive-outcome.ts";

const MAX_SECONDS = 600;
const LIMIT = { seconds: MAX_SECONDS, paidSeconds: MAX_SECONDS, reason: "credit_used_up", silenceMayBeFree: true } as const;
const T0 = Date.UTC(2026, 0, 1);

const hangup = (
  leg: "parked" | "far",
  atMs: number,
  cause: string,
  overrides: { sipStatus?: number; source?: string; heardUntilMs?: number } = {},
): Fact => ({
  kind: "hangup",
  leg,
  atMs,
  cause,
  sipStatus: overrides.sipStatus ?? null,
  source: overrides.source ?? null,
  heardUntilMs: overrides.heardUntilMs ?? null,
});

const ms = fc.integer({ min: 1, max: MAX_SECONDS * 1000 });

/** The facts of arbitrary calls as a provider reports them: answered or not, ended or not, for any cause. */
const factSets: fc.Arbitrary<Fact[]> = fc
  .record({
    ringMs: ms,
    talkMs: ms,
    answered: fc.boolean(),
    ended: fc.boolean(),
    farCause: fc.constantFrom(
      "normal_clearing",
      "time_limit",
      "user_busy",
      "timeout",
      "call_rejected",
      "not_found",
      "originator_cancel",
      "unspecified",
      "novelty",
    ),
    sipStatus: fc.constantFrom(200, 408, 486, 487, 503),
    source: fc.constantFrom("caller", "callee", "unknown"),
    costs: fc.array(fc.bigInt({ min: 0n, max: 10_000n }), { maxLength: 3 }),
    own: fc.subarray(["cancelled", "ticket_expired", "limit_passed", "account_frozen", "credit_owed", "access_ended"] as const),
    found: fc.subarray(["found_ended", "found_lost"] as const),
    foundMs: ms,
  })
  .map((c) => {
    const answerAt = T0 + c.ringMs;
    const endAt = answerAt + c.talkMs;
    const facts: Fact[] = [
      { kind: "initiated", leg: "parked", atMs: T0 },
      { kind: "initiated", leg: "far", atMs: T0 + 1 },
      ...c.costs.map((micros): Fact => ({ kind: "cost", leg: "far", atMs: endAt, micros })),
      ...c.own.map((kind): Fact => ({ kind, leg: null, atMs: T0 + c.foundMs })),
      ...c.found.map((kind): Fact =>
        kind === "found_ended"
          ? { kind, leg: "far", atMs: T0 + c.foundMs, answeredAtMs: null }
          : { kind, leg: "far", atMs: T0 + c.foundMs },
      ),
    ];
    if (c.answered)
      facts.push({ kind: "answered", leg: "far", atMs: answerAt }, { kind: "answered", leg: "parked", atMs: answerAt + 2 });
    if (c.ended) facts.push(hangup("far", endAt, c.farCause, c), hangup("parked", endAt + 1, "normal_clearing"));
    return facts;
  });

describe("the state of a call", () => {
  test("does not depend on the order or repetition of facts", () => {
    fc.assert(
      fc.property(
        factSets.chain((facts) =>
          fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length }), fc.subarray(facts)),
        ),
        ([facts, shuffled, again]) => {
          expect(deriveOutcome([...shuffled, ...again], LIMIT)).toEqual(deriveOutcome(facts, LIMIT));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("never implies a charge above the hold, below zero, or without an answer", () => {
    fc.assert(
      fc.property(
        factSets.chain((facts) => fc.subarray(facts)),
        (facts) => {
          const outcome = deriveOutcome(facts, LIMIT);
          const live = ["initiated", "ringing", "in-progress"];
          expect(outcome.end === null ? live : [outcome.answeredAtMs === null ? "failed" : "completed"]).toContain(
            outcome.status,
          );
          const maxMs = facts.some((fact) => fact.kind === "answered") ? MAX_SECONDS * 1000 : 0;
          expect(outcome.end?.durationMs ?? 0).toBeGreaterThanOrEqual(0);
          expect(outcome.end?.durationMs ?? 0).toBeLessThanOrEqual(maxMs);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("has the duration from the far leg's answer to its end, whatever the browser's leg does", () => {
    const outcome = deriveOutcome(
      [
        { kind: "initiated", leg: "parked", atMs: T0 },
        { kind: "answered", leg: "parked", atMs: T0 + 10 },
        { kind: "initiated", leg: "far", atMs: T0 + 20 },
        { kind: "answered", leg: "far", atMs: T0 + 5_000 },
        hangup("far", T0 + 65_001, "normal_clearing"),
        hangup("parked", T0 + 90_000, "normal_clearing"),
      ],
      LIMIT,
    );
    expect(outcome).toMatchObject({ status: "completed", end: { durationMs: 60_001, reason: "hangup" } });
  });

  test.each([
    ["caller", "unknown", "caller"],
    ["callee", "caller", "callee"],
    ["unknown", "caller", "caller"],
    ["unknown", "unknown", null],
  ] as const)("names the side that hung up according to the provider: far leg %s, browser's leg %s", (far, parked, hungUpBy) => {
    const facts: Fact[] = [
      { kind: "answered", leg: "far", atMs: T0 },
      hangup("far", T0 + 1_000, "normal_clearing", { source: far }),
      hangup("parked", T0 + 900, "normal_clearing", { source: parked }),
    ];
    expect(deriveOutcome(facts, LIMIT).end).toMatchObject({ reason: "hangup", hungUpBy });
    const cut: Fact = { kind: "account_frozen", leg: null, atMs: T0 + 800 };
    expect(deriveOutcome([...facts, cut], LIMIT).end).toMatchObject({ reason: "refused", hungUpBy: null });
  });

  test("needs proof if the far leg's answer may have been missed", () => {
    const facts: Fact[] = [
      { kind: "initiated", leg: "parked", atMs: T0 },
      { kind: "initiated", leg: "far", atMs: T0 },
      hangup("far", T0 + 60_000, "normal_clearing"),
    ];
    expect(deriveOutcome(facts, LIMIT)).toMatchObject({ end: null, needsProof: true });
    const proven = deriveOutcome(
      [...facts, { kind: "found_ended", leg: "far", atMs: T0 + 60_000, answeredAtMs: T0 + 10_000 }],
      LIMIT,
    );
    expect(proven).toMatchObject({ status: "completed", end: { durationMs: 50_000 } });
    const refuted = deriveOutcome([...facts, { kind: "found_ended", leg: "far", atMs: T0 + 60_000, answeredAtMs: null }], LIMIT);
    expect(refuted).toMatchObject({ status: "failed", end: { durationMs: 0 } });
  });

  test.each([
    ["user_busy", 486, "callee", "busy"],
    ["timeout", 480, "unknown", "no_answer"],
    ["no_answer", 408, "callee", "no_answer"],
    ["call_rejected", 603, "callee", "rejected"],
    ["originator_cancel", 487, "caller", "cancelled"],
    ["not_found", 404, "callee", "invalid_number"],
    ["call_rejected", 403, "unknown", "network_failure"],
    ["call_rejected", 403, "callee", "rejected"],
    ["normal_clearing", 487, "caller", "cancelled"],
    ["media_timeout", 408, "caller", "sound_blocked"],
  ])("of an unanswered call with cause %s (SIP %i) has the end reason %s", (cause, sipStatus, source, reason) => {
    const outcome = deriveOutcome(
      [{ kind: "initiated", leg: "far", atMs: T0 }, hangup("far", T0 + 1_000, cause, { sipStatus, source })],
      LIMIT,
    );
    expect(outcome).toMatchObject({ status: "failed", end: { reason, durationMs: 0 } });
  });

  test.each([
    ["normal_clearing", 200, "hangup"],
    ["time_limit", 200, "credit_used_up"],
    ["unspecified", 503, "connection_lost"],
    ["something_new", 200, "hangup"],
  ])("of an answered call with cause %s (SIP %i) has the end reason %s", (cause, sipStatus, reason) => {
    const facts: Fact[] = [{ kind: "answered", leg: "far", atMs: T0 }, hangup("far", T0 + 1_000, cause, { sipStatus })];
    expect(deriveOutcome(facts, LIMIT)).toMatchObject({ status: "completed", end: { reason } });
  });

  test("of a call cut at its limit has that limit's end reason: the credit, or the longest call allowed", () => {
    const facts: Fact[] = [{ kind: "answered", leg: "far", atMs: T0 }, hangup("far", T0 + MAX_SECONDS * 1000, "time_limit")];
    expect(deriveOutcome(facts, { ...LIMIT, reason: "time_limit" })).toMatchObject({ end: { reason: "time_limit" } });
  });

  test("adds up the carrier's costs of the legs, once each", () => {
    const cost = (leg: "parked" | "far", micros: bigint): Fact => ({ kind: "cost", leg, atMs: T0, micros });
    expect(deriveOutcome([cost("far", 14_000n), cost("parked", 2_000n), cost("far", 14_000n)], LIMIT).carrierCostMicros).toBe(
      16_000n,
    );
  });

  test("has a carrier cost of zero once zero is reported, and null before", () => {
    expect(deriveOutcome([{ kind: "cost", leg: "far", atMs: T0, micros: 0n }], LIMIT).carrierCostMicros).toBe(0n);
    expect(deriveOutcome([], LIMIT).carrierCostMicros).toBeNull();
  });

  test("uses the earliest of several ends, and is deterministic for simultaneous ones", () => {
    const answered: Fact = { kind: "answered", leg: "far", atMs: 500 };
    const ends = [hangup("far", 1_000, "normal_clearing"), hangup("far", 900, "time_limit")];
    expect(deriveOutcome([answered, ...ends], LIMIT).end).toMatchObject({ atMs: 900, reason: "credit_used_up" });
    const equal = [hangup("far", 900, "normal_clearing"), hangup("far", 900, "time_limit")];
    expect(deriveOutcome([answered, ...equal], LIMIT)).toEqual(deriveOutcome([answered, ...equal.toReversed()], LIMIT));
  });
});

const dialled: Fact = { kind: "initiated", leg: "parked", atMs: T0 };
const rings: Fact = { kind: "initiated", leg: "far", atMs: T0 };
const answers: Fact = { kind: "answered", leg: "far", atMs: T0 + 5_000 };
const browserAnswers: Fact = { kind: "answered", leg: "parked", atMs: T0 + 5_100 };
const limitPassed: Fact = { kind: "limit_passed", leg: null, atMs: T0 + 700_000 };
const found = (kind: "found_ended" | "found_lost", leg: "parked" | "far", answeredAtMs: number | null = null): Fact =>
  kind === "found_ended" ? { kind, leg, atMs: T0 + 90_000, answeredAtMs } : { kind, leg, atMs: T0 + 90_000 };
const own = (kind: "cancelled" | "ticket_expired" | "account_frozen", atMs = T0 + 100): Fact => ({ kind, leg: null, atMs });

describe("a call is live", () => {
  test.each<[string, Fact[], { status: string; needsProof: boolean }]>([
    ["before the first event", [], { status: "initiated", needsProof: false }],
    ["while the called side rings", [dialled, rings], { status: "ringing", needsProof: false }],
    ["after the answer", [dialled, rings, answers], { status: "in-progress", needsProof: false }],
    ["until the far leg's end is proven", [rings, hangup("far", T0, "unspecified")], { status: "ringing", needsProof: true }],
    [
      "until the browser's end is proven, without events of the far leg",
      [dialled, hangup("parked", T0, "normal_clearing")],
      { status: "initiated", needsProof: true },
    ],
    [
      "when only a cost of the far leg is known",
      [dialled, { kind: "cost", leg: "far", atMs: T0, micros: 1n }],
      { status: "initiated", needsProof: false },
    ],
  ])("%s", (_when, facts, expected) => {
    expect(deriveOutcome(facts, LIMIT)).toMatchObject({ ...expected, end: null });
  });
});

describe("a dialled call ends", () => {
  test.each<[string, Fact[], object]>([
    [
      "at its limit, when its end was missed",
      [rings, answers, limitPassed],
      { atMs: T0 + 605_000, reason: "credit_used_up", durationMs: 600_000 },
    ],
    [
      "unanswered, without more events until its limit",
      [rings, limitPassed],
      { atMs: T0 + 700_000, reason: "no_answer", durationMs: 0 },
    ],
    [
      "unanswered, when it was found ended after its limit",
      [rings, limitPassed, found("found_ended", "far")],
      { atMs: T0 + 90_000, reason: "network_failure" },
    ],
    [
      "at the provider's end time, if its end was missed",
      [rings, answers, found("found_ended", "far")],
      { atMs: T0 + 90_000, reason: "hangup", durationMs: 85_000 },
    ],
    [
      "at the provider's times, if answer and end were missed",
      [rings, found("found_ended", "far", T0 + 80_000)],
      { reason: "hangup", durationMs: 10_000 },
    ],
    [
      "when the provider no longer knows it",
      [rings, answers, found("found_lost", "far")],
      { atMs: T0 + 90_000, reason: "connection_lost", durationMs: 85_000 },
    ],
    [
      "when the provider no longer knows it, before an answer",
      [rings, found("found_lost", "far")],
      { atMs: T0 + 90_000, reason: "network_failure", durationMs: 0 },
    ],
    [
      "by the browser's answer, when the far one was missed",
      [rings, browserAnswers, found("found_lost", "far")],
      { reason: "connection_lost", durationMs: 84_900 },
    ],
    [
      "by the browser's answer, when the provider cannot tell",
      [rings, browserAnswers, hangup("far", T0 + 65_100, "normal_clearing"), found("found_lost", "far")],
      { atMs: T0 + 65_100, reason: "hangup", durationMs: 60_000 },
    ],
    [
      "unanswered, when the provider cannot tell and no leg was answered",
      [rings, hangup("far", T0 + 65_100, "normal_clearing"), found("found_lost", "far")],
      { atMs: T0 + 65_100, reason: "cancelled", durationMs: 0 },
    ],
    [
      "never before its answer",
      [rings, answers, hangup("far", T0 + 4_000, "normal_clearing")],
      { atMs: T0 + 5_000, durationMs: 0 },
    ],
    [
      "refused, when the service ended it",
      [rings, answers, own("account_frozen"), hangup("far", T0 + 6_000, "normal_clearing")],
      { reason: "refused" },
    ],
    [
      "by its limit, even if the account was frozen during the call",
      [rings, answers, own("account_frozen"), hangup("far", T0 + 6_000, "time_limit")],
      { reason: "credit_used_up" },
    ],
  ])("%s", (_how, facts, end) => {
    expect(deriveOutcome(facts, LIMIT)).toMatchObject({ end, needsProof: false });
  });

  test("with a duration of at most what its hold pays for", () => {
    const facts = [rings, answers, hangup("far", T0 + 65_000, "normal_clearing")];
    expect(deriveOutcome(facts, { ...LIMIT, paidSeconds: 30 }).end?.durationMs).toBe(30_000);
  });
});

describe("a call without a far leg ends", () => {
  const failed = (callerGone: boolean): Fact => ({ kind: "transfer_failed", leg: null, atMs: T0 + 200, callerGone });
  test.each<[string, Fact[], object]>([
    ["when it could not be dialled", [dialled, failed(false)], { atMs: T0 + 200, reason: "network_failure" }],
    [
      "when the caller had left before",
      [dialled, failed(true), hangup("parked", T0 + 150, "normal_clearing")],
      { atMs: T0 + 150, reason: "cancelled" },
    ],
    [
      "when the browser left before it was parked",
      [hangup("parked", T0 + 150, "normal_clearing")],
      { atMs: T0 + 150, reason: "cancelled" },
    ],
    ["when it was cancelled", [own("cancelled"), own("ticket_expired", T0 + 50)], { atMs: T0 + 100, reason: "cancelled" }],
    ["refused, when the service ended it", [own("cancelled"), own("account_frozen")], { reason: "refused" }],
    ["when its ticket was not used", [own("ticket_expired")], { atMs: T0 + 100, reason: "never_connected" }],
    [
      "unanswered, according to the provider",
      [dialled, found("found_ended", "parked")],
      { atMs: T0 + 90_000, reason: "network_failure", durationMs: 0 },
    ],
    [
      "unanswered, according to the browser's leg",
      [dialled, hangup("parked", T0 + 900, "user_busy"), found("found_ended", "parked")],
      { atMs: T0 + 900, reason: "busy" },
    ],
    [
      "answered, according to the provider",
      [dialled, found("found_ended", "parked", T0 + 80_000)],
      { reason: "connection_lost", durationMs: 10_000 },
    ],
    [
      "answered, according to the browser's leg",
      [dialled, browserAnswers, hangup("parked", T0 + 65_100, "normal_clearing"), found("found_lost", "parked")],
      { reason: "hangup", durationMs: 60_000 },
    ],
    [
      "answered, and lost",
      [dialled, browserAnswers, found("found_lost", "parked")],
      { reason: "connection_lost", durationMs: 84_900 },
    ],
  ])("%s", (_how, facts, end) => {
    expect(deriveOutcome(facts, LIMIT).end).toMatchObject(end);
  });
});

describe("the silence before the exchange gives up a lost side", () => {
  type End = { cause?: string; sipStatus?: number; source?: string };
  const talked = (endMs: number, heardUntilMs: number, end: End = {}) => [
    { kind: "answered", leg: "far", atMs: T0 } as const,
    hangup("far", T0 + endMs, end.cause ?? "unspecified", {
      sipStatus: end.sipStatus ?? 408,
      source: end.source ?? "caller",
      heardUntilMs: T0 + heardUntilMs,
    }),
  ];
  const charged = (facts: readonly Fact[], limit = {}) => deriveOutcome(facts, { ...LIMIT, ...limit }).end?.durationMs;

  const sources = [["caller", false] as const, ["callee", false] as const, ["unknown", true] as const];
  test.each(sources)("may be free, although the call lasted longer, after an end by %s", (source, isOurFault) => {
    const { end } = deriveOutcome(talked(60_000, 15_000, { source }), LIMIT);
    const silence = { ms: 45_000, isOurFault };
    expect(end).toMatchObject({ atMs: T0 + 60_000, reason: "connection_lost", durationMs: 15_000, silence });
  });

  test("may be free only up to what the hold pays for", () => {
    const { end } = deriveOutcome(talked(60_000, 15_000), { ...LIMIT, paidSeconds: 40 });
    expect(end).toMatchObject({ durationMs: 15_000, silence: { ms: 25_000 } });
  });

  test("is charged if the called side could profit from it", () => {
    expect(charged(talked(60_000, 15_000), { silenceMayBeFree: false })).toBe(60_000);
  });

  test("may be free for at most a minute, and not longer than the call", () => {
    expect(charged(talked(120_000, 15_000))).toBe(60_000);
    expect(charged(talked(30_000, -10_000))).toBe(0);
    expect(charged(talked(30_000, 40_000))).toBe(30_000);
  });

  test("is charged if a side hung up or the call was cut", () => {
    expect(charged(talked(60_000, 15_000, { cause: "normal_clearing", sipStatus: 200 }))).toBe(60_000);
    expect(charged(talked(60_000, 15_000, { cause: "time_limit", sipStatus: 200 }))).toBe(60_000);
  });
});
