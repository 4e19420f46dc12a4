import { describe, expect, it } from "vitest";
import { isTooShort, parseMinSe, parseSessionExpires, writeSessionExpires } from "./session-expires.ts";
import { dueOf, NO_TIMER, refreshFailed, refreshSent, termsForTheirs, timerOfOurs, timerOfTheirs } from "./session-timer.ts";

describe("a session timer", () => {
  it("is refreshed by us at half time unless the peer took the role", () => {
    for (const refresher of ["uac", null] as const)
      expect(timerOfOurs({ seconds: 1_800, refresher }, 1_000)).toMatchObject({ refreshAt: 901_000, expiresAt: 1_769_000 });
    const waiting = timerOfOurs({ seconds: 90, refresher: "uas" }, 0);
    expect(waiting).toMatchObject({ refreshAt: Infinity, expiresAt: 60_000 });
    expect([dueOf(waiting, 59_999), dueOf(waiting, 60_000)]).toEqual([null, "expired"]);
  });

  it("starts again with each refresh, with the new terms or else the old ones", () => {
    const timer = timerOfTheirs(
      timerOfOurs({ seconds: 90, refresher: "uas" }, 0),
      { seconds: 120, refresher: "uac" },
      true,
      50_000,
    );
    expect(timer).toMatchObject({ agreed: { seconds: 120, byUs: false }, expiresAt: 138_000 });
    expect(termsForTheirs(timer)).toEqual({ seconds: 120, refresher: "uac" });
    expect(timerOfTheirs(timer, null, true, 100_000)).toMatchObject({ expiresAt: 188_000 });
    expect(termsForTheirs(timerOfTheirs(timer, { seconds: 120, refresher: "uas" }, true, 0))).toMatchObject({ refresher: "uas" });
  });

  it("is refreshed by us if the peer's terms are those of a proxy (RFC 4028 §9 table 2)", () => {
    const timer = timerOfTheirs(NO_TIMER, { seconds: 600, refresher: null }, false, 0);
    expect([timer.refreshAt, termsForTheirs(timer)]).toEqual([300_000, { seconds: 600, refresher: "uas" }]);
    const theirs = timerOfOurs({ seconds: 90, refresher: "uas" }, 0);
    expect(termsForTheirs(timerOfTheirs(theirs, null, false, 0))).toMatchObject({ refresher: "uas" });
  });

  it("repeats a failed refresh until the session expires, and one that met glare sooner", () => {
    const timer = timerOfOurs({ seconds: 90, refresher: "uac" }, 0);
    expect(dueOf(timer, 45_000)).toBe("refresh");
    expect(dueOf(refreshSent(timer), 46_000)).toBeNull();
    const again = refreshFailed(refreshSent(timer), false, 0, 46_000);
    expect([again.refreshAt, dueOf(again, 56_000), dueOf(again, 60_000)]).toEqual([56_000, "refresh", "expired"]);
    expect(refreshFailed(timer, true, 0.5, 0).refreshAt).toBe(3_050);
  });

  it("does nothing if none was agreed", () => {
    expect(timerOfOurs(null, 0)).toBe(NO_TIMER);
    expect(timerOfTheirs(NO_TIMER, null, true, 0)).toBe(NO_TIMER);
    expect(termsForTheirs(NO_TIMER)).toBeNull();
    expect(dueOf(NO_TIMER, 1e12)).toBeNull();
  });
});

describe("Session-Expires", () => {
  it.each([
    ["1800;refresher=uac", { seconds: 1_800, refresher: "uac" }],
    [" 90 ; refresher=UAS;x=y", { seconds: 90, refresher: "uas" }],
    ["600", { seconds: 600, refresher: null }],
    ["60;refresher=uac", { seconds: 60, refresher: "uac" }],
    ["0", { seconds: 20, refresher: null }],
    ["soon", null],
    [undefined, null],
  ] as const)("%s is parsed", (value, terms) => {
    expect(parseSessionExpires(value)).toEqual(terms);
    if (terms !== null) expect(parseSessionExpires(writeSessionExpires(terms))).toEqual(terms);
  });

  it("is refused below our minimum, if the peer understands that", () => {
    expect(isTooShort("60", true, 90)).toBe(true);
    expect(isTooShort("60", false, 90)).toBe(false);
    expect(isTooShort("90", true, 90)).toBe(false);
    expect(isTooShort(undefined, true, 90)).toBe(false);
  });

  it.each([
    ["120", 120],
    [" 90;x", 90],
    ["no", null],
    [undefined, null],
  ])("of Min-SE %s is parsed", (value, seconds) => {
    expect(parseMinSe(value)).toBe(seconds);
  });
});
