import { expect, test } from "vitest";
import type { CallRow } from "../calls.tables.ts";
import { wasCommanded } from "./record-event.ts";

const call = { parked_call_control_id: "parked", session_id: "session", destination: "+442079460000" } as CallRow;
const leg = { to: "+442079460000", sessionId: "session" };

test("a far leg was commanded if it goes to the call's number in the parked leg's session", () => {
  expect(wasCommanded(call, leg)).toBe(true);
  expect(wasCommanded(call, { ...leg, to: "+8816123456789" })).toBe(false);
  expect(wasCommanded(call, { ...leg, sessionId: "other" })).toBe(false);
});

test("without a parked leg nothing was commanded", () => {
  expect(wasCommanded({ ...call, parked_call_control_id: null }, leg)).toBe(false);
});

test("a missing session id does not prove that a leg was not commanded", () => {
  expect(wasCommanded(call, { ...leg, sessionId: null })).toBe(true);
  expect(wasCommanded({ ...call, session_id: null }, leg)).toBe(true);
});

test("a known leg's number may be missing, but never differ", () => {
  expect(wasCommanded(call, { ...leg, to: null })).toBe(false);
  expect(wasCommanded(call, { ...leg, to: null }, true)).toBe(true);
  expect(wasCommanded(call, { ...leg, to: "+8816123456789" }, true)).toBe(false);
});
