import { setPriority } from "node:os";
import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import { actingAs, type Operator } from "../../context.ts";
import { withOwnContext, type OwnProcessConfig } from "../../open-context.ts";
import { AppError } from "../../platform/app-error.ts";
import { createLog } from "../../platform/log.ts";
import { importDeck, type ImportOrder } from "../import-deck.ts";
import { presentReport } from "../report/present-report.ts";

/** What the service sends to this process, once. */
export interface ImportTask {
  readonly order: ImportOrder;
  readonly operator: Operator;
  readonly config: OwnProcessConfig & { readonly logLevel: string };
}

/** What it sends back, once: the report, or the error that the operator gets. */
export type ImportOutcome =
  | { readonly report: DeckReportResponse }
  | { readonly refused: Pick<AppError, "code" | "told"> }
  | { readonly failed: string };

/** Entries of each list in the report; the totals count all. */
const MAX_LISTED = 200;
/** Requests of callers go first. */
const LOW_PRIORITY = 10;

setPriority(LOW_PRIORITY);
process.once("message", (task: ImportTask) => {
  void carryOut(task).then((outcome) => process.send?.(outcome, () => process.exit()));
});
// The service has ended.
process.once("disconnect", () => process.exit());

async function carryOut({ order, operator, config: { logLevel, ...config } }: ImportTask): Promise<ImportOutcome> {
  try {
    const log = createLog(logLevel, "deck-import");
    const report = await withOwnContext(config, log, (ctx) => importDeck(actingAs(ctx, operator), order));
    return { report: presentReport(report, MAX_LISTED) };
  } catch (error) {
    if (error instanceof AppError) return { refused: { code: error.code, told: error.told } };
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
