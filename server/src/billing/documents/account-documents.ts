import type { Customer } from "../../accounts/accounts.ts";
import type { Readable } from "node:stream";
import { receiptPdf } from "./pdf/receipt-pdf.ts";
import { readStatement } from "./read-statement.ts";
import { listReceipts } from "./receipt.store.ts";
import { statementCsv } from "./statement-files.ts";
import type { Context } from "../../context.ts";

const RECEIPTS_AT_ONCE = 100;
/** The newest receipts; nearly three years of daily top-ups. */
const MAX_RECEIPTS = 1_000;

/** All entries of an account as a CSV file. */
export async function accountCsv(ctx: Context, customer: Customer): Promise<AsyncIterable<string>> {
  const time = { month: "all", from: customer.createdAt, to: ctx.clock.now() };
  return statementCsv(await readStatement(ctx, { customer, time }));
}

/** The customer's receipts as PDF files, newest first. */
export async function* receiptFiles(
  { handle }: Context,
  customer: Pick<Customer, "id" | "language">,
): AsyncGenerator<{ readonly fileName: string; readonly content: Readable }, void, void> {
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
