import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readSessionExpires, type SessionExpires, SessionTimer } from "./session-timer.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function timer(answers: (SessionExpires | null | Error)[] = []) {
  const counts = { refreshes: 0, expired: 0 };
  const session = new SessionTimer({
    refresh: async () => {
      counts.refreshes += 1;
      const answer = answers.shift() ?? null;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onExpired: () => void (counts.expired += 1),
  });
  return { session, counts };
}

describe("a session timer", () => {
  it("refreshes at half time, repeatedly, if we are the refresher", async () => {
    const terms = { seconds: 1_800, refresher: "uac" } as const;
    const { session, counts } = timer([terms, terms]);
    session.agreed(terms);
    await vi.advanceTimersByTimeAsync(899_999);
    expect(counts.refreshes).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(counts.refreshes).toBe(1);
    await vi.advanceTimersByTimeAsync(900_000);
    expect(counts).toEqual({ refreshes: 2, expired: 0 });
  });

  it("expires a session that cannot be refreshed, shortly before the far end would", async () => {
    const { session, counts } = timer(Array.from({ length: 100 }, () => new Error("no answer")));
    session.agreed({ seconds: 90, refresher: null });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(counts.expired).toBe(1);
    expect(counts.refreshes).toBe(2);
  });

  it("expires a session that the far end does not refresh, but not one that it does", async () => {
    const { session, counts } = timer();
    session.agreed({ seconds: 90, refresher: "uas" });
    await vi.advanceTimersByTimeAsync(59_000);
    session.refreshed({ seconds: 90, refresher: "uac" });
    expect(session.headers).toEqual(["Session-Expires: 90;refresher=uac", "Require: timer"]);
    await vi.advanceTimersByTimeAsync(59_000);
    session.refreshed(null);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(counts.expired).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(counts).toEqual({ refreshes: 0, expired: 1 });
  });

  it("does nothing without terms or after it is stopped", async () => {
    const { session, counts } = timer();
    session.agreed(null);
    session.refreshed(null);
    expect(session.headers).toEqual([]);
    session.agreed({ seconds: 90, refresher: "uas" });
    session.stop();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(counts).toEqual({ refreshes: 0, expired: 0 });
  });
});

describe("Session-Expires", () => {
  it.each([
    ["1800;refresher=uac", { seconds: 1_800, refresher: "uac" }],
    [" 90 ; refresher=UAS;x=y", { seconds: 90, refresher: "uas" }],
    ["600", { seconds: 600, refresher: null }],
    ["89", null],
    ["soon", null],
    [undefined, null],
  ])("%s is parsed", (header, terms) => {
    expect(readSessionExpires(header)).toEqual(terms);
  });
});
