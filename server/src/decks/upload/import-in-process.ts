import { fork } from "node:child_process";
import { once } from "node:events";
import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import type { Operator, ServiceContext } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import type { ImportOrder } from "../import-deck.ts";
import type { ImportOutcome, ImportTask } from "./import-process.ts";

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
  const child = fork(PROGRAM, { execArgv: [], serialization: "advanced", signal });
  child.send(task);
  const ended = once(child, "exit").then(([code, killedBy]) => ({ failed: `It ended with ${code ?? killedBy}.` }));
  const answered = once(child, "message").then(([outcome]) => outcome as ImportOutcome);
  const outcome = await Promise.race([answered, ended]);
  if ("report" in outcome) return outcome.report;
  if ("refused" in outcome) throw new AppError(outcome.refused.code, outcome.refused.told);
  throw new Error(`The import failed: ${outcome.failed}`);
}
