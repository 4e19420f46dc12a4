import { closeSync, openSync, writeSync } from "node:fs";
import type { OperatorContext } from "../../context.ts";
import { CSV_START, csvRecord } from "../../platform/csv.ts";
import { readAndBuild, type ReadingOrder } from "../import-deck.ts";
import { PROBLEMS } from "./report-words.ts";

const WRITE_CHARS = 65_536;

/**
 * Writes every row of a price list that cannot be used to a CSV file, for the carrier. Rows go to the file as they are read, so
 * that a million of them need little memory. It holds up everything else, so the service does it in a process of its own.
 * @throws AppError as `importDeck` does
 */
export async function writeBadRows(ctx: OperatorContext, order: ReadingOrder & { readonly to: string }): Promise<void> {
  const file = openSync(order.to, "w");
  let waiting = CSV_START + csvRecord(["Line", "Problem", "Row"]);
  const write = (): void => {
    writeSync(file, waiting);
    waiting = "";
  };
  try {
    await readAndBuild(ctx, order, ({ line, problem, text }) => {
      waiting += csvRecord([String(line), PROBLEMS[problem], text]);
      if (waiting.length > WRITE_CHARS) write();
    });
    write();
  } finally {
    closeSync(file);
  }
}
