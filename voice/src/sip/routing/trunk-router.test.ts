import { describe, expect, it } from "vitest";
import { trunkTo } from "../../../test/sip-bench.ts";
import { silentLog } from "../../../test/scripted-ports.ts";
import { MAX_ATTEMPTS } from "../../call-route.ts";
import type { FarEnd, TrunkConfig } from "../trunk.ts";
import { MAX_FAULTS } from "./circuit-breaker.ts";
import { TrunkRouter } from "./trunk-router.ts";

const LONDON = "+442079460000";
const CALL = { to: LONDON, codec: "g711", log: silentLog } as const;
const main = trunkTo(1, { name: "main" });
const spare = trunkTo(2, { name: "spare", priority: 1 });
const rate = (ratePerMinuteMicros: bigint) => ({ ratePerMinuteMicros, firstIntervalSeconds: 1, nextIntervalSeconds: 1 });
const end = (trunk: string, more: Partial<FarEnd> = {}): FarEnd => ({
  sipStatus: 503,
  reason: "",
  q850Cause: null,
  by: "callee",
  answered: false,
  trunk,
  ...more,
});

function route(trunks: readonly TrunkConfig[], more: { isDown?: (trunk: string) => boolean } = {}): TrunkRouter {
  const router = new TrunkRouter({ log: silentLog, now: () => 0, random: () => 0, ...more });
  router.use(trunks);
  return router;
}

it("Opus is used if at least one trunk serves the number and all that do support Opus", () => {
  const opus = { ...main, opus: true };
  expect(route([opus, { ...spare, opus: true }]).supportsOpus(LONDON)).toBe(true);
  expect(route([opus, spare]).supportsOpus(LONDON)).toBe(false);
  expect(route([opus, { ...spare, prefixes: ["1"] }]).supportsOpus(LONDON)).toBe(true);
  expect(route([{ ...opus, prefixes: ["1"] }]).supportsOpus(LONDON)).toBe(false);
});

describe("the trunks of a call", () => {
  it("are tried in order, each with its outcome in the route", () => {
    const plan = route([main, spare]).plan(CALL);
    expect(plan.route).toEqual({ trunk: null, cost: null, attempts: [] });
    plan.next()?.ended(end("main", { q850Cause: 41 }));
    const second = plan.next();
    second?.progressed();
    second?.answered();
    expect(plan.next()).toBeNull();
    expect(plan.route).toMatchObject({
      trunk: "spare",
      attempts: [
        { trunk: "main", sipStatus: 503, q850Cause: 41, postDialDelayMs: null, outcome: "failed" },
        { trunk: "spare", sipStatus: 200, postDialDelayMs: expect.any(Number), outcome: "answered" },
      ],
    });
  });

  it.each([
    ["refused", end("main", { sipStatus: 486 }), 486],
    ["refused", end("main", { sipStatus: 503, q850Cause: 17 }), 503],
    ["silent", end("main", { sipStatus: 408, by: "failure" }), null],
    ["failed", end("main", { sipStatus: 488, by: "failure" }), 488],
    ["cancelled", end("main", { sipStatus: 487, by: "us" }), null],
    ["unanswered", end("main", { sipStatus: 487, by: "timeout" }), null],
  ])("get the outcome %s", (outcome, how, sipStatus) => {
    const plan = route([main]).plan(CALL);
    plan.next()?.ended(how);
    expect(plan.route.attempts).toMatchObject([{ outcome, sipStatus }]);
  });

  it.each([
    ["spare", end("main", { retryAfterSeconds: 30 })],
    ["main", end("main", { retryAfterSeconds: 0 })],
    ["main", end("main", { retryAfterSeconds: 30, q850Cause: 17 })],
  ])("begin with %s after a 503 of the main one: %o", (first, how) => {
    const router = route([main, spare]);
    router.plan(CALL).next()?.ended(how);
    expect(router.plan(CALL).next()?.offer.trunk.name).toBe(first);
  });

  it("are skipped at their limits, and available again after the call", () => {
    const router = route([{ ...main, maxCalls: 1 }, spare]);
    const first = router.plan(CALL).next();
    expect(router.plan(CALL).next()?.offer.trunk.name).toBe("spare");
    first?.answered();
    expect(router.plan(CALL).next()?.offer.trunk.name).toBe("spare");
    first?.ended(end("main", { answered: true }));
    expect(router.plan(CALL).next()?.offer.trunk.name).toBe("main");
  });

  it("come with a reason if none is available", () => {
    expect(route([{ ...main, prefixes: ["1"] }]).plan(CALL).refusal).toBe("No trunk takes this call");
    const prices = { sale: rate(10_000n), costs: new Map([["main", rate(10_000n)]]) };
    expect(route([main]).plan({ ...CALL, prices }).refusal).toBe("No trunk carries this call for its price");
    const full = route([{ ...main, maxCalls: 1 }]);
    full.plan(CALL).next();
    const plan = full.plan(CALL);
    expect([plan.next(), plan.refusal]).toEqual([null, "Every trunk is at its limit"]);
  });

  it("are tried at most MAX_ATTEMPTS times", () => {
    const plan = route(Array.from({ length: 20 }, (_, index) => trunkTo(index + 1))).plan(CALL);
    const taken = Array.from({ length: 20 }, () => plan.next()).filter((one) => one !== null);
    expect(taken).toHaveLength(MAX_ATTEMPTS);
  });
});

it("an Opus call uses only trunks that support Opus", () => {
  const plan = route([main, { ...spare, opus: true }]).plan({ ...CALL, codec: "opus" });
  expect([plan.next()?.offer.trunk.name, plan.next()]).toEqual(["spare", null]);
});

describe("a failing trunk", () => {
  const order = (router: TrunkRouter): (string | undefined)[] => {
    const plan = router.plan(CALL);
    return [plan.next(), plan.next()].map((one) => one?.offer.trunk.name);
  };

  it("is tried last, and still takes calls if it is the only one", () => {
    const [router, alone] = [route([main, spare]), route([main])];
    for (const one of [router, alone])
      for (let faults = 0; faults < MAX_FAULTS; faults++)
        one
          .plan({ ...CALL, to: `+4420794600${faults}0` })
          .next()
          ?.ended(end("main"));
    expect(order(router)).toEqual(["spare", "main"]);
    expect(order(alone)).toEqual(["main", undefined]);
  });

  it("is tried last from the first call on if its carrier refuses our account", () => {
    const router = route([main, spare]);
    router
      .plan(CALL)
      .next()
      ?.ended(end("main", { sipStatus: 402 }));
    expect(order(router)).toEqual(["spare", "main"]);
    expect([router.isFailing("main"), router.isFailing("spare")]).toEqual([true, false]);
  });

  it("is ordered like one that fails OPTIONS", () => {
    expect(order(route([main, spare], { isDown: (trunk) => trunk === "main" }))).toEqual(["spare", "main"]);
  });
});
