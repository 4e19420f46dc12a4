import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserReport, browserTests } from "./browser-report.ts";
import type { TestReport } from "./test-report.ts";

/**
 * Runs the tests: Vitest (units, properties, components, integration), then the browser tests, and prints one total.
 * `--full` adds tests that take too long for every change: all languages, sizes and themes, and real grace periods.
 */
const FULL = process.argv.includes("--full") ? "1" : "0";
const results = mkdtempSync(join(tmpdir(), "farline-results-"));
const failures: string[] = [];
let passed = 0;

try {
  const vitest = join(results, "vitest.json");
  const unitsPassed = runs("vitest", ["run", "--reporter=default", "--reporter=./tools/test-report.ts"], {
    UNIT_REPORT: vitest,
    FULL,
  });
  add("Vitest", unitsPassed, readJson<TestReport>(vitest));

  const playwright = join(results, "playwright.json");
  const browserPassed = runs("playwright", ["test", "--config", "e2e/playwright.config.ts"], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: playwright,
    FULL,
  });
  const browser = readJson<BrowserReport>(playwright);
  add("Playwright", browserPassed, browser && browserTests(browser));
} finally {
  rmSync(results, { recursive: true, force: true });
}

// Repeated at the end, because the output of the browser tests follows the failures.
for (const failure of failures) console.log(failure);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 ? 1 : 0;

function runs(program: string, args: readonly string[], env: Record<string, string> = {}): boolean {
  return spawnSync(program, args, { stdio: "inherit", env: { ...process.env, ...env } }).status === 0;
}

/** A runner that fails without saying what failed, or writes no report, counts as one failure. */
function add(runner: string, succeeded: boolean, report: TestReport | undefined): void {
  passed += report?.passed ?? 0;
  const reported = report?.failures ?? [];
  failures.push(...reported);
  if (report === undefined || (!succeeded && reported.length === 0))
    failures.push(`FAILED ${runner} ended with an error, and reported none`);
}

function readJson<Shape>(path: string): Shape | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Shape;
  } catch {
    return undefined; // the runner exited before it wrote a report, which counts as a failure
  }
}
