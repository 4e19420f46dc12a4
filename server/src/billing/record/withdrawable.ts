import { smallerOf, type Micros } from "@farline/domain/money.ts";
import type { Balance, Ledger } from "../../ledger/ledger.ts";
import type { Tx } from "../../platform/database/database.ts";
import { endsReward, type Invitation } from "../../promotions/promotions.ts";
import { wholeCents } from "./cents.ts";
import type { Payment, PaymentLeft } from "./payment.store.ts";

/** Vouchers paid in cash, whose payer the provider does not know (docs.stripe.com/payments/vouchers). */
const NOT_RETURNABLE: readonly (string | null)[] = ["oxxo", "boleto"];

/** Whether the provider can refund the payment's method. */
export function canBeReturned({ card_brand: method }: Pick<Payment, "card_brand">): boolean {
  return !NOT_RETURNABLE.includes(method);
}

/** A customer's balance and invitation, which limit a withdrawal. */
interface Standing {
  readonly balance: Balance;
  readonly invitation: Invitation | null;
  /** The spent part of the inviter's reward. */
  readonly inviterSpentMicros: Micros;
}

/** The part of an amount to refund that comes from one payment. */
interface PaymentShare {
  readonly payment: Payment;
  readonly amountMicros: Micros;
}

/** Exact under the locks of `lockParties`; otherwise for display only. */
export async function readStanding(tx: Tx, ledger: Ledger, customerId: string, invitation: Invitation | null): Promise<Standing> {
  const balance = await ledger.balance(tx, customerId);
  if (invitation === null) return { balance, invitation, inviterSpentMicros: 0n };
  const { bonusMicros } = await ledger.balance(tx, invitation.inviterId);
  return { balance, invitation, inviterSpentMicros: above(invitation.inviterMicros, bonusMicros) };
}

/**
 * The bonus that these shares earned: their part of each payment's own bonus, and the invitation's reward if too little of its payment
 * remains. The unspent part is taken back, the spent part is withheld from the paid credit. Otherwise customers could buy credit, spend
 * the bonus and get the price back.
 */
export function bonusToReturn(
  { balance, invitation, inviterSpentMicros }: Standing,
  shares: readonly PaymentShare[],
): { readonly alongMicros: Micros; readonly keptMicros: Micros } {
  const own = shares.reduce((sum, { payment, amountMicros }) => sum + bonusShare(payment, amountMicros), 0n);
  const ends = shares.some(
    ({ payment, amountMicros }) => payment.id === invitation?.paymentId && endsReward(payment.stayed_micros - amountMicros),
  );
  const earned = own + (ends ? (invitation?.invitedMicros ?? 0n) : 0n);
  const spent = above(earned, balance.bonusMicros);
  return { alongMicros: earned - spent, keptMicros: spent + (ends ? inviterSpentMicros : 0n) };
}

/** Paid credit that may be returned with these shares: the free part minus what is withheld for spent bonus. */
export function returnableCredit(
  standing: Standing,
  shares: readonly PaymentShare[],
): { readonly freeMicros: Micros; readonly keptMicros: Micros } {
  const { alongMicros, keptMicros } = bonusToReturn(standing, shares);
  // The bonus to take back must also be free, otherwise it would come out of a call's hold.
  const free = smallerOf(standing.balance.withdrawableMicros, standing.balance.availableMicros - alongMicros) - keptMicros;
  return { freeMicros: free > 0n ? free : 0n, keptMicros };
}

/**
 * The amount that a customer may withdraw now, in whole cents: paid credit that is neither spent nor held, up to the refundable payments,
 * minus the spent part of its bonus.
 * @param payments from `lockReturnablePayments`
 */
export function withdrawable(
  standing: Standing,
  payments: readonly PaymentLeft[],
): { readonly maxMicros: Micros; readonly keptMicros: Micros } {
  const shares = splitOverPayments(standing.balance.withdrawableMicros, payments);
  const { freeMicros, keptMicros } = returnableCredit(standing, shares);
  const micros = smallerOf(
    freeMicros,
    shares.reduce((sum, one) => sum + one.amountMicros, 0n),
  );
  return { maxMicros: wholeCents(micros), keptMicros };
}

/** Splits an amount over the payments in order, each up to what is left of the payer's own credit. */
export function splitOverPayments(amountMicros: Micros, payments: readonly PaymentLeft[]): PaymentShare[] {
  const shares: PaymentShare[] = [];
  let rest = amountMicros;
  for (const { payment, ownMicros } of payments) {
    const share = smallerOf(ownMicros, rest);
    if (share <= 0n) continue;
    shares.push({ payment, amountMicros: share });
    rest -= share;
  }
  return shares;
}

function above(one: Micros, other: Micros): Micros {
  const difference = one - other;
  return difference > 0n ? difference : 0n;
}

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
