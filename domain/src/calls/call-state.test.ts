import * as fc from "fast-check";
import { expect, test } from "vitest";
import { finalStatus, isFinal, mayMove, type CallStatus } from "./call-state.ts";

const ORDER: readonly CallStatus[] = ["initiated", "ringing", "in-progress", "completed", "failed"];
const status = fc.constantFrom(...ORDER);

test("whatever events come in whatever order, a call never moves backward and never leaves its end", () => {
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

test("the ordinary course is allowed, and a missed ringing is passed over", () => {
  expect(mayMove("initiated", "ringing")).toBe(true);
  expect(mayMove("ringing", "in-progress")).toBe(true);
  expect(mayMove("in-progress", "completed")).toBe(true);
  expect(mayMove("initiated", "in-progress")).toBe(true);
  expect(mayMove("ringing", "failed")).toBe(true);
});

test("the same state again, and one end after the other, is no move", () => {
  for (const one of ORDER) expect(mayMove(one, one)).toBe(false);
  expect(mayMove("completed", "failed")).toBe(false);
  expect(mayMove("failed", "completed")).toBe(false);
});

test("only an answered call completes", () => {
  expect(finalStatus(true)).toBe("completed");
  expect(finalStatus(false)).toBe("failed");
});
