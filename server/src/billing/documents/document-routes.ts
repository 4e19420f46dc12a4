import { Readable } from "node:stream";
import { isUuid } from "@farline/domain/uuid.ts";
import {
  documentTicketRequest,
  type DocumentWanted,
  type Receipt,
  type ReceiptDetails,
  type StatementFormat,
  statementMonth,
} from "@farline/contract/billing-documents.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { type Customer, customerOf, findCustomer, perCustomer, requireStepUp, sessionOf } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import {
  issueDownloadTicket,
  presentedTicket,
  type PresentedTicket,
  redeemDownloadTicket,
} from "../../platform/http/download-ticket.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import { pageOf, readIdCursor } from "../../platform/read-cursor.ts";
import { listReceipts, readReceipt, type ReceiptRow } from "./receipt.store.ts";
import { monthOf, statementTime } from "./statement-month.ts";
import type { Payer } from "../record/payment.store.ts";
import type { ServiceContext } from "../../context.ts";
import { creditReceived } from "./document-texts.ts";
import { taxOf } from "./tax-within.ts";
import { readStatement, type Statement } from "./read-statement.ts";
import { loadPdf, statementCsv, statementJson } from "./statement-files.ts";

/** Purpose of document tickets. */
const DOWNLOAD_SUBJECT = "billing-document";

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

/** Routes for receipts and statements. */
export function documentRoutes(app: App, ctx: ServiceContext): void {
  receiptRoutes(app, ctx);
  statementRoutes(app, ctx);
  downloadRoutes(app, ctx);
}

function receiptRoutes(app: App, ctx: ServiceContext): void {
  const { db } = ctx.handle;

  serve(app, "GET /api/billing/receipts", async (request) => {
    const { id } = customerOf(request);
    const { cursor, limit } = request.query;
    const rows = await listReceipts(db, id, { limit: limit + 1, before: readIdCursor(cursor) });
    const { shown, next } = pageOf(rows, limit, (last) => last.id);
    return { receipts: { data: shown.map(presentReceipt), next_cursor: next } };
  });

  serve(app, "GET /api/billing/receipts/:id", async (request) => {
    const customer = customerOf(request);
    return { receipt: presentReceiptDetails(await ownReceipt(ctx, customer, request.params.id)) };
  });
}

function statementRoutes(app: App, ctx: ServiceContext): void {
  serve(app, "GET /api/billing/statements", async (request) => {
    const { createdAt } = customerOf(request);
    return { first_month: monthOf(createdAt), last_month: monthOf(ctx.clock.now()) };
  });

  serve(app, "GET /api/billing/statements/:month", async (request) => {
    const customer = customerOf(request);
    const time = ownMonth(ctx, customer, request.params.month);
    const { openingMicros, closingMicros, entries } = await ctx.ledger.statement(ctx.handle.db, customer.id, time);
    return {
      statement: {
        month: time.month,
        from: time.from.toISOString(),
        to: time.to.toISOString(),
        opening_balance: toDecimalString(openingMicros),
        change: toDecimalString(closingMicros - openingMicros),
        closing_balance: toDecimalString(closingMicros),
        entries,
        currency: "USD",
      },
    };
  });
}

function downloadRoutes(app: App, ctx: ServiceContext): void {
  serve(app, "POST /api/billing/document-ticket", {
    onRequest: perCustomer(memoryRateLimit(ctx, "document")),
    handler: async (request) => {
      const customer = sessionOf(request);
      // A statement lists every call of a month, so it requires more proof than a receipt.
      if (request.body.type === "statement") requireStepUp(request, ctx);
      await checkOwn(ctx, customer, request.body);
      const ticket = { owner: customer, subject: DOWNLOAD_SUBJECT, facts: request.body };
      const issued = await issueDownloadTicket(ctx, ticket);
      return { ticket: issued.ticket, expires_at: issued.expiresAt.toISOString() };
    },
  });

  // Browsers open this URL without the session token, so the ticket authorises it.
  serve(app, "GET /api/billing/document", async (request, reply) => {
    const { fileName, type, content } = await openDocument(ctx, presentedTicket(request, request.query.ticket));
    return reply
      .type(type)
      .header("content-disposition", `attachment; filename="${fileName}"`)
      .header("x-content-type-options", "nosniff")
      .send(content);
  });
}

/** @throws AppError not_found */
async function checkOwn(ctx: ServiceContext, customer: Payer, request: DocumentWanted): Promise<void> {
  if (request.type === "receipt") await ownReceipt(ctx, customer, request.id);
  else ownMonth(ctx, customer, request.month);
}

async function ownReceipt(ctx: ServiceContext, customer: Payer, receiptId: string) {
  const receipt = isUuid(receiptId) ? await readReceipt(ctx.handle.db, customer.id, receiptId) : undefined;
  if (receipt === undefined) throw new AppError("not_found", { reason: "receipt_unknown" });
  return receipt;
}

function ownMonth(ctx: ServiceContext, customer: Payer, month: string) {
  if (!statementMonth.safeParse(month).success) throw new AppError("not_found", { reason: "statement_unknown" });
  return statementTime(month, { since: customer.createdAt, now: ctx.clock.now() });
}

/** A receipt as shown in a list. */
function presentReceipt(row: ReceiptRow): Receipt {
  const { card_brand: brand, card_last4: last4 } = row;
  return {
    id: row.id,
    number: row.number,
    kind: row.kind,
    amount: toDecimalString(row.amount_micros),
    bonus: toDecimalString(row.bonus_micros),
    currency: "USD",
    paid_at: row.paid_at.toISOString(),
    issued_at: row.issued_at.toISOString(),
    card: brand === null ? null : { brand, last4 },
    payment_id: row.payment_id,
  };
}

/** A receipt with all its details. */
function presentReceiptDetails(row: ReceiptRow): ReceiptDetails {
  const { seller } = row;
  const tax = taxOf(row);
  const credit = creditReceived(row);
  return {
    ...presentReceipt(row),
    buyer: { name: row.buyer_name, email: row.buyer_email },
    seller: { name: seller.name, address: [...seller.address], tax_id: seller.taxId },
    tax: tax === null ? null : { percent: tax.percent, amount: toDecimalString(tax.amountMicros) },
    tax_note: seller.taxNote,
    credited: credit === null ? null : toDecimalString(credit),
    books_month: row.books_month,
    corrects: row.corrects_number,
    sample: row.sample,
  };
}

/**
 * Opens the document that a ticket authorises.
 * @throws AppError link_expired for an invalid ticket; conflict for a PDF that would be too long
 */
async function openDocument(ctx: ServiceContext, ticket: PresentedTicket): Promise<OpenDocument> {
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
  const { receiptPdf } = await loadPdf();
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
  if (format === "pdf") return (await loadPdf()).statementPdf(statement, { seller: config.seller, language });
  // Machine-readable, so not localised.
  return Readable.from(format === "csv" ? statementCsv(statement) : statementJson(statement));
}
