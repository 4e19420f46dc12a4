import { reason } from "@farline/texts/reason.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { transaction, pageQuery } from "./billing.ts";
import { cursor, dollars, id, instant } from "./values.ts";

/** A calendar month in UTC: "2026-05". */
export const statementMonth = z.string().regex(/^20\d{2}-(0[1-9]|1[0-2])$/, reason("month_needed"));

/** What a receipt is for. `refund_returned`: a refund failed to reach the card and became credit again. */
export const receiptKind = z.enum(["payment", "auto_top_up", "refund", "withdrawal", "refund_returned"]);
export type ReceiptKind = z.infer<typeof receiptKind>;

/** A numbered receipt. Once issued it never changes. */
const receipt = z.object({
  id,
  /** Year and sequential number without gaps, for example "2026-000042". */
  number: z.string(),
  kind: receiptKind,
  /** Amount paid, or returned to the card. Always positive. */
  amount: dollars,
  /** Bonus credit granted or reversed with it. Never part of `amount`. */
  bonus: dollars,
  currency: z.literal("USD"),
  /** When the payment or refund took place. */
  paid_at: instant,
  issued_at: instant,
  /** Null if the provider did not name the card. */
  card: z.object({ brand: z.string(), last4: z.string().nullable() }).nullable(),
  payment_id: id,
});
export type Receipt = z.infer<typeof receipt>;

/** Answer of `GET /api/billing/receipts/{id}`: the full receipt. Another customer's receipt returns 404. */
export const receiptResponse = z.object({
  receipt: receipt.extend({
    buyer: z.object({ name: z.string(), email: z.string() }),
    seller: z.object({ name: z.string(), address: z.array(z.string()), tax_id: z.string().nullable() }),
    /** Tax included in `amount`, of a refund what the refunds before it left of the payment's; null when the seller states none. */
    tax: z.object({ percent: z.string(), amount: dollars }).nullable(),
    tax_note: z.string().nullable(),
    /** The credit that the buyer received, bonus included; null for a refund and for credit bought for somebody else. */
    credited: dollars.nullable(),
    /** The month whose books have it, if that of its payment was closed before it was issued. */
    books_month: statementMonth.nullable(),
    /** Number of the receipt that this one reverses, partly or fully. */
    corrects: z.string().nullable(),
    /** Made by the sandbox: no real money moved. */
    sample: z.boolean(),
  }),
});
export type ReceiptDetails = z.infer<typeof receiptResponse>["receipt"];

/** Answer of `GET /api/billing/receipts`, newest first. */
export const receiptsResponse = z.object({
  receipts: z.object({ data: z.array(receipt), next_cursor: cursor.nullable() }),
});

/** Answer of `GET /api/billing/statements`: there is a statement for every month from `first` to `last`. */
const statementsResponse = z.object({ first_month: statementMonth, last_month: statementMonth });

/** Answer of `GET /api/billing/statements/{month}`: opening balance + change = closing balance, which is negative while there is debt. */
export const statementResponse = z.object({
  statement: z.object({
    month: statementMonth,
    from: instant,
    /** For the current month: now. */
    to: instant,
    opening_balance: dollars,
    /** Sum of all entries; may be negative. */
    change: dollars,
    closing_balance: dollars,
    entries: z.number().int(),
    currency: z.literal("USD"),
  }),
});

/** `POST /api/billing/document-ticket`: which document to download. */
export const documentTicketRequest = z.discriminatedUnion("type", [
  z.object({ type: z.literal("receipt"), id }),
  z.object({ type: z.literal("statement"), month: statementMonth, format: z.enum(["pdf", "csv", "json"]) }),
]);
export type DocumentWanted = z.infer<typeof documentTicketRequest>;
export type StatementFormat = Extract<DocumentWanted, { type: "statement" }>["format"];

/** Its answer: valid for one `GET /api/billing/document?ticket=…` within a minute. */
const documentTicketResponse = z.object({ ticket: z.string(), expires_at: instant });

const documentQuery = z.object({ ticket: z.string().min(1).max(100) });

/** A statement as a JSON file. Amounts are signed; opening balance + all amounts = closing balance. */
export const statementFile = z.object({
  statement: z.object({
    month: statementMonth,
    from: instant,
    to: instant,
    currency: z.literal("USD"),
    customer: z.object({ name: z.string(), email: z.string() }),
    opening_balance: dollars,
    entries: z.array(
      z.object({
        id,
        created_at: instant,
        kind: transaction.shape.kind,
        description: z.string(),
        amount: dollars,
        /** The part of `amount` that was bonus credit. */
        bonus: dollars,
        balance_after: dollars,
        /** As in `transactions`. */
        reference_id: id.nullable(),
      }),
    ),
    totals: z.array(z.object({ kind: transaction.shape.kind, entries: z.number().int(), amount: dollars })),
    closing_balance: dollars,
  }),
});

export const documentEndpoints = {
  "GET /api/billing/receipts": { access: "customer", query: pageQuery, answer: receiptsResponse },
  "GET /api/billing/receipts/:id": { access: "customer", answer: receiptResponse, refusals: ["not_found"] },
  "GET /api/billing/statements": { access: "customer", answer: statementsResponse },
  "GET /api/billing/statements/:month": { access: "customer", answer: statementResponse, refusals: ["not_found"] },
  "POST /api/billing/document-ticket": {
    access: "step-up-when",
    body: documentTicketRequest,
    answer: documentTicketResponse,
    refusals: ["not_found"],
  },
  "GET /api/billing/document": {
    access: "visitor",
    query: documentQuery,
    file: ["application/pdf", "text/csv"],
    refusals: ["link_expired", "not_found", "conflict"],
  },
} as const satisfies Endpoints;
