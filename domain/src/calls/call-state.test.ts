import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isFinal, mayMove, type CallStatus } from "./call-state.ts";

const ORDER: readonly CallStatus[] = ["initiated", "ringing", "in-progress", "completed", "failed"];
const status = fc.constantFrom(...ORDER);

test("a call never moves backwards or leaves a final state, whatever the order of its events", () => {
  fc.assert(
    fc.property(fc.array(status, { maxLength: 30 }), (events) => {
      let now: CallStatus = "initiated";
      for (const next of events) {
        const before: CallStatus = now;
        if (mayMove(now, next)) now = next;
        expect(ORDER.indexOf(now)).toBeGreaterThanOrEqual(ORDER.indexOf(before));
        expect(isFinal(before) && now !== before).toBe(false);
      }
    }),
  );
});

test("a call may move through all states in order, or skip ringing", () => {
  expect(mayMove("initiated", "ringing")).toBe(true);
  expect(mayMove("ringing", "in-progress")).toBe(true);
  expect(mayMove("in-progress", "completed")).toBe(true);
  expect(mayMove("initiated", "in-progress")).toBe(true);
  expect(mayMove("ringing", "failed")).toBe(true);
});

test("a call may not move to the same state, or from one final state to the other", () => {
  for (const one of ORDER) expect(mayMove(one, one)).toBe(false);
  expect(mayMove("completed", "failed")).toBe(false);
  expect(mayMove("failed", "completed")).toBe(false);
});
