import { DAY_MS } from "@farline/domain/durations.ts";
import { findCustomer, passwordResetAt } from "../../accounts/accounts.ts";
import { runningCharge } from "../../calls/calls.ts";
import type { Tx } from "../../platform/database/database.ts";
import { readPayerHistory } from "../limits/payer-history.store.ts";
import { chargesSince, hasUndecidedCharge, isCreditWithdrawn, type AutoTopUp } from "../cards/auto-top-up.store.ts";
import { findCard } from "../cards/saved-card.store.ts";
import type { AutoTopUpFacts } from "./decide-auto-top-up.ts";
import type { Context } from "../../context.ts";

/** Reads the inputs of `decideAutoTopUp`; undefined if the customer does not exist. */
export async function readAutoFacts(tx: Tx, ctx: Context, settings: AutoTopUp): Promise<AutoTopUpFacts | undefined> {
  const { customer_id: customerId } = settings;
  const now = ctx.clock.now();
  const customer = await findCustomer(tx, customerId);
  if (customer === undefined) return undefined;
  // In this order, because a charge read as paid must be in the balance, and a call that ends in between must not count twice.
  // An operator reviews a charge with an unexpected outcome before the next one.
  const isCharging = await hasUndecidedCharge(tx, customerId);
  const charges = await chargesSince(tx, customerId, new Date(now.getTime() - DAY_MS));
  const balance = await ctx.ledger.balance(tx, customerId);
  const used = await runningCharge(tx, customerId, now);
  const card = settings.card_id === null ? undefined : await findCard(tx, customerId, settings.card_id);
  const history = await readPayerHistory(tx, { customerId, now });
  return {
    settings: {
      isOn: settings.is_on,
      stopped: settings.stopped_reason,
      thresholdMicros: settings.threshold_micros,
      amountMicros: settings.amount_micros,
    },
    cardConfirmed: card?.authenticated ?? false,
    frozen: customer.status === "frozen",
    passwordResetAt: await passwordResetAt(tx, customerId),
    debtMicros: balance.debtMicros,
    creditMicros: balance.balanceMicros - used,
    isWithdrawn: used === 0n && (await isCreditWithdrawn(tx, customerId)),
    isCharging,
    charges: charges
      .filter(({ status }) => status !== "expired")
      .map((one) => ({ at: one.created_at, amountMicros: one.charge_micros, paid: one.status === "paid" })),
    history: { ...history, createdAt: customer.createdAt, emailVerified: customer.emailVerified },
  };
}
