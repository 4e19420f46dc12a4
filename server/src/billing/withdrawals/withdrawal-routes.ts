import type { Withdrawal } from "@farline/contract/billing.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { customerOf, perCustomer } from "../../accounts/accounts.ts";
import { serve, requestKeyOf } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import { pageOf, readIdCursor } from "../../platform/read-cursor.ts";
import { waitsFor } from "../record/pending-reason.ts";
import { MIN_WITHDRAWAL_MICROS, quoteWithdrawal, readWithdrawable, withdrawCredit } from "./withdraw-credit.ts";
import { listWithdrawals, readWithdrawalParts, type WithdrawalPart, type WithdrawalRow } from "./withdrawal.store.ts";
import type { Context } from "../../context.ts";

/** Routes for withdrawals of unused credit. */
export function withdrawalRoutes(app: App, ctx: Context): void {
  const { db } = ctx.handle;

  serve(app, "GET /api/billing/withdrawals", async (request) => {
    const { id, status } = customerOf(request);
    const { cursor, limit } = request.query;
    const before = readIdCursor(cursor);
    const { maxMicros, keptMicros, notReturnableMicros } = await readWithdrawable(db, ctx, id);
    const rows = await listWithdrawals(db, id, { limit: limit + 1, before });
    const { shown, next } = pageOf(rows, limit, (last) => last.id);
    return {
      withdrawable: toDecimalString(status === "frozen" ? 0n : maxMicros),
      bonus_kept: toDecimalString(keptMicros),
      not_returnable: toDecimalString(notReturnableMicros),
      min: toDecimalString(MIN_WITHDRAWAL_MICROS),
      withdrawals: { data: await present(ctx, shown), next_cursor: next },
    };
  });

  serve(app, "GET /api/billing/withdrawals/quote", {
    onRequest: perCustomer(memoryRateLimit(ctx, "withdrawal-quote")),
    handler: async (request) => {
      const { amount } = request.query;
      const quote = await quoteWithdrawal(ctx, customerOf(request), amount);
      return {
        amount: toDecimalString(amount),
        parts: quote.parts.map((part) => ({ amount: toDecimalString(part.amount_micros), card: cardOf(part) })),
        balance: toDecimalString(quote.beforeMicros),
        bonus: toDecimalString(quote.bonusMicros),
        spent_bonus: toDecimalString(quote.spentBonusMicros),
        balance_after: toDecimalString(quote.afterMicros),
      };
    },
  });

  serve(app, "POST /api/billing/withdrawals", async (request) => {
    const payer = customerOf(request);
    const { amount: amountMicros, bonus_shown: bonusShownMicros = null } = request.body;
    const row = await withdrawCredit(ctx, payer, { amountMicros, bonusShownMicros, requestKey: requestKeyOf(request) });
    const [withdrawal] = await present(ctx, [row]);
    if (withdrawal === undefined) throw new Error("The new withdrawal was not found.");
    const { balanceMicros } = await ctx.ledger.balance(db, payer.id);
    return { withdrawal, balance: toDecimalString(balanceMicros) };
  });
}

async function present(ctx: Context, rows: readonly WithdrawalRow[]): Promise<Withdrawal[]> {
  const all = await readWithdrawalParts(
    ctx.handle.db,
    rows.map((row) => row.id),
  );
  return rows.map((row) => ({
    id: row.id,
    amount: toDecimalString(row.amount_micros),
    created_at: row.created_at.toISOString(),
    parts: all.filter((part) => part.withdrawal_id === row.id).map(presentPart),
  }));
}

function presentPart(part: WithdrawalPart): Withdrawal["parts"][number] {
  return {
    amount: toDecimalString(part.amount_micros),
    status: part.status,
    waits_for: part.status === "ordered" || part.status === "pending" ? waitsFor(part.pending_reason) : null,
    card: cardOf(part),
  };
}

function cardOf({ card_brand: brand, card_last4: last4 }: WithdrawalPart): Withdrawal["parts"][number]["card"] {
  return brand === null ? null : { brand, last4 };
}
