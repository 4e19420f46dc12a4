import { failureText, type TestReport } from "./test-report.ts";

interface RunError {
  readonly message?: string;
  readonly stack?: string;
}

interface Suite {
  readonly suites?: readonly Suite[];
  readonly specs: readonly {
    readonly title: string;
    readonly file: string;
    readonly line: number;
    readonly tests: readonly {
      readonly projectName: string;
      readonly status: "expected" | "unexpected" | "flaky" | "skipped";
      readonly results: readonly { readonly errors: readonly RunError[] }[];
    }[];
  }[];
}

/** The part of Playwright's JSON report that is used (https://playwright.dev/docs/test-reporters#json-reporter). */
export interface BrowserReport {
  readonly suites: readonly Suite[];
  /** Outside of tests: of a worker, or of the whole run. */
  readonly errors: readonly RunError[];
}

/** What a run of browser tests came to. A flaky test is a failure. */
export function browserTests({ suites, errors }: BrowserReport): TestReport {
  const tests = suites.flatMap(testsOf);
  const failed = tests.filter(({ status }) => status === "unexpected" || status === "flaky");
  return {
    passed: tests.filter(({ status }) => status === "expected").length,
    failures: [
      ...errors.map((error) => failureText("outside of any browser test", [textOf(error)])),
      ...failed.map(({ where, results }) =>
        failureText(
          where,
          results.flatMap((result) => result.errors.map(textOf)),
        ),
      ),
    ],
  };
}

function testsOf({ suites = [], specs }: Suite): (Suite["specs"][number]["tests"][number] & { readonly where: string })[] {
  const own = specs.flatMap(({ title, file, line, tests }) =>
    tests.map((test) => ({ ...test, where: `[${test.projectName}] e2e/${file}:${line}: ${title}` })),
  );
  return [...own, ...suites.flatMap(testsOf)];
}

function textOf({ message, stack }: RunError): string {
  return message ?? stack ?? "";
}
