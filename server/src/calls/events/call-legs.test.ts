import { describe, expect, test } from "vitest";
import type { LegIdentity } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import type { ProviderEvent } from "./read-provider-event.ts";
import { legChanges, legIdentityOf, ownsLeg, wasCommanded } from "./call-legs.ts";

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

test("a leg without a session id may still have been commanded", () => {
  expect(wasCommanded(call, { ...leg, sessionId: null })).toBe(true);
  expect(wasCommanded({ ...call, session_id: null }, leg)).toBe(true);
});

test("a known leg's number may be missing but must not differ", () => {
  expect(wasCommanded(call, { ...leg, to: null })).toBe(false);
  expect(wasCommanded(call, { ...leg, to: null }, true)).toBe(true);
  expect(wasCommanded(call, { ...leg, to: "+8816123456789" }, true)).toBe(false);
});

describe("a leg belongs to the call", () => {
  const identity = (overrides: Partial<LegIdentity>): LegIdentity => ({
    leg: "far",
    callControlId: "far",
    legId: "far-leg",
    sessionId: "session",
    to: "+442079460000",
    shown: null,
    ...overrides,
  });
  const fresh = { ...call, far_call_control_id: null, parked_leg_id: null, far_leg_id: null, ticket_used_at: null } as CallRow;
  const dialled = { ...fresh, far_call_control_id: "far" } as CallRow;

  test("if it was commanded or is already known", () => {
    expect(ownsLeg(fresh, identity({}), "answered")).toBe(true);
    expect(ownsLeg(dialled, identity({ to: null }), "answered")).toBe(true);
    expect(ownsLeg(fresh, identity({ leg: "parked", callControlId: "parked", to: null }), "hangup")).toBe(true);
    const neverParked = { ...fresh, parked_call_control_id: null };
    expect(ownsLeg(neverParked, identity({ leg: "parked", callControlId: "parked", to: null }), "hangup")).toBe(true);
  });

  test("if its event only reports a cost, because that connects nobody", () => {
    expect(ownsLeg(fresh, identity({ to: null }), "cost")).toBe(true);
    expect(ownsLeg(fresh, identity({ to: null }), "answered")).toBe(false);
  });

  test("but not in the role of another known leg, which stays the call's", () => {
    expect(ownsLeg(dialled, identity({ callControlId: "second" }), "answered")).toBe(false);
    expect(ownsLeg(fresh, identity({ callControlId: "parked" }), "answered")).toBe(false);
    expect(ownsLeg(dialled, identity({ leg: "parked", callControlId: "second" }), "hangup")).toBe(false);
  });

  test("and its first event fills in its ids without replacing known values", () => {
    const now = new Date(0);
    expect(legChanges(fresh, identity({}), now)).toEqual({
      far_call_control_id: "far",
      far_leg_id: "far-leg",
      session_id: "session",
    });
    expect(legChanges({ ...fresh, far_leg_id: "first", session_id: null }, identity({ shown: "+15550100" }), now)).toEqual({
      far_call_control_id: "far",
      far_leg_id: "first",
      session_id: "session",
      caller_number: "+15550100",
    });
    const used = new Date(5);
    const parked = identity({ leg: "parked", callControlId: "parked", legId: "leg" });
    expect(legChanges(fresh, parked, now)).toMatchObject({ parked_leg_id: "leg", ticket_used_at: now });
    expect(legChanges({ ...fresh, parked_leg_id: "first", ticket_used_at: used }, parked, now)).toEqual({
      parked_call_control_id: "parked",
      parked_leg_id: "first",
      session_id: "session",
      ticket_used_at: used,
    });
  });
});

test("the caller id is read only once a carrier has the far leg", () => {
  const shown = (role: "far" | "parked", kind: ProviderEvent["kind"]) =>
    legIdentityOf({ to: "+442079460000", from: "+14155550100", kind } as ProviderEvent, role).shown;
  expect([shown("far", "answered"), shown("far", "hangup")]).toEqual(["+14155550100", "+14155550100"]);
  expect([shown("far", "initiated"), shown("far", "bridged"), shown("far", "cost")]).toEqual([null, null, null]);
  expect([shown("parked", "answered"), shown("parked", "hangup")]).toEqual([null, null]);
});
