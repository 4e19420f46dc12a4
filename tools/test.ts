import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UnitReport } from "./test-report.ts";

/** The part of Playwright's report that is used. */
interface BrowserReport {
  readonly stats: { readonly expected: number; readonly unexpected: number; readonly flaky: number };
  /** Outside of tests: of a worker, or of the whole run. */
  readonly errors: readonly { readonly message?: string; readonly stack?: string }[];
}

/**
 * Runs the tests: Vitest (units, properties, components, integration), then the browser tests, and prints one total.
 * `--full` adds tests that take too long for every change: all languages, sizes and themes, and real grace periods.
 */
const FULL = process.argv.includes("--full") ? "1" : "0";
const results = mkdtempSync(join(tmpdir(), "farline-results-"));
const counts = { passed: 0, failed: 0 };
const failures: string[] = [];

try {
  const vitest = join(results, "vitest.json");
  const unitsPassed = runs("vitest", ["run", "--reporter=default", "--reporter=./tools/test-report.ts"], {
    UNIT_REPORT: vitest,
    FULL,
  });
  const units = readJson<UnitReport>(vitest);
  failures.push(...(units?.failures ?? []));
  add("Vitest", unitsPassed, units?.passed, units?.failures.length);

  const playwright = join(results, "playwright.json");
  const browserPassed = runs("playwright", ["test", "--config", "e2e/playwright.config.ts"], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: playwright,
    FULL,
  });
  const browser = readJson<BrowserReport>(playwright);
  failures.push(
    ...(browser?.errors ?? []).map(({ message, stack }) => `FAILED outside of any browser test\n${stack ?? message}`),
  );
  add(
    "Playwright",
    browserPassed,
    browser?.stats.expected,
    browser && browser.stats.unexpected + browser.stats.flaky + browser.errors.length,
  );
} finally {
  rmSync(results, { recursive: true, force: true });
}

// Repeated at the end, because the output of the browser tests follows the failures.
for (const failure of failures) console.log(failure);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;

function runs(program: string, args: readonly string[], env: Record<string, string> = {}): boolean {
  return spawnSync(program, args, { stdio: "inherit", env: { ...process.env, ...env } }).status === 0;
}

/** A runner that fails without saying what failed, or writes no report, counts as one failure. */
function add(runner: string, succeeded: boolean, passed = 0, failed = 1): void {
  counts.passed += passed;
  counts.failed += succeeded || failed > 0 ? failed : 1;
  if (!succeeded && failed === 0) failures.push(`FAILED ${runner} ended with an error, and reported none`);
}

function readJson<Shape>(path: string): Shape | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Shape;
  } catch {
    return undefined; // the runner exited before it wrote a report, which counts as a failure
  }
}
