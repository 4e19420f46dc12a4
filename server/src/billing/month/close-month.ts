import type { MonthClosing, MonthResponse, ProviderMonth } from "@farline/contract/operator/month.ts";
import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import type { Context, OperatorContext } from "../../context.ts";
import { recordOperation, type Verb, CONCERNS_NOBODY } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import { type ClosedMonth, insertClosing, readClosing } from "./month.store.ts";
import { lockBooksToClose } from "../documents/receipt.store.ts";
import { bookedMonth } from "./month-span.ts";
import { readBooks, readTaxes } from "./read-books.ts";
import { readProviderMonth } from "./read-provider-month.ts";

/**
 * A month's books with the closing, if there was one. A closed month is read again from the ledger, and a change since is a fault.
 * @throws AppError not_found
 */
export async function readMonth(ctx: Pick<Context, "handle" | "clock">, month: string): Promise<MonthResponse> {
  const books = await readBooks(ctx, month);
  const { firstMonth: first_month } = await bookedMonth(ctx, month);
  const closed = await readClosing(ctx.handle.db, month);
  if (closed === undefined) return { books, first_month, closing: null };
  const changed = JSON.stringify(ends(books)) !== JSON.stringify(ends(closed.books));
  const text =
    "The ledger says something else than when the month was closed. Compare the two, and look for bookings in its time.";
  return {
    books: changed ? { ...books, faults: [...books.faults, { check: "closed", text }] } : books,
    first_month,
    closing: presentClosing(closed),
  };
}

/**
 * The provider's report of a month: as it was closed, or else from the provider, which takes a request for each hundred movements.
 * @throws AppError not_found; payment_provider_down
 */
export async function readProviderReport(ctx: Parameters<typeof readProviderMonth>[0], month: string): Promise<ProviderMonth> {
  return (await readClosing(ctx.handle.db, month))?.provider ?? readProviderMonth(ctx, month);
}

/**
 * Keeps the books and the provider's report of a month that is over. The ledger must add up; differences from the provider are kept
 * with the reason.
 * @throws AppError not_found; conflict if it runs, does not add up or is closed already; payment_provider_down
 */
async function closeMonth(ctx: OperatorContext, { month, reason }: OperationInput<"close-month">): Promise<MonthClosing> {
  const books = await readBooks(ctx, month);
  if (!books.complete) throw new AppError("conflict", { reason: "operator.month_running", params: { month } });
  const [fault] = books.faults;
  if (fault !== undefined)
    throw new AppError("conflict", { reason: "operator.month_faults", params: { month }, detail: fault.text });
  const provider = await readProviderMonth(ctx, month);
  const open = provider.differences.filter(({ timing }) => !timing).length;
  const closing = {
    month,
    closed_at: ctx.clock.now(),
    operator_id: ctx.actor.id,
    operator: ctx.actor.name,
    reason,
    closing_micros: fromDecimalString(books.closing.total),
    bonus_micros: fromDecimalString(books.closing.bonus),
  };
  const kept = await ctx.transaction(async (tx) => {
    await lockBooksToClose(tx);
    // Receipts may have been issued since the books were read; later ones belong to the next month.
    const kept = { ...books, ...(await readTaxes(tx, await bookedMonth(ctx, month))) };
    const isFirst = await insertClosing(tx, { ...closing, books: JSON.stringify(kept), provider: JSON.stringify(provider) });
    if (!isFirst) throw new AppError("conflict", { reason: "operator.month_closed", params: { month } });
    await recordOperation(tx, ctx, {
      ...CONCERNS_NOBODY,
      action: "close-month",
      subject: month,
      reason,
      detail: { closing: books.closing.total, bonus: books.closing.bonus, differences: open },
    });
    return kept;
  });
  return presentClosing({ ...closing, books: kept, provider });
}

export const monthVerbs: { readonly "close-month": Verb<"close-month", MonthClosing> } = {
  "close-month": { order: closeMonth, respond: ({ result }) => result as MonthClosing },
};

/** What must not change once a month is closed. */
function ends({ opening, closing, movements }: MonthResponse["books"]): unknown {
  return [
    opening.total,
    opening.bonus,
    closing.total,
    closing.bonus,
    movements.map(({ line, count, total, bonus }) => [line, count, total, bonus]),
  ];
}

function presentClosing({ closed_at: at, operator, reason, books, provider }: ClosedMonth): MonthClosing {
  return { at: at.toISOString(), operator, reason, books, provider };
}
