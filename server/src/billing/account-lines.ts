import type { Transaction, TransactionGroup, TransactionsResponse } from "@farline/contract/billing.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { contactNames } from "../contacts/contacts.ts";
import { readNames } from "../family/family.ts";
import type { LedgerLine, LedgerPage } from "../ledger/ledger.ts";
import { readCursor } from "../platform/read-cursor.ts";
import { receiptsOfPayments } from "./documents/receipt.store.ts";
import { referenceOf, subjectOf, topUpDescription } from "./record/entry-subject.ts";
import { problemOf } from "./checkout/payment-problem.ts";
import { giftPaymentsAmong } from "./credit-for-others/gift.store.ts";
import { countUnpaid, unpaidPayments, type Payment } from "./record/payment.store.ts";
import type { Context } from "../context.ts";

/** A position in two lists: the last entry's sequence and the last payment's id, each absent until one was shown. */
const CURSOR = /^([1-9]\d{0,17})?~([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/;
const NO_ENTRIES: LedgerPage = { rows: [], nextCursor: null, total: 0 };

interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly group: TransactionGroup;
}

interface Position {
  readonly entry: string | undefined;
  readonly payment: string | undefined;
}

type Row = { readonly at: Date } & ({ readonly line: LedgerLine } | { readonly payment: Payment });

/**
 * One page of an account's activity, newest first: its ledger entries and, among the top-ups, card payments that brought no credit,
 * which have a time but no balance.
 * @throws AppError malformed_request for an invalid cursor
 */
export async function readAccountLines(
  ctx: Context,
  customerId: string,
  query: PageQuery,
): Promise<TransactionsResponse["transactions"]> {
  const { group, limit } = query;
  const from = readCursor(query.cursor, CURSOR, positionOf) ?? positionOf();
  const { db } = ctx.handle;
  const withUnpaid = group === "all" || group === "top_ups" || group === "unpaid";
  // Read first, because a payment that is paid in between appears among the entries and is left out here.
  const payments = withUnpaid ? await unpaidPayments(db, customerId, { before: from.payment, limit: limit + 1 }) : [];
  const entries =
    group === "unpaid"
      ? NO_ENTRIES
      : await ctx.ledger.transactions(db, customerId, {
          limit,
          group,
          ...(from.entry === undefined ? {} : { cursor: from.entry }),
        });
  const rows = merge(entries.rows, payments);
  const shown = rows.slice(0, limit);
  const credited = shown.flatMap((row) => ("line" in row && row.line.kind === "top_up" ? (row.line.referenceId ?? []) : []));
  const receipts = await receiptsOfPayments(db, customerId, credited);
  const callers = shown.flatMap((row) => ("line" in row ? (row.line.callerId ?? []) : []));
  const forOthers = await giftPaymentsAmong(
    db,
    shown.flatMap((row) => ("payment" in row ? row.payment.id : [])),
  );
  const now = ctx.clock.now();
  const names = callers.length === 0 ? new Map<string, string>() : await readNames(db, callers);
  const called = shown.flatMap((row) => ("line" in row ? (calledNumber(row.line) ?? []) : []));
  const contacts = await contactNames(db, customerId, called);
  return {
    data: shown.map((row) =>
      "line" in row
        ? presentLine(row.line, { receipts, names, contacts })
        : presentPayment(row.payment, { now, isForOther: forOthers.has(row.payment.id) }),
    ),
    next_cursor: rows.length > limit || entries.nextCursor !== null ? formatPosition(from, shown) : null,
    total: group === "unpaid" ? await countUnpaid(db, customerId) : entries.total,
  };
}

function merge(lines: readonly LedgerLine[], payments: readonly Payment[]): Row[] {
  const booked = new Set(lines.map((line) => line.referenceId));
  const rows: Row[] = [
    ...lines.map((line) => ({ at: line.createdAt, line })),
    ...payments.filter(({ id }) => !booked.has(id)).map((payment) => ({ at: payment.created_at, payment })),
  ];
  return rows.toSorted((a, b) => b.at.getTime() - a.at.getTime());
}

function positionOf(entry?: string, payment?: string): Position {
  return { entry, payment };
}

function formatPosition(from: Position, shown: readonly Row[]): string {
  let { entry, payment } = from;
  for (const row of shown)
    if ("line" in row) entry = String(row.line.sequence);
    else payment = row.payment.id;
  return `${entry ?? ""}~${payment ?? ""}`;
}

/** The number that the customer called (E.164), which is no contact's once it is masked; null for a member's call. */
function calledNumber(line: LedgerLine): string | null {
  const number = subjectOf(line).phoneNumber?.replaceAll(" ", "") ?? null;
  return line.callerId === null ? number : null;
}

interface Known {
  /** By payment. */
  readonly receipts: ReadonlyMap<string, string>;
  /** Of the family's members. */
  readonly names: ReadonlyMap<string, string>;
  /** By number. */
  readonly contacts: ReadonlyMap<string, string>;
}

function presentLine(line: LedgerLine, { receipts, names, contacts }: Known): Transaction {
  const credit = line.amountMicros > 0n;
  const { about, promoCode } = subjectOf(line);
  return {
    id: line.id,
    type: credit ? "credit" : "debit",
    kind: line.kind,
    description: line.description,
    amount: toDecimalString(credit ? line.amountMicros : -line.amountMicros),
    balance_after: toDecimalString(line.balanceAfterMicros),
    status: "completed",
    about,
    promo_code: promoCode,
    problem: null,
    member: line.callerId === null ? null : { name: names.get(line.callerId) ?? null },
    contact_name: contacts.get(calledNumber(line) ?? "") ?? null,
    reference_id: referenceOf(line),
    receipt_id: (line.kind === "top_up" ? receipts.get(line.referenceId ?? "") : undefined) ?? null,
    checkout_url: null,
    can_pay_again: false,
    created_at: line.createdAt.toISOString(),
  };
}

function presentPayment(
  payment: Payment,
  { now, isForOther }: { readonly now: Date; readonly isForOther: boolean },
): Transaction {
  const automatic = payment.kind === "auto";
  const status = shownStatus(payment);
  const isPayable = payment.status === "open" && payment.expires_at > now;
  return {
    id: payment.id,
    type: "credit",
    kind: "top_up",
    description: topUpDescription(automatic),
    amount: toDecimalString(payment.charge_micros),
    balance_after: null,
    status,
    about: payment.status === "pending" ? "on_its_way" : automatic ? "automatic" : null,
    promo_code: null,
    problem: problemOf(payment),
    member: null,
    contact_name: null,
    reference_id: payment.id,
    receipt_id: null,
    checkout_url: isPayable ? payment.checkout_url : null,
    can_pay_again: status !== "pending" && !automatic && !isForOther,
    created_at: payment.created_at.toISOString(),
  };
}

/** A payment that the customer left without a declined card has not failed. */
function shownStatus({ status, kind, failure_code: declined }: Payment): Transaction["status"] {
  if (status === "expired" && kind !== "auto" && declined === null) return "cancelled";
  return status === "failed" || status === "expired" ? "failed" : "pending";
}
