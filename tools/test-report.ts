import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** What a run of tests came to. */
export interface TestReport {
  readonly passed: number;
  /** Tests, and errors outside of any test: of a file, of a hook, or thrown when no test waited for them. */
  readonly failures: readonly string[];
}

/** Characters of a failure that are repeated at the end. */
const MAX_FAILURE = 1_500;

/**
 * Writes a `TestReport` to the file that the environment names in `UNIT_REPORT`. Vitest's own JSON report leaves out
 * errors outside of tests, which fail the run all the same.
 */
export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    let passed = 0;
    const failures = unhandled.map((error) => failureText("an error outside of any test", [textOf(error)]));
    for (const module of modules) {
      const path = relative(process.cwd(), module.moduleId);
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === "passed") passed += 1;
        if (result.state === "failed") failures.push(failureText(`${path}: ${test.fullName}`, result.errors.map(textOf)));
      }
      for (const part of [module, ...module.children.allSuites()])
        if (part.errors().length > 0) failures.push(failureText(path, part.errors().map(textOf)));
    }
    writeFileSync(process.env["UNIT_REPORT"] ?? "/dev/stdout", JSON.stringify({ passed, failures } satisfies TestReport));
  }
}

/** One failure as it is repeated at the end of a run, where it is read even if only the last lines are kept. */
export function failureText(where: string, errors: readonly string[]): string {
  return `FAILED ${where}\n${stripVTControlCharacters(errors.join("\n")).slice(0, MAX_FAILURE)}`;
}

/** The message, what was expected and found, and the lines of our own code that led there. */
function textOf({ message, stack, diff }: SerializedError & { readonly diff?: string | undefined }): string {
  const ours = (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line) && !line.includes("node_modules"));
  return [message, ...(diff === undefined ? [] : [diff]), ...ours].join("\n");
}
