import { documentTicketRequest, type StatementFormat } from "@farline/contract/billing-documents.ts";
import { Readable } from "node:stream";
import { findCustomer, type Customer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/http/app-error.ts";
import { redeemDownloadTicket, type PresentedTicket } from "../../platform/http/download-ticket.ts";
import type { DocumentDependencies } from "./document-dependencies.ts";
import { readStatement, type Statement } from "./read-statement.ts";
import { readReceipt } from "./receipt.store.ts";
import { receiptPdf } from "./pdf/receipt-pdf.ts";
import { statementCsv, statementJson } from "./statement-files.ts";
import { statementTime } from "./statement-month.ts";
import { statementPdf } from "./pdf/statement-pdf.ts";

/** Purpose of document tickets. */
export const DOWNLOAD_SUBJECT = "billing-document";

const TYPES: Readonly<Record<StatementFormat, string>> = {
  pdf: "application/pdf",
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
};

export interface OpenDocument {
  readonly fileName: string;
  readonly type: string;
  /** Streamed. */
  readonly content: Readable;
}

type OpenDependencies = Pick<DocumentDependencies, "handle" | "clock" | "ledger" | "config">;

/**
 * Opens the document that a ticket authorises.
 * @throws AppError link_expired for an invalid ticket; conflict for a PDF that would be too long
 */
export async function openDocument(deps: OpenDependencies, ticket: PresentedTicket): Promise<OpenDocument> {
  const { customerId, facts } = await redeemDownloadTicket(deps, { ticket, subject: DOWNLOAD_SUBJECT });
  const wanted = documentTicketRequest.parse(facts);
  const customer = await findCustomer(deps.handle.db, customerId);
  if (customer === undefined) throw new AppError("not_found", { reason: "account_gone" });
  if (wanted.type === "receipt") return openReceipt(deps, customer, wanted.id);
  return openStatement(deps, customer, wanted);
}

async function openReceipt(deps: OpenDependencies, { id, language }: Customer, receiptId: string): Promise<OpenDocument> {
  const receipt = await readReceipt(deps.handle.db, id, receiptId);
  if (receipt === undefined) throw new AppError("not_found", { reason: "receipt_unknown" });
  return {
    fileName: `farline-receipt-${receipt.number}.pdf`,
    type: TYPES.pdf,
    content: await receiptPdf(receipt, language),
  };
}

async function openStatement(
  deps: OpenDependencies,
  customer: Customer,
  { month, format }: { month: string; format: StatementFormat },
): Promise<OpenDocument> {
  const time = statementTime(month, { since: customer.createdAt, now: deps.clock.now() });
  const statement = await readStatement(deps, { customer, time });
  return {
    fileName: `farline-statement-${month}.${format}`,
    type: TYPES[format],
    content: await writeStatement(deps, statement, { format, language: customer.language }),
  };
}

async function writeStatement(
  { config }: Pick<OpenDependencies, "config">,
  statement: Statement,
  { format, language }: { format: StatementFormat; language: Customer["language"] },
): Promise<Readable> {
  if (format === "pdf") return statementPdf(statement, { seller: config.seller, language });
  // Machine-readable, so not localised.
  return Readable.from(format === "csv" ? statementCsv(statement) : statementJson(statement));
}
