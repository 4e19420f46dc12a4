import { chargeFor } from "@farline/domain/calls/charge.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idlePhone, newPhoneCall, type PhoneCall } from "../../../phone/phone-state.ts";
import { callRecord } from "../../../../test/scripted-service.ts";
import { balanceAfter, callSeconds, costSoFar, creditLeft, lineDrawing, soundTrouble, statusWord } from "./call-facts.ts";

const call = (patch: Partial<PhoneCall> = {}): PhoneCall => ({
  ...newPhoneCall({ number: "+233200000142", countryCode: "GH", name: null }),
  record: callRecord("call-1"),
  ...patch,
});

describe("cost", () => {
  it("is calculated with the billing rule, including increments", () => {
    fc.assert(
      fc.property(fc.nat(20_000), fc.constantFrom([1, 1], [6, 6], [30, 6], [60, 60]), (elapsedSeconds, [first = 1, next = 1]) => {
        const record = callRecord("call-1", { first_interval_s: first, next_interval_s: next });
        const { cost, final } = costSoFar(call({ record, elapsedSeconds }));
        const rate = { ratePerMinuteMicros: 142_000n, firstIntervalSeconds: first, nextIntervalSeconds: next };
        expect(final).toBe(false);
        expect(fromDecimalString(cost)).toBe(chargeFor(elapsedSeconds, rate));
      }),
    );
  });

  it("and duration are the service's once the call is final", () => {
    const record = callRecord("call-1", { status: "completed", cost: "0.5964", duration_seconds: 252 });
    expect(costSoFar(call({ record, elapsedSeconds: 250 }))).toEqual({ cost: "0.5964", final: true });
    expect(callSeconds(call({ record, elapsedSeconds: 250 }))).toBe(252);
  });

  it("is deducted from the balance once, and never makes it negative", () => {
    expect(balanceAfter("24.60", { cost: "0.5964", final: false })).toBe("24.0036");
    expect(balanceAfter("24.00", { cost: "0.5964", final: true })).toBe("24.00");
    expect(balanceAfter("0.10", { cost: "0.5964", final: false })).toBe("0.00");
  });
});

describe("credit left", () => {
  it("is what the hold covers before the answer, and is not low yet", () => {
    expect(creditLeft(call({ record: callRecord("call-1", { max_seconds: 90 }) }))).toEqual({
      secondsLeft: 90,
      percent: 100,
      low: false,
    });
  });

  it("is low below two minutes of a running call", () => {
    expect(creditLeft(call({ secondsLeft: 120 }))?.low).toBe(false);
    expect(creditLeft(call({ secondsLeft: 119 }))).toEqual({ secondsLeft: 119, percent: 20, low: true });
  });
});

describe("state text and line", () => {
  it.each([
    ["initializing", {}, "initializing", "idle"],
    ["initializing", { callId: "call-1" }, "connecting", "idle"],
    ["ringing", {}, "ringing", "ringing"],
    ["active", {}, "active", "live"],
    ["active", { held: true }, "held", "hold"],
    ["active", { held: true, reconnecting: true }, "reconnecting", "broken"],
    ["ended", { endReason: "hangup" }, "ended", "ended"],
    ["ended", { endReason: "cancelled" }, "ended", "ended"],
    ["ended", { endReason: "busy" }, "ended", "failed"],
  ] as const)("%s %o", (status, patch, word, line) => {
    expect(statusWord(call(patch), status)).toBe(word);
    expect(lineDrawing(call(patch), status)).toBe(line);
  });
});

describe("trouble with the sound", () => {
  const heard = { ...idlePhone, devices: { ...idlePhone.devices, hasSpeaker: true } };
  it.each([
    ["active", {}, "nothingHeard"],
    ["active", { held: true }, null],
    ["active", { reconnecting: true }, null],
    ["active", { microphone: "gone" }, "gone"],
    ["ringing", {}, null],
  ] as const)("while nothing is heard from the other side and the call is %s %o", (status, patch, trouble) => {
    expect(soundTrouble({ ...heard, status, call: call({ nothingHeard: true, ...patch }) })).toBe(trouble);
  });
});
