import { DAY_MS } from "@farline/domain/durations.ts";
import { MICROS_PER_DOLLAR, type Micros } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import type { Context } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import { lockPaymentsOf } from "../record/payment.store.ts";
import { insertTestCredit, testCreditSince } from "./test-credit.store.ts";
import { checkTestCreditAmount } from "./top-up-amount.ts";

const MAX_DOLLARS_PER_DAY = 1_000;

/**
 * Adds test credit, in sandbox mode.
 * @returns the new balance
 * @throws AppError sandbox_only in live mode, amount_invalid, rate_limited above $1000 in 24 hours
 */
export async function grantTestCredit(ctx: Context, customerId: string, amount: Micros): Promise<Micros> {
  if (ctx.config.mode !== "sandbox") throw new AppError("sandbox_only");
  const amountMicros = checkTestCreditAmount(amount);
  const balance = await ctx.transaction(async (tx) => {
    await lockPaymentsOf(tx, customerId);
    const now = ctx.clock.now();
    const granted = await testCreditSince(tx, customerId, new Date(now.getTime() - DAY_MS));
    const { limitsScale } = ctx.config;
    const max = BigInt(Math.ceil(MAX_DOLLARS_PER_DAY * limitsScale)) * MICROS_PER_DOLLAR;
    if (limitsScale !== 0 && granted + amountMicros > max)
      throw new AppError("rate_limited", { reason: "test_credit_used", retryAfterSeconds: DAY_MS / 1000 });
    const id = uuidv7();
    await insertTestCredit(tx, { id, customerId, amountMicros, now });
    const key = `test:${id}`;
    await ctx.ledger.credit(tx, {
      key,
      customerId,
      kind: "test_credit",
      amountMicros,
      referenceId: id,
      description: "Test credit",
    });
    return (await ctx.ledger.balance(tx, customerId)).balanceMicros;
  });
  ctx.live.publish(customerId, { type: "balance" });
  ctx.live.publish(customerId, { type: "transactions" });
  return balance;
}
