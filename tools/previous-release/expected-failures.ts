import { existsSync } from "node:fs";
import { join } from "node:path";

/** Tests of an earlier version that fail on this version's database although a running one does not. */
interface ExpectedFailure {
  /** The file with the change. A version that has it expects nothing. */
  readonly change: string;
  /** The test, by a part of its name; all tests unless given. */
  readonly test?: string;
  /** A part of each of its errors. */
  readonly message: string;
  /** Why no running release meets it, or what it sees if it does. */
  readonly why: string;
}

const EXPECTED: readonly ExpectedFailure[] = [];

/** What is read of Vitest's JSON report. */
export interface TestRun {
  readonly testResults: readonly {
    readonly name: string;
    /** Of a file that could not be run. */
    readonly message: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

/** Sorts the failures of an earlier version's tests. A test is expected to fail if each of its errors is. */
export function judgeRun(
  { testResults }: TestRun,
  folder: string,
  all: readonly ExpectedFailure[] = EXPECTED,
): { expected: { why: string; tests: number }[]; unexpected: string[] } {
  const known = all.filter(({ change }) => !existsSync(join(folder, change)));
  const counts = new Map<ExpectedFailure, number>();
  const unexpected: string[] = [];
  for (const { name, status, message, assertionResults } of testResults) {
    const failed = assertionResults.filter((one) => one.status === "failed");
    if (status === "failed" && failed.length === 0) unexpected.push(`${name}: ${message}`);
    for (const { fullName, failureMessages } of failed) {
      const found = known.find((one) => isOf(one, fullName, failureMessages ?? []));
      if (found === undefined) unexpected.push(fullName);
      else counts.set(found, (counts.get(found) ?? 0) + 1);
    }
  }
  return { expected: [...counts].map(([{ why }, tests]) => ({ why, tests })), unexpected };
}

function isOf({ test = "", message }: ExpectedFailure, name: string, messages: readonly string[]): boolean {
  return name.includes(test) && messages.length > 0 && messages.every((one) => one.includes(message));
}
