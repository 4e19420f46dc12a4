import type { z } from "zod";
import type { statementFile } from "@farline/contract/billing-documents.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { LedgerLine } from "../../ledger/ledger.ts";
import { CSV_START, csvRecord } from "../../platform/csv.ts";
import { referenceOf } from "../record/entry-subject.ts";
import { reconciledLines, type Statement, type StatementTotals } from "./read-statement.ts";

type File = z.infer<typeof statementFile>["statement"];

const COLUMNS = [
  "Date (UTC)",
  "Kind",
  "Description",
  "Amount (USD)",
  "Bonus part (USD)",
  "Balance (USD)",
  "Call or payment ID",
  "Entry ID",
];

/** Streams a statement as CSV: opening balance, every line, closing balance. */
export async function* statementCsv(statement: Statement): AsyncGenerator<string, void, void> {
  const { ledger } = statement;
  yield CSV_START + csvRecord(COLUMNS);
  yield csvRecord([
    statement.from.toISOString(),
    "opening",
    "Opening balance",
    "",
    "",
    toDecimalString(ledger.openingMicros),
    "",
    "",
  ]);
  for await (const line of reconciledLines(ledger, new Map())) yield csvRecord(cellsOf(line));
  yield csvRecord([
    statement.to.toISOString(),
    "closing",
    "Closing balance",
    "",
    "",
    toDecimalString(ledger.closingMicros),
    "",
    "",
  ]);
}

function cellsOf(line: LedgerLine): string[] {
  return [
    line.createdAt.toISOString(),
    line.kind,
    line.description,
    toDecimalString(line.amountMicros),
    toDecimalString(line.bonusMicros),
    toDecimalString(line.balanceAfterMicros),
    referenceOf(line) ?? "",
    line.id,
  ];
}

/** Streams a statement as JSON (contract: `statementFile`), assembled piece by piece. */
export async function* statementJson(statement: Statement): AsyncGenerator<string, void, void> {
  const { ledger } = statement;
  const head: Omit<File, "entries" | "totals" | "closing_balance"> = {
    month: statement.month,
    from: statement.from.toISOString(),
    to: statement.to.toISOString(),
    currency: "USD",
    customer: statement.customer,
    opening_balance: toDecimalString(ledger.openingMicros),
  };
  yield `{"statement":${JSON.stringify(head).slice(0, -1)},"entries":[`;
  const totals: StatementTotals = new Map();
  let before = "\n";
  for await (const line of reconciledLines(ledger, totals)) {
    yield before + JSON.stringify(entryOf(line));
    before = ",\n";
  }
  const tail: Pick<File, "totals" | "closing_balance"> = {
    totals: Array.from(totals, ([kind, total]) => ({
      kind,
      entries: total.entries,
      amount: toDecimalString(total.amountMicros),
    })),
    closing_balance: toDecimalString(ledger.closingMicros),
  };
  yield `\n],${JSON.stringify(tail).slice(1)}}\n`;
}

function entryOf(line: LedgerLine): File["entries"][number] {
  return {
    id: line.id,
    created_at: line.createdAt.toISOString(),
    kind: line.kind,
    description: line.description,
    amount: toDecimalString(line.amountMicros),
    bonus: toDecimalString(line.bonusMicros),
    balance_after: toDecimalString(line.balanceAfterMicros),
    reference_id: referenceOf(line),
  };
}
