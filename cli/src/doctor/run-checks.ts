import { settleWithin } from "@farline/domain/settle-within.ts";
import { fault, reasonOf, type Finding } from "./finding.ts";

/** Longer than the slowest check's own limits. */
const CHECK_LIMIT_MS = 15_000;

export interface Check {
  /** Completes "The check of …". */
  readonly of: string;
  run(): Promise<readonly Finding[]>;
}

/** Runs checks in parallel. One that fails or hangs is itself a fault. @returns the findings in the checks' order */
export async function runChecks(checks: readonly Check[], limitMs = CHECK_LIMIT_MS): Promise<Finding[]> {
  const results = await Promise.all(checks.map((check) => runOne(check, limitMs)));
  return results.flat();
}

async function runOne({ of, run }: Check, limitMs: number): Promise<readonly Finding[]> {
  try {
    return await settleWithin(run(), limitMs, () => [fault(`The check of ${of} did not end within ${limitMs / 1000} seconds.`)]);
  } catch (error) {
    return [fault(`The check of ${of} failed: ${reasonOf(error)}.`)];
  }
}
