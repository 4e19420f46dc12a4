import { expect, test } from "vitest";
import { endReasonKey } from "./call-outcome.ts";

const AT = "2026-11-26T08:00:00.000Z";

test("a call that was refused could not be placed before its answer, and was ended by us after it", () => {
  expect(endReasonKey("refused", null)).toBe("endReason.refused");
  expect(endReasonKey("refused", { hung_up_by: null, answered_at: null })).toBe("endReason.refused");
  expect(endReasonKey("refused", { hung_up_by: null, answered_at: AT })).toBe("endReason.ended_by_us");
});

test("a normal end names the side that hung up, if known", () => {
  expect(endReasonKey("hangup", { hung_up_by: "callee", answered_at: AT })).toBe("endReason.hangup_callee");
  expect(endReasonKey("hangup", { hung_up_by: null, answered_at: AT })).toBe("endReason.hangup");
});
