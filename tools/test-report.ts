import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** What a run of Vitest came to. */
export interface UnitReport {
  readonly passed: number;
  /** Tests, and errors outside of any test: of a file, of a hook, or thrown when no test waited for them. */
  readonly failures: readonly string[];
}

/** Characters of a failure's message that are repeated at the end. */
const MAX_MESSAGE = 600;

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
