import type { Micros } from "@farline/domain/money.ts";
import type { Payment } from "./payment.store.ts";

/**
 * The part of a payment's bonus that moves with an amount of the payment, so that both stay in proportion. Computed from the totals, so
 * that rounding errors of many small steps do not add up.
 * @param movesMicros positive for an amount returned to the card; negative for one that comes back from it
 * @returns with the sign of `movesMicros`
 */
export function bonusShare(
  payment: Pick<Payment, "charge_micros" | "bonus_micros" | "refunded_micros" | "disputed_micros">,
  movesMicros: Micros,
): Micros {
  const gone = payment.refunded_micros + payment.disputed_micros;
  return bonusOf(payment, gone + movesMicros) - bonusOf(payment, gone);
}

function bonusOf({ charge_micros: charge, bonus_micros: bonus }: Pick<Payment, "charge_micros" | "bonus_micros">, gone: Micros) {
  // A payment may be both refunded and disputed. Never take more than its bonus.
  const counted = gone > charge ? charge : gone;
  return (bonus * counted) / charge;
}
