import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/** The part of Vitest's report that is used. */
interface UnitReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Characters of a failure's message that are repeated at the end. */
const MAX_MESSAGE = 600;

/**
 * Runs the tests: Vitest (units, properties, components, integration), then the browser tests, and prints one total.
 * `--full` adds tests that take too long for every change: all languages, sizes and themes, and real grace periods.
 */
const FULL = process.argv.includes("--full") ? "1" : "0";
const results = mkdtempSync(join(tmpdir(), "farline-results-"));
const counts = { passed: 0, failed: 0 };
const failures: string[] = [];
let broken = false;

try {
  const vitest = join(results, "vitest.json");
  broken = !runs("vitest", ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${vitest}`], { FULL }) || broken;
  const units = readJson<UnitReport>(vitest);
  add(units?.numPassedTests, units?.numFailedTests);
  failures.push(...listFailures(units));

  const playwright = join(results, "playwright.json");
  broken =
    !runs("playwright", ["test", "--config", "e2e/playwright.config.ts"], {
      PLAYWRIGHT_JSON_OUTPUT_NAME: playwright,
      FULL,
    }) || broken;
  const browser = readJson<{ stats: { expected: number; unexpected: number; flaky: number } }>(playwright)?.stats;
  add(browser?.expected, browser && browser.unexpected + browser.flaky);
} finally {
  rmSync(results, { recursive: true, force: true });
}

// Repeated at the end, because the output of the browser tests follows the failures.
for (const failure of failures) console.log(failure);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = broken || counts.failed > 0 ? 1 : 0;

function runs(program: string, args: readonly string[], env: Record<string, string> = {}): boolean {
  return spawnSync(program, args, { stdio: "inherit", env: { ...process.env, ...env } }).status === 0;
}

/** A runner without a report counts as one failure. */
function add(passed: number | undefined, failed: number | undefined): void {
  counts.passed += passed ?? 0;
  counts.failed += failed ?? 1;
}

function listFailures(report: UnitReport | undefined): string[] {
  return (report?.testResults ?? [])
    .filter((file) => file.status === "failed")
    .flatMap((file) => {
      const path = relative(process.cwd(), file.name);
      const tests = file.assertionResults
        .filter((test) => test.status === "failed")
        .map((test) => `${test.fullName}\n${test.failureMessages.join("\n").slice(0, MAX_MESSAGE)}`);
      return (tests.length > 0 ? tests : [file.message.slice(0, MAX_MESSAGE)]).map((text) => `FAILED ${path}: ${text}`);
    });
}

function readJson<Shape>(path: string): Shape | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Shape;
  } catch {
    return undefined; // the runner exited before it wrote a report, which counts as a failure
  }
}
