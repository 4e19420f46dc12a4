import type { Micros } from "@farline/domain/money.ts";
import type { Payment } from "./payment.store.ts";

/**
 * The part of a payment's bonus that belongs to the amount going back to the card, so that bonus and payment go, and return,
 * in the same proportion. Computed from the sums, so that many small steps lose nothing to rounding.
 * @param movesMicros above zero: goes back to the card; below zero: returns
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
  // A payment may be both refunded and disputed: never take more bonus than it brought.
  const counted = gone > charge ? charge : gone;
  return (bonus * counted) / charge;
}
