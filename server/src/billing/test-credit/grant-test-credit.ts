import { DAY_MS } from "@farline/domain/durations.ts";
import { MICROS_PER_DOLLAR, type Micros } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../../platform/http/app-error.ts";
import type { BillingDependencies } from "../billing-dependencies.ts";
import { lockPaymentsOf } from "../record/payment.store.ts";
import { insertTestCredit, testCreditSince } from "./test-credit.store.ts";
import { checkTestCreditAmount } from "../checkout/top-up-amount.ts";

const MAX_DOLLARS_PER_DAY = 1_000;

/**
 * Adds test credit, in sandbox mode.
 * @returns the new balance
 * @throws AppError sandbox_only in live mode, amount_invalid, rate_limited above $1000 in 24 hours
 */
export async function grantTestCredit(deps: BillingDependencies, customerId: string, amount: Micros): Promise<Micros> {
  if (deps.config.mode !== "sandbox") throw new AppError("sandbox_only");
  const amountMicros = checkTestCreditAmount(amount);
  const balance = await deps.handle.db.transaction().execute(async (tx) => {
    await lockPaymentsOf(tx, customerId);
    const now = deps.clock.now();
    const granted = await testCreditSince(tx, customerId, new Date(now.getTime() - DAY_MS));
    const { limitsScale } = deps.config;
    const most = BigInt(Math.ceil(MAX_DOLLARS_PER_DAY * limitsScale)) * MICROS_PER_DOLLAR;
    if (limitsScale !== 0 && granted + amountMicros > most)
      throw new AppError("rate_limited", { reason: "test_credit_used", retryAfterSeconds: DAY_MS / 1000 });
    const id = uuidv7();
    await insertTestCredit(tx, { id, customerId, amountMicros, now });
    const key = `test:${id}`;
    await deps.ledger.credit(tx, {
      key,
      customerId,
      kind: "test_credit",
      amountMicros,
      referenceId: id,
      description: "Test credit",
    });
    return (await deps.ledger.balance(tx, customerId)).balanceMicros;
  });
  deps.live.publish(customerId, { type: "balance" });
  deps.live.publish(customerId, { type: "transactions" });
  return balance;
}
