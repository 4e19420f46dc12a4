import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { judgeRun, type TestRun } from "./expected-failures.ts";

const CHANGE = "server/src/operator/sql/keep_an_administrator.sql";
const REFUSED = "error: no administrator could sign in any more";
const KNOWN = [{ change: CHANGE, message: REFUSED, why: "set-ups delete every passkey" }];
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "farline-earlier-"))));
afterEach(() => rmSync(folder, { recursive: true }));

function runOf(failures: Readonly<Record<string, readonly string[]>>, message = ""): TestRun {
  const assertionResults = Object.entries(failures).map(([fullName, failureMessages]) => ({
    status: failureMessages.length === 0 ? "passed" : "failed",
    fullName,
    failureMessages,
  }));
  return { testResults: [{ name: "people.test.ts", status: "failed", message, assertionResults }] };
}

test("a failure is expected only if each of its errors is", () => {
  const run = runOf({
    passes: [],
    invites: [REFUSED],
    removes: [REFUSED, "Error: 500"],
    lists: ["Error: 500"],
    "another property": ["Property failed after 2 tests"],
  });
  expect(judgeRun(run, folder, KNOWN)).toEqual({
    expected: [{ why: "set-ups delete every passkey", tests: 1 }],
    unexpected: ["removes", "lists", "another property"],
  });
});

test("a version that has the change expects no failure by it", () => {
  const change = join(folder, CHANGE);
  mkdirSync(dirname(change), { recursive: true });
  writeFileSync(change, "");
  expect(judgeRun(runOf({ invites: [REFUSED] }), folder, KNOWN)).toEqual({ expected: [], unexpected: ["invites"] });
});

test("a file that cannot be run is not expected", () => {
  expect(judgeRun(runOf({}, "Cannot find module"), folder, KNOWN).unexpected).toEqual(["people.test.ts: Cannot find module"]);
});
