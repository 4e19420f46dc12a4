import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** Characters of a failure's message that are repeated at the end. */
const MAX_MESSAGE = 600;

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
  const unitsPassed = runs("vitest", ["run", "--reporter=default", "--reporter=./tools/test.ts"], {
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

/** What a run of Vitest came to. */
interface UnitReport {
  readonly passed: number;
  /** Tests, and errors outside of any test: of a file, of a hook, or thrown when no test waited for them. */
  readonly failures: readonly string[];
}

/**
 * Writes a `UnitReport` to the file that the environment names in `UNIT_REPORT`. Vitest's own JSON report leaves out
 * errors outside of tests, which fail the run all the same.
 */
export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    let passed = 0;
    const failures = unhandled.map((error) => describe("an error outside of any test", [error]));
    for (const module of modules) {
      const path = relative(process.cwd(), module.moduleId);
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "passed") passed += 1;
        if (result.state === "failed") failures.push(describe(`${path}: ${test.fullName}`, result.errors));
      }
      for (const part of [module, ...module.children.allSuites()])
        if (part.errors().length > 0) failures.push(describe(path, part.errors()));
    }
    writeFileSync(process.env["UNIT_REPORT"] ?? "/dev/stdout", JSON.stringify({ passed, failures } satisfies UnitReport));
  }
}

function describe(where: string, errors: readonly Pick<SerializedError, "message" | "stack">[]): string {
  const text = errors.map(({ message, stack }) => stack ?? message).join("\n");
  return `FAILED ${where}\n${text.slice(0, MAX_MESSAGE)}`;
}
