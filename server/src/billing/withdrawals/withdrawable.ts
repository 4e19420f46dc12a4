import type { Micros } from "@farline/domain/money.ts";
import type { Balance } from "../../ledger/ledger.ts";
import type { Payment } from "../payment.store.ts";

const MICROS_PER_CENT = 10_000n;

/**
 * What a customer may withdraw now, whole cents: bought credit that is neither spent nor held, as far as payments are
 * left to give it back to. Bonus that came with those payments and is used up already stays paid for, or a bonus could
 * be used for nothing again and again.
 * @param payments that may be given back, as `lockReturnablePayments` tells
 */
export function withdrawableMicros(balance: Balance, payments: readonly Payment[]): Micros {
  const bonusOut = payments.reduce((sum, one) => sum + one.bonus_micros - one.bonus_returned_micros, 0n);
  const bonusLeft = least(bonusOut, balance.bonusMicros);
  const returnable = payments.reduce((sum, one) => sum + leftOf(one), 0n);
  // The bonus that goes along must be free too, or what is held for a call would have to pay for it.
  const free = least(balance.withdrawableMicros, balance.availableMicros - bonusLeft);
  const micros = least(free - (bonusOut - bonusLeft), returnable);
  return micros <= 0n ? 0n : micros - (micros % MICROS_PER_CENT);
}

function least(one: Micros, other: Micros): Micros {
  return one < other ? one : other;
}

/** Shares an amount out over the payments, each up to what is left of it, in their order. */
export function shareOut(amountMicros: Micros, payments: readonly Payment[]): { payment: Payment; amountMicros: Micros }[] {
  const shares: { payment: Payment; amountMicros: Micros }[] = [];
  let rest = amountMicros;
  for (const payment of payments) {
    const share = least(leftOf(payment), rest);
    if (share <= 0n) continue;
    shares.push({ payment, amountMicros: share });
    rest -= share;
  }
  return shares;
}

/** A disputed payment is the bank's matter. */
function leftOf(payment: Payment): Micros {
  return payment.disputed_micros > 0n ? 0n : payment.charge_micros - payment.refunded_micros;
}
