import { expect, test } from "vitest";
import { deriveOutcome, type Fact } from "../events/derive-outcome.ts";

const LIMIT = { seconds: 600, paidSeconds: 600, reason: "credit_used_up", silenceMayBeFree: true } as const;
const T0 = Date.UTC(2026, 0, 1);

test("the browser leg's answer does not count if the service answered it or a detail record contradicts it", () => {
  const facts: Fact[] = [
    { kind: "initiated", leg: "far", atMs: T0 },
    { kind: "answered", leg: "parked", atMs: T0 + 1_000 },
    { kind: "found_lost", leg: "far", atMs: T0 + 30_000 },
  ];
  expect(deriveOutcome(facts, LIMIT)).toMatchObject({ status: "completed", end: { durationMs: 29_000 } });
  const byService: Fact = { kind: "parked_leg_answered", leg: null, atMs: T0 + 500 };
  expect(deriveOutcome([...facts, byService], LIMIT)).toMatchObject({ status: "failed", end: { durationMs: 0 } });
  const record: Fact = { kind: "found_record", leg: "far", atMs: T0 + 30_000, answeredAtMs: null };
  expect(deriveOutcome([...facts, record], LIMIT)).toMatchObject({ status: "failed", end: { durationMs: 0 } });
});
