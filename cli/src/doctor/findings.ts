import { settleWithin } from "@farline/domain/durations.ts";

/** Longer than the slowest check's own limits. */
const CHECK_LIMIT_MS = 15_000;

/** A check's result, in one sentence. */
export interface Finding {
  /** A fault prevents calls or payments; a warning may. */
  readonly level: "ok" | "warning" | "fault";
  readonly text: string;
}

export function ok(text: string): Finding {
  return { level: "ok", text };
}

export function warning(text: string): Finding {
  return { level: "warning", text };
}

export function fault(text: string): Finding {
  return { level: "fault", text };
}

/** The shortest useful description of a connection error: its code, or its message if the code is numeric (SQLSTATE). */
export function reasonOf(error: unknown): string {
  const { code, cause, message, name } = error as { code?: unknown; cause?: unknown; message?: string; name?: string };
  if (name === "AbortError" || name === "TimeoutError") return "no answer in time";
  if (typeof code === "string" && !/^\d/.test(code)) return code;
  if (cause instanceof Error) return reasonOf(cause);
  return (message ?? String(error)).replace(/\.$/, "");
}

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
