import { isUuid } from "@farline/domain/uuid.ts";
import { statementMonth, type DocumentWanted } from "@farline/contract/billing-documents.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { customerOf, perCustomer, requireStepUp } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/http/app-error.ts";
import { issueDownloadTicket, presentedTicket } from "../../platform/http/download-ticket.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import type { Payer } from "../billing-dependencies.ts";
import type { DocumentDependencies } from "./document-dependencies.ts";
import { DOWNLOAD_SUBJECT, openDocument } from "./open-document.ts";
import { presentReceipt, presentReceiptDetails } from "./present-receipt.ts";
import { listReceipts, readReceipt } from "./receipt.store.ts";
import { monthOf, statementTime } from "./statement-month.ts";

const DOWNLOAD_LIMIT = { name: "document", points: 20, perSeconds: 60 };

/** Routes for receipts and statements. */
export function documentRoutes(app: App, deps: DocumentDependencies): void {
  receiptRoutes(app, deps);
  statementRoutes(app, deps);
  downloadRoutes(app, deps);
}

function receiptRoutes(app: App, deps: DocumentDependencies): void {
  const { db } = deps.handle;

  serve(app, "GET /api/billing/receipts", async (request) => {
    const { id } = customerOf(request);
    const { cursor: before, limit } = request.query;
    if (before !== undefined && !isUuid(before)) throw new AppError("malformed_request", { reason: "page_unknown" });
    const rows = await listReceipts(db, id, { limit: limit + 1, ...(before === undefined ? {} : { before }) });
    const shown = rows.slice(0, limit);
    const next = rows.length > limit ? (shown.at(-1)?.id ?? null) : null;
    return { receipts: { data: shown.map(presentReceipt), next_cursor: next } };
  });

  serve(app, "GET /api/billing/receipts/:id", async (request) => {
    const customer = customerOf(request);
    return { receipt: presentReceiptDetails(await ownReceipt(deps, customer, request.params.id)) };
  });
}

function statementRoutes(app: App, deps: DocumentDependencies): void {
  serve(app, "GET /api/billing/statements", async (request) => {
    const { createdAt } = customerOf(request);
    return { first_month: monthOf(createdAt), last_month: monthOf(deps.clock.now()) };
  });

  serve(app, "GET /api/billing/statements/:month", async (request) => {
    const customer = customerOf(request);
    const time = ownMonth(deps, customer, request.params.month);
    const { openingMicros, closingMicros, entries } = await deps.ledger.statement(deps.handle.db, customer.id, time);
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

function downloadRoutes(app: App, deps: DocumentDependencies): void {
  const downloads = memoryRateLimit({ ...DOWNLOAD_LIMIT, scale: deps.config.limitsScale });

  serve(app, "POST /api/billing/document-ticket", {
    onRequest: perCustomer(downloads),
    handler: async (request) => {
      const customer = customerOf(request);
      // It names every call of a month; a receipt names one payment.
      if (request.body.type === "statement") requireStepUp(request, deps);
      await checkOwn(deps, customer, request.body);
      const ticket = { customerId: customer.id, subject: DOWNLOAD_SUBJECT, facts: request.body };
      const issued = await issueDownloadTicket(deps, ticket);
      return { ticket: issued.ticket, expires_at: issued.expiresAt.toISOString() };
    },
  });

  // A browser opens this address without the session's token: the ticket authorises it.
  serve(app, "GET /api/billing/document", async (request, reply) => {
    const { fileName, type, content } = await openDocument(deps, presentedTicket(request, request.query.ticket));
    return reply
      .type(type)
      .header("content-disposition", `attachment; filename="${fileName}"`)
      .header("x-content-type-options", "nosniff")
      .send(content);
  });
}

/** @throws AppError not_found */
async function checkOwn(deps: DocumentDependencies, customer: Payer, wanted: DocumentWanted): Promise<void> {
  if (wanted.type === "receipt") await ownReceipt(deps, customer, wanted.id);
  else ownMonth(deps, customer, wanted.month);
}

async function ownReceipt(deps: DocumentDependencies, customer: Payer, receiptId: string) {
  const receipt = isUuid(receiptId) ? await readReceipt(deps.handle.db, customer.id, receiptId) : undefined;
  if (receipt === undefined) throw new AppError("not_found", { reason: "receipt_unknown" });
  return receipt;
}

function ownMonth(deps: DocumentDependencies, customer: Payer, month: string) {
  if (!statementMonth.safeParse(month).success) throw new AppError("not_found", { reason: "statement_unknown" });
  return statementTime(month, { since: customer.createdAt, now: deps.clock.now() });
}
