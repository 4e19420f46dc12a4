import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isAccountRefusal, isTrunkFault, refusesAllCalls } from "./trunk-fault.ts";

const refusal = (sipStatus: number, q850Cause: number | null = null) => ({ by: "callee", sipStatus, q850Cause }) as const;

describe("a refused call goes to the next trunk", () => {
  it.each([302, 380, 401, 402, 403, 407, 408, 415, 421, 429, 483, 488, 500, 503])("after %i", (status) => {
    expect(isTrunkFault(refusal(status))).toBe(true);
  });

  it.each([
    [404, 3],
    [480, 34],
    [480, 38],
    [486, 42],
  ])("after %i with the Q.850 cause %i of the network", (status, cause) => {
    expect(isTrunkFault(refusal(status, cause))).toBe(true);
  });

  it("after a failure of ours, but not after a hang-up or the ring time-out", () => {
    expect(isTrunkFault({ by: "failure", sipStatus: 503, q850Cause: null })).toBe(true);
    for (const by of ["us", "timeout"] as const) expect(isTrunkFault({ by, sipStatus: 487, q850Cause: null })).toBe(false);
  });
});

describe("a refused call ends", () => {
  it.each([404, 410, 420, 480, 484, 486, 487, 600, 603, 604, 607, 608])("after %i", (status) => {
    expect(isTrunkFault(refusal(status))).toBe(false);
  });

  it.each([
    [403, 21],
    [404, 1],
    [480, 17],
    [503, 17],
    [603, 34],
  ])("after %i with the Q.850 cause %i", (status, cause) => {
    expect(isTrunkFault(refusal(status, cause))).toBe(false);
  });
});

it("a refusal of our account is told from one of the callee", () => {
  for (const status of [401, 402, 403, 407]) expect(isAccountRefusal(refusal(status))).toBe(true);
  expect(isAccountRefusal(refusal(403, 21))).toBe(false);
  expect(isAccountRefusal(refusal(503))).toBe(false);
});

it("a refusal of all calls is told from one that may concern the number", () => {
  for (const status of [401, 402, 407]) expect(refusesAllCalls(refusal(status))).toBe(true);
  for (const [status, cause] of [
    [403, null],
    [404, 3],
    [402, 17],
    [503, null],
  ] as const)
    expect(refusesAllCalls(refusal(status, cause))).toBe(false);
});

it("the table for operators names each status and cause", () => {
  const document = readFileSync(new URL("../../../../docs/operate/voice.md", import.meta.url), "utf8");
  const table = /\| refusal \|[\s\S]*?\n\n/.exec(document)?.[0] ?? "";
  for (const status of [401, 402, 403, 407, 408, 415, 421, 429, 483, 488]) expect(table).toContain(String(status));
  for (const cause of [1, 2, 3, 17, 18, 19, 21, 22, 28, 34, 38, 41, 42, 44, 47])
    expect(table).toMatch(new RegExp(`\\b${cause}\\b`));
});
