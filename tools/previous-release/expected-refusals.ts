import { existsSync } from "node:fs";
import { join } from "node:path";

/** What this version's database refuses on purpose although an earlier version's tests do it. */
interface ExpectedRefusal {
  /** The file with the rule. A version that has it expects nothing. */
  readonly rule: string;
  /** Of the database's error. */
  readonly message: string;
  /** Why no running release meets it, or what it sees if it does. */
  readonly why: string;
}

const EXPECTED: readonly ExpectedRefusal[] = [
  {
    rule: "server/src/operator/sql/keep_an_administrator.sql",
    message: "no administrator could sign in any more",
    why: "set-ups delete every operator's passkey. A running release deletes one operator's, by an administrator who keeps their own or with a new link; only of two who remove each other at the same moment one is refused, with an internal error.",
  },
];

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
): { expected: { why: string; tests: number }[]; unexpected: string[] } {
  const rules = EXPECTED.filter(({ rule }) => !existsSync(join(folder, rule)));
  const counts = new Map<ExpectedRefusal, number>();
  const unexpected: string[] = [];
  for (const { name, status, message, assertionResults } of testResults) {
    const failed = assertionResults.filter((one) => one.status === "failed");
    if (status === "failed" && failed.length === 0) unexpected.push(`${name}: ${message}`);
    for (const { fullName, failureMessages } of failed) {
      const found = rules.find((rule) => isOf(rule, failureMessages ?? []));
      if (found === undefined) unexpected.push(fullName);
      else counts.set(found, (counts.get(found) ?? 0) + 1);
    }
  }
  return { expected: [...counts].map(([{ why }, tests]) => ({ why, tests })), unexpected };
}

function isOf({ message }: ExpectedRefusal, messages: readonly string[]): boolean {
  return messages.length > 0 && messages.every((one) => one.includes(message));
}
