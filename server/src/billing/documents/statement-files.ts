import type { z } from "zod";
import type { statementFile } from "@farline/contract/billing-documents.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Readable } from "node:stream";
import type { LedgerLine } from "../../ledger/ledger.ts";
import { CSV_START, csvRecord } from "../../platform/csv.ts";
import { referenceOf } from "../record/entry-subject.ts";
import { reconciledLines, readStatement, type Statement, type StatementTotals } from "./read-statement.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { listReceipts } from "./receipt.store.ts";
import type { Context } from "../../context.ts";

const RECEIPTS_AT_ONCE = 100;
/** The newest receipts; nearly three years of daily top-ups. */
const MAX_RECEIPTS = 1_000;

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

/** All entries of an account as a CSV file. */
export async function accountCsv(ctx: Context, customer: Customer): Promise<AsyncIterable<string>> {
  const time = { month: "all", from: customer.createdAt, to: ctx.clock.now() };
  return statementCsv(await readStatement(ctx, { customer, time }));
}

/** What writes PDF, loaded with the first document, so that it does not slow the service's start. */
export async function loadPdf() {
  const [{ receiptPdf }, { statementPdf }] = await Promise.all([
    import("./pdf/receipt-pdf.ts"),
    import("./pdf/statement-pdf.ts"),
  ]);
  return { receiptPdf, statementPdf };
}

/** The customer's receipts as PDF files, newest first. */
export async function* receiptFiles(
  { handle }: Context,
  customer: Pick<Customer, "id" | "language">,
): AsyncGenerator<{ readonly fileName: string; readonly content: Readable }, void, void> {
  const { receiptPdf } = await loadPdf();
  let before: string | undefined;
  for (let read = 0; read < MAX_RECEIPTS; read += RECEIPTS_AT_ONCE) {
    const page = { limit: RECEIPTS_AT_ONCE, ...(before === undefined ? {} : { before }) };
    const receipts = await listReceipts(handle.db, customer.id, page);
    for (const receipt of receipts)
      yield { fileName: `farline-receipt-${receipt.number}.pdf`, content: await receiptPdf(receipt, customer.language) };
    if (receipts.length < RECEIPTS_AT_ONCE) return;
    before = receipts.at(-1)?.id;
  }
}
