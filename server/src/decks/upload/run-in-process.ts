import { fork } from "node:child_process";
import { once } from "node:events";
import { settleWithin } from "@farline/domain/durations.ts";
import type { Operator, ServiceContext } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import type { DeckOutcome, DeckTask, DeckTasks } from "./deck-process.ts";

/** A million rows need about 240 MB. The process takes 100 MB beside its heap. */
const MAX_HEAP_MB = 320;
/** The generations of short-lived objects would otherwise take 48 MB. */
const MAX_YOUNG_MB = 4;
/** A million rows take about a minute. A process that hangs must not keep its request and its file for good. */
const LONGEST_MS = 10 * 60_000;
const PROGRAM = new URL("deck-process.ts", import.meta.url);

/**
 * Imports or activates a deck in a process of its own, so that comparing a million rows neither holds up requests nor stays in the service's
 * memory.
 * @param given.signal ends the process; nothing has changed then
 * @throws AppError as `importDeck` and `planActivation` do
 */
export async function runInProcess<Name extends keyof DeckTasks>(
  { config }: Pick<ServiceContext, "config">,
  name: Name,
  given: { readonly operator: Operator; readonly order: DeckTasks[Name]["order"]; readonly signal?: AbortSignal },
): Promise<DeckTasks[Name]["result"]> {
  const { operator, order, signal } = given;
  const { databaseUrl, publicUrl, mode, stripe, limitsScale, promotions, logLevel } = config;
  const task: DeckTask<Name> = {
    name,
    order,
    operator,
    config: { databaseUrl, publicUrl, mode, stripe, limitsScale, promotions, logLevel },
  };
  const execArgv = [`--max-old-space-size=${MAX_HEAP_MB}`, `--max-semi-space-size=${MAX_YOUNG_MB}`];
  const child = fork(PROGRAM, { execArgv, serialization: "advanced", ...(signal === undefined ? {} : { signal }) });
  child.send(task);
  const ended = once(child, "exit").then(([code, killedBy]) => {
    // V8 aborts when its heap is full.
    if (killedBy === "SIGABRT") throw new AppError("validation_failed", { reason: "operator.import_too_large" });
    return { failed: `It ended with ${code ?? killedBy}.` };
  });
  const answered = once(child, "message").then(([outcome]) => outcome as DeckOutcome);
  const late = () => {
    child.kill("SIGKILL");
    return { failed: `It did not end within ${LONGEST_MS / 60_000} minutes.` };
  };
  const outcome = await settleWithin(Promise.race([answered, ended]), LONGEST_MS, late);
  if ("result" in outcome) return outcome.result as DeckTasks[Name]["result"];
  if ("refused" in outcome) throw new AppError(outcome.refused.code, outcome.refused.messageRef);
  throw new Error(`A deck's process failed: ${outcome.failed}`);
}
