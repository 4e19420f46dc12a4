import { expect, test } from "vitest";
import { reasonUnanswered } from "./end-reason.ts";

test("a 487 means that the caller cancelled if they did, and otherwise that nobody answered", () => {
  const end = { cause: "unspecified", sipStatus: 487 };
  expect(reasonUnanswered({ ...end, cause: "normal_clearing", source: "caller" })).toBe("cancelled");
  expect(reasonUnanswered({ ...end, source: "callee" })).toBe("no_answer");
});
