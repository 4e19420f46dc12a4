import { fork } from "node:child_process";
import { once } from "node:events";
import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import type { Operator, ServiceContext } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import type { ImportOrder } from "../import-deck.ts";
import type { ImportOutcome, ImportTask } from "./import-process.ts";

/** A million rows need about 350 MB. The process takes 100 MB beside its heap. */
const MAX_HEAP_MB = 480;
const PROGRAM = new URL("import-process.ts", import.meta.url);

/**
 * Imports a deck in a process of its own, so that a million rows neither hold up requests nor stay in the service's memory.
 * @param signal ends the process; nothing is stored then
 * @throws AppError as `importDeck` does
 */
export async function importInProcess(
  { config }: Pick<ServiceContext, "config">,
  { operator, order, signal }: { readonly operator: Operator; readonly order: ImportOrder; readonly signal: AbortSignal },
): Promise<DeckReportResponse> {
  const { databaseUrl, publicUrl, mode, stripe, limitsScale, promotions, logLevel } = config;
  const task: ImportTask = {
    order,
    operator,
    config: { databaseUrl, publicUrl, mode, stripe, limitsScale, promotions, logLevel },
  };
  const child = fork(PROGRAM, { execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`], serialization: "advanced", signal });
  child.send(task);
  const ended = once(child, "exit").then(([code, killedBy]) => {
    // V8 aborts when its heap is full.
    if (killedBy === "SIGABRT") throw new AppError("validation_failed", { reason: "operator.import_too_large" });
    return { failed: `It ended with ${code ?? killedBy}.` };
  });
  const answered = once(child, "message").then(([outcome]) => outcome as ImportOutcome);
  const outcome = await Promise.race([answered, ended]);
  if ("report" in outcome) return outcome.report;
  if ("refused" in outcome) throw new AppError(outcome.refused.code, outcome.refused.told);
  throw new Error(`The import failed: ${outcome.failed}`);
}
