import { expect, it } from "vitest";
import { findOffers } from "./find-offers.ts";

const LONDON = "+447400123456";
const CALL = { to: LONDON };
const everywhere = { name: "everywhere" };
const britain = { name: "britain", prefixes: ["44"] };
const mobile = { name: "mobile", prefixes: ["+4474", "+4475"] };
const america = { name: "america", prefixes: ["1"] };
const rate = (ratePerMinuteMicros: bigint, block = 1) => ({
  ratePerMinuteMicros,
  firstIntervalSeconds: block,
  nextIntervalSeconds: block,
});

it("a trunk serves the numbers of its prefixes, and the offer says how many digits match", () => {
  const { offers, problems } = findOffers([everywhere, britain, mobile, america], CALL);
  expect(offers.map(({ trunk, covered }) => [trunk.name, covered])).toEqual([
    ["everywhere", 0],
    ["britain", 2],
    ["mobile", 4],
  ]);
  expect(problems).toEqual([]);
  expect(findOffers([britain, america], { ...CALL, to: "+33123456789" }).offers).toEqual([]);
});

it("a trunk's cost comes from its price list, else from the trunk file, and a list without the number excludes the trunk", () => {
  const priced = [everywhere, britain, mobile].map((trunk) => ({ ...trunk, cost: rate(9_000n) }));
  const costs = new Map([
    ["everywhere", rate(7_000n)],
    ["britain", null],
  ]);
  const { offers, problems } = findOffers(priced, { ...CALL, prices: { sale: rate(20_000n), costs } });
  expect(offers.map(({ trunk, cost }) => [trunk.name, cost])).toEqual([
    ["everywhere", rate(7_000n)],
    ["mobile", rate(9_000n)],
  ]);
  expect(problems).toEqual([{ trunk: "britain", problem: "not_in_price_list" }]);
});

it.each([
  ["a higher price", rate(20_001n)],
  ["the same price, which leaves no margin", rate(20_000n)],
  ["a lower price in longer blocks, at which short calls lose", rate(15_000n, 60)],
])("a trunk that costs %s than the sale price never carries the call", (_what, cost) => {
  const prices = { sale: rate(20_000n), costs: new Map([["everywhere", cost]]) };
  const { offers, problems } = findOffers([everywhere, { ...britain, cost }, mobile], { ...CALL, prices });
  expect(offers.map(({ trunk }) => trunk.name)).toEqual(["mobile"]);
  expect(problems.map(({ problem }) => problem)).toEqual(["costs_too_much", "costs_too_much"]);
});
