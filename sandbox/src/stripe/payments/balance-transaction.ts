import { DAY_SECONDS } from "@farline/domain/durations.ts";
import type Stripe from "stripe";
import { insertObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { newId } from "../store/stripe-id.ts";
import { settlementRates } from "../events/chaos.ts";
import { seconds, type Cause } from "../events/stripe-event.ts";

const AVAILABLE_AFTER_SECONDS = 2 * DAY_SECONDS;
const THOUSANDTHS = 1_000;

/** A movement of the shop's balance, as its payer paid it; withdrawals are negative. */
export interface Movement {
  type: "charge" | "refund" | "refund_failure" | "adjustment";
  amount: number;
  fee: number;
  currency: string;
  source: string;
  description: string | null;
}

/** Stores a movement. @returns the whole object, as disputes show it */
export async function addBalanceTransaction(tx: Tx, cause: Cause, movement: Movement): Promise<Stripe.BalanceTransaction> {
  const { amount, fee, currency, rate } = settled(cause, movement);
  const entry: Stripe.BalanceTransaction = {
    id: newId("txn_3"),
    object: "balance_transaction",
    amount,
    available_on: seconds(cause) + AVAILABLE_AFTER_SECONDS,
    balance_type: "payments",
    created: seconds(cause),
    currency,
    description: movement.description,
    exchange_rate: rate,
    fee,
    fee_details: fee === 0 ? [] : [{ amount: fee, application: null, currency, description: "Stripe fees", type: "stripe_fee" }],
    net: amount - fee,
    reporting_category: reportingCategory(movement),
    source: movement.source,
    status: "available",
    type: movement.type,
  };
  await insertObject(tx, entry);
  return entry;
}

/** The movement in the account's own currency. Only dollars are converted. */
function settled({ chaos }: Cause, { amount, fee, currency }: Movement) {
  if (chaos.settles === "usd" || currency !== "usd") return { amount, fee, currency, rate: null };
  const rate = settlementRates[chaos.settles] / THOUSANDTHS;
  return { amount: Math.round(amount * rate), fee: Math.round(fee * rate), currency: chaos.settles, rate };
}

function reportingCategory({ type, amount }: Movement): string {
  if (type !== "adjustment") return type;
  return amount < 0 ? "dispute" : "dispute_reversal";
}

/** Stripe's list price for a US card: 2.9% and 30 cents. */
export function chargeFee(amount: number): number {
  return Math.round(amount * 0.029) + 30;
}
