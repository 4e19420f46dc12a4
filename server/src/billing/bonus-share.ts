import type { Micros } from "@farline/domain/money.ts";
import type { Payment } from "./payments/payment.store.ts";

/**
 * The part of a payment's bonus that belongs to what moves back to the card, so that bonus and payment go, and come
 * again, in the same share. Counted from the sums, so that many small steps lose nothing to rounding.
 * @param movesMicros above zero: goes back to the card; below zero: comes again
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
  // A payment may be refunded and disputed: more than it brought is never taken of the bonus.
  const counted = gone > charge ? charge : gone;
  return (bonus * counted) / charge;
}
