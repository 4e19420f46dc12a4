import { describe, expect, test } from "vitest";
import type { CallRow } from "../record/calls.tables.ts";
import type { Fact, Outcome } from "./derive-outcome.ts";
import { progressChanges } from "./call-progress.ts";

const now = new Date(1_000_000);
const after = (ms: number) => new Date(now.getTime() + ms);
const call = {
  status: "ringing",
  limit_seconds: 60,
  last_seen_alive_at: null,
  hangup_requested_at: null,
  ticket_used_at: null,
} as CallRow;
const running: Outcome = {
  status: "ringing",
  startedAtMs: now.getTime(),
  answeredAtMs: null,
  end: null,
  needsProof: false,
  carrierCostMicros: null,
};
const answered: Outcome = { ...running, status: "in-progress", answeredAtMs: now.getTime() };
const ended: Outcome = {
  ...running,
  status: "failed",
  end: { atMs: now.getTime(), reason: "hangup", hungUpBy: null, durationMs: 0, silence: null },
};
const hangup: Fact = { kind: "hangup", leg: "far", atMs: now.getTime() } as Fact;

describe("a call's status", () => {
  test("follows the facts and never moves back", () => {
    expect(progressChanges(call, answered, [], now).status).toBe("in-progress");
    expect(progressChanges({ ...call, status: "in-progress" }, running, [], now).status).toBe("in-progress");
  });

  test("shows the end only after the settlement", () => {
    expect(progressChanges(call, ended, [], now).status).toBe("ringing");
  });
});

describe("a call's times", () => {
  test("are set by the answer, with the end of its credit", () => {
    expect(progressChanges(call, answered, [], now)).toMatchObject({ answered_at: now, ends_at: after(60_000) });
    expect(progressChanges(call, running, [], now)).toMatchObject({ answered_at: null, ends_at: null });
  });

  test("last_seen_alive_at is the later of the stored time and the answer", () => {
    const seen = (at: Date | null, outcome: Outcome) =>
      progressChanges({ ...call, last_seen_alive_at: at }, outcome, [], now).last_seen_alive_at;
    expect(seen(null, running)).toBe(null);
    expect(seen(null, answered)).toEqual(now);
    expect(seen(after(5_000), running)).toEqual(after(5_000));
    expect(seen(after(5_000), answered)).toEqual(after(5_000));
    expect(seen(after(-5_000), answered)).toEqual(now);
  });

  test("a hang-up is requested once, when one leg of a running call is over", () => {
    const requested = (row: CallRow, outcome: Outcome, facts: readonly Fact[]) =>
      progressChanges(row, outcome, facts, now).hangup_requested_at;
    expect(requested(call, running, [])).toBe(null);
    expect(requested(call, running, [hangup])).toBe(now);
    expect(requested({ ...call, hangup_requested_at: after(-1) }, running, [hangup])).toEqual(after(-1));
    expect(requested(call, ended, [hangup])).toBe(null);
  });

  test("the end of the call closes its ticket", () => {
    expect(progressChanges(call, running, [], now)).not.toHaveProperty("ticket_used_at");
    expect(progressChanges(call, ended, [], now).ticket_used_at).toBe(now);
    expect(progressChanges({ ...call, ticket_used_at: after(-1) }, ended, [], now).ticket_used_at).toEqual(after(-1));
  });
});

describe("the next check is", () => {
  const nextCheck = (outcome: Outcome, at = now) => progressChanges(call, outcome, [], at).next_check_at;

  test("ten seconds away while the call is running", () => {
    expect(nextCheck(running)).toEqual(after(10_000));
    expect(nextCheck(answered)).toEqual(after(10_000));
  });

  test("sooner while the end is unproven or unsettled", () => {
    expect(nextCheck({ ...running, needsProof: true })).toEqual(after(2_000));
    expect(nextCheck(ended)).toEqual(after(2_000));
  });

  test("five seconds after the limit at the latest, and never in the past", () => {
    expect(nextCheck(answered, after(59_000))).toEqual(after(65_000));
    expect(nextCheck(answered, after(90_000))).toEqual(after(90_000));
  });
});
