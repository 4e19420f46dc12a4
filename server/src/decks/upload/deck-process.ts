import { setPriority } from "node:os";
import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import { actingAs, type Operator, type OperatorContext } from "../../context.ts";
import { withOwnContext, type OwnProcessConfig } from "../../open-context.ts";
import { runOperation, type Order, type Outcome } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import { createLog } from "../../platform/log.ts";
import { planActivation, type Activated } from "../activate-deck.ts";
import { importDeck, type ImportOrder, type ReadingOrder } from "../import-deck.ts";
import { presentReport } from "../report/present-report.ts";
import { writeBadRows } from "../report/write-bad-rows.ts";

/** What this process can do, by name: its order and its result. */
export interface DeckTasks {
  readonly import: { readonly order: ImportOrder; readonly result: DeckReportResponse };
  /** To a file beside the list. */
  readonly badRows: { readonly order: ReadingOrder & { readonly to: string }; readonly result: void };
  readonly activate: { readonly order: Order<"activate-deck">; readonly result: Outcome<Activated> };
}

/** What the service sends to this process, once. */
export interface DeckTask<Name extends keyof DeckTasks> {
  readonly name: Name;
  readonly order: DeckTasks[Name]["order"];
  readonly operator: Operator;
  readonly config: OwnProcessConfig & { readonly logLevel: string };
}

/** What it sends back, once: the result, or the error that the operator gets. */
export type DeckOutcome =
  | { readonly result: unknown }
  | { readonly refused: Pick<AppError, "code" | "messageRef"> }
  | { readonly failed: string };

/** Entries of each list in the report; the totals count all. */
const MAX_LISTED = 200;
/** Requests of callers go first. */
const LOW_PRIORITY = 10;

const run: { readonly [Name in keyof DeckTasks]: (ctx: OperatorContext, order: DeckTasks[Name]["order"]) => Promise<unknown> } = {
  import: async (ctx, order) => presentReport(await importDeck(ctx, order), MAX_LISTED),
  badRows: writeBadRows,
  activate: (ctx, order) => runOperation(ctx, "activate-deck", { plan: planActivation }, order),
};

setPriority(LOW_PRIORITY);
process.once("message", (task: DeckTask<keyof DeckTasks>) => {
  void carryOut(task).then((outcome) => process.send?.(outcome, () => process.exit()));
});
// The service has ended.
process.once("disconnect", () => process.exit());

async function carryOut<Name extends keyof DeckTasks>(task: DeckTask<Name>): Promise<DeckOutcome> {
  const { logLevel, ...config } = task.config;
  try {
    const log = createLog(logLevel, "deck-process");
    return { result: await withOwnContext(config, log, (ctx) => run[task.name](actingAs(ctx, task.operator), task.order)) };
  } catch (error) {
    if (error instanceof AppError) return { refused: { code: error.code, messageRef: error.messageRef } };
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
