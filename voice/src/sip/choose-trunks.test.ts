import { expect, it } from "vitest";
import { chooseTrunks } from "./choose-trunks.ts";

const everywhere = { name: "everywhere", prefixes: [] };
const britain = { name: "britain", prefixes: ["44"] };
const mobile = { name: "mobile", prefixes: ["+4474", "+4475"] };
const america = { name: "america", prefixes: ["1"] };

it("the longest prefix comes first, then the order of the configuration, and the rest follows as fail-over", () => {
  expect(chooseTrunks([everywhere, britain, mobile, america], "+447400123456").map((trunk) => trunk.name)).toEqual([
    "mobile",
    "britain",
    "everywhere",
  ]);
  expect(chooseTrunks([everywhere, { ...everywhere, name: "second" }], "+15550001111").map((trunk) => trunk.name)).toEqual([
    "everywhere",
    "second",
  ]);
});

it("a trunk without the prefix is never used", () => {
  expect(chooseTrunks([britain, america], "+33123456789")).toEqual([]);
});
