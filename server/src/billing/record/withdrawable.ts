import type { Micros } from "@farline/domain/money.ts";
import type { Balance, Ledger } from "../../ledger/ledger.ts";
import type { Tx } from "../../platform/database/database.ts";
import { endsReward, type Invitation } from "../../promotions/promotions.ts";
import { bonusShare } from "./bonus-share.ts";
import type { Payment } from "./payment.store.ts";

const MICROS_PER_CENT = 10_000n;
/** Vouchers paid in cash: the provider does not know who paid (docs.stripe.com/payments/vouchers). */
const NOT_RETURNABLE: readonly (string | null)[] = ["oxxo", "boleto"];

/** Whether a payment's money can go back the way it came. */
export function canBeReturned({ card_brand: method }: Pick<Payment, "card_brand">): boolean {
  return !NOT_RETURNABLE.includes(method);
}

/** A customer's state for a withdrawal. */
export interface Standing {
  readonly balance: Balance;
  readonly invitation: Invitation | null;
  /** The part of the invitation's bonus that the inviter has spent. */
  readonly inviterSpentMicros: Micros;
}

/** An amount to refund, with its payment. */
export interface Share {
  readonly payment: Payment;
  readonly amountMicros: Micros;
}

/** Exact under the locks of `lockParties`; without them good enough to display. */
export async function readStanding(tx: Tx, ledger: Ledger, customerId: string, invitation: Invitation | null): Promise<Standing> {
  const balance = await ledger.balance(tx, customerId);
  if (invitation === null) return { balance, invitation, inviterSpentMicros: 0n };
  const { bonusMicros } = await ledger.balance(tx, invitation.inviterId);
  return { balance, invitation, inviterSpentMicros: above(invitation.inviterMicros, bonusMicros) };
}

/**
 * The bonus earned by these shares: their part of each payment's own bonus, and the invitation's reward if too
 * little of its payment remains. Unspent bonus is taken back; the spent part is kept from the paid credit. This rule
 * prevents buying, using the bonus and taking the price back.
 */
export function bonusLeaving(
  { balance, invitation, inviterSpentMicros }: Standing,
  shares: readonly Share[],
): { readonly alongMicros: Micros; readonly keptMicros: Micros } {
  const own = shares.reduce((sum, { payment, amountMicros }) => sum + bonusShare(payment, amountMicros), 0n);
  const ends = shares.some(
    ({ payment, amountMicros }) => payment.id === invitation?.paymentId && endsReward(payment.stayed_micros - amountMicros),
  );
  const earned = own + (ends ? (invitation?.invitedMicros ?? 0n) : 0n);
  const spent = above(earned, balance.bonusMicros);
  return { alongMicros: earned - spent, keptMicros: spent + (ends ? inviterSpentMicros : 0n) };
}

/** Paid credit that may go back with these shares: the free part less what must stay for the spent bonus. */
export function freeOf(
  standing: Standing,
  shares: readonly Share[],
): { readonly freeMicros: Micros; readonly keptMicros: Micros } {
  const { alongMicros, keptMicros } = bonusLeaving(standing, shares);
  // The bonus taken back must be free too, or a call's hold would have to pay for it.
  const free = least(standing.balance.withdrawableMicros, standing.balance.availableMicros - alongMicros) - keptMicros;
  return { freeMicros: free > 0n ? free : 0n, keptMicros };
}

/**
 * The amount a customer may withdraw now, whole cents: paid credit neither spent nor held, up to what payments
 * can be refunded, less the spent part of the bonus it earned.
 * @param payments from `lockReturnablePayments`
 */
export function withdrawable(
  standing: Standing,
  payments: readonly Payment[],
): { readonly mostMicros: Micros; readonly keptMicros: Micros } {
  const shares = shareOut(standing.balance.withdrawableMicros, payments);
  const { freeMicros, keptMicros } = freeOf(standing, shares);
  const micros = least(
    freeMicros,
    shares.reduce((sum, one) => sum + one.amountMicros, 0n),
  );
  return { mostMicros: micros - (micros % MICROS_PER_CENT), keptMicros };
}

/** Distributes an amount over the payments in order, each up to what is left of it. */
export function shareOut(amountMicros: Micros, payments: readonly Payment[]): Share[] {
  const shares: Share[] = [];
  let rest = amountMicros;
  for (const payment of payments) {
    const share = least(leftOf(payment), rest);
    if (share <= 0n) continue;
    shares.push({ payment, amountMicros: share });
    rest -= share;
  }
  return shares;
}

/** The bank decides about a disputed payment. */
function leftOf(payment: Payment): Micros {
  return payment.disputed_micros > 0n ? 0n : payment.stayed_micros;
}

function least(one: Micros, other: Micros): Micros {
  return one < other ? one : other;
}

function above(one: Micros, other: Micros): Micros {
  const difference = one - other;
  return difference > 0n ? difference : 0n;
}
