import { expect, test } from "vitest";
import { browserTests } from "./browser-report.ts";

const failed = (message: string) => ({
  projectName: "pages",
  status: "unexpected" as const,
  results: [{ errors: [{ message }] }],
});
const passed = { projectName: "pages", status: "expected" as const, results: [{ errors: [] }] };

test("a failed browser test is repeated with its place and message, without colours", () => {
  const spec = { title: "pays", file: "money/card.spec.ts", line: 7, tests: [failed("\u001b[31mexpected 2\u001b[39m"), passed] };
  const report = { suites: [{ specs: [], suites: [{ specs: [spec] }] }], errors: [] };
  expect(browserTests(report)).toEqual({
    passed: 1,
    failures: ["FAILED [pages] e2e/money/card.spec.ts:7: pays\nexpected 2"],
  });
});

test("an error outside of tests fails the run, and a long message is cut", () => {
  const { passed: count, failures } = browserTests({ suites: [], errors: [{ message: "x".repeat(100_000) }] });
  expect(count).toBe(0);
  expect(failures).toHaveLength(1);
  expect(failures[0]?.length).toBeLessThan(2_000);
});
