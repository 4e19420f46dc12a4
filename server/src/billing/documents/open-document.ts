import { documentTicketRequest, type StatementFormat } from "@farline/contract/billing-documents.ts";
import { Readable } from "node:stream";
import { findCustomer, type Customer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import { redeemDownloadTicket, type PresentedTicket } from "../../platform/http/download-ticket.ts";
import { readStatement, type Statement } from "./read-statement.ts";
import { readReceipt } from "./receipt.store.ts";
import { receiptPdf } from "./pdf/receipt-pdf.ts";
import { statementCsv, statementJson } from "./statement-files.ts";
import { statementTime } from "./statement-month.ts";
import { statementPdf } from "./pdf/statement-pdf.ts";
import type { ServiceContext } from "../../context.ts";

/** Purpose of document tickets. */
export const DOWNLOAD_SUBJECT = "billing-document";

const TYPES: Readonly<Record<StatementFormat, string>> = {
  pdf: "application/pdf",
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
};

interface OpenDocument {
  readonly fileName: string;
  readonly type: string;
  /** The content, as a stream. */
  readonly content: Readable;
}

/**
 * Opens the document that a ticket authorises.
 * @throws AppError link_expired for an invalid ticket; conflict for a PDF that would be too long
 */
export async function openDocument(ctx: ServiceContext, ticket: PresentedTicket): Promise<OpenDocument> {
  const { customerId, facts } = await redeemDownloadTicket(ctx, { ticket, subject: DOWNLOAD_SUBJECT });
  const document = documentTicketRequest.parse(facts);
  const customer = await findCustomer(ctx.handle.db, customerId);
  if (customer === undefined) throw new AppError("not_found", { reason: "account_gone" });
  if (document.type === "receipt") return openReceipt(ctx, customer, document.id);
  return openStatement(ctx, customer, document);
}

async function openReceipt(ctx: ServiceContext, { id, language }: Customer, receiptId: string): Promise<OpenDocument> {
  const receipt = await readReceipt(ctx.handle.db, id, receiptId);
  if (receipt === undefined) throw new AppError("not_found", { reason: "receipt_unknown" });
  return {
    fileName: `farline-receipt-${receipt.number}.pdf`,
    type: TYPES.pdf,
    content: await receiptPdf(receipt, language),
  };
}

async function openStatement(
  ctx: ServiceContext,
  customer: Customer,
  { month, format }: { month: string; format: StatementFormat },
): Promise<OpenDocument> {
  const time = statementTime(month, { since: customer.createdAt, now: ctx.clock.now() });
  const statement = await readStatement(ctx, { customer, time });
  return {
    fileName: `farline-statement-${month}.${format}`,
    type: TYPES[format],
    content: await writeStatement(ctx, statement, { format, language: customer.language }),
  };
}

async function writeStatement(
  { config }: ServiceContext,
  statement: Statement,
  { format, language }: { format: StatementFormat; language: Customer["language"] },
): Promise<Readable> {
  if (format === "pdf") return statementPdf(statement, { seller: config.seller, language });
  // Machine-readable, so not localised.
  return Readable.from(format === "csv" ? statementCsv(statement) : statementJson(statement));
}
