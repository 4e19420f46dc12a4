import type { Micros } from "@farline/domain/money.ts";
import type { Balance, Ledger } from "../../ledger/ledger.ts";
import type { Tx } from "../../platform/database/database.ts";
import { endsReward, type Invitation } from "../../promotions/promotions.ts";
import { bonusShare } from "../bonus-share.ts";
import type { Payment } from "../payments/payment.store.ts";

const MICROS_PER_CENT = 10_000n;

/** Of a customer whose money may go back. */
export interface Standing {
  readonly balance: Balance;
  readonly invitation: Invitation | null;
  /** What the inviter has spent of the bonus that the invitation brought. */
  readonly inviterSpentMicros: Micros;
}

/** An amount that goes back, of the payment that brought it. */
export interface Share {
  readonly payment: Payment;
  readonly amountMicros: Micros;
}

/** Exact under the locks of `lockParties`; without them as good as any figure that is shown. */
export async function readStanding(
  tx: Tx,
  ledger: Pick<Ledger, "balance">,
  customerId: string,
  invitation: Invitation | null,
): Promise<Standing> {
  const balance = await ledger.balance(tx, customerId);
  if (invitation === null) return { balance, invitation, inviterSpentMicros: 0n };
  const { bonusMicros } = await ledger.balance(tx, invitation.inviterId);
  return { balance, invitation, inviterSpentMicros: above(invitation.inviterMicros, bonusMicros) };
}

/**
 * The bonus that these shares had earned: their part of each payment's own bonus, and the reward of the invitation when too
 * little stays of its payment. What is still there goes along; what was spent is kept of the paid credit. This is the rule
 * that lets nobody buy, use the bonus, and take the price back.
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

/** Paid credit that may go back with these shares: free, less what they must leave for the bonus they had earned. */
export function freeOf(
  standing: Standing,
  shares: readonly Share[],
): { readonly freeMicros: Micros; readonly keptMicros: Micros } {
  const { alongMicros, keptMicros } = bonusLeaving(standing, shares);
  // The bonus that goes along must be free too, or what is held for a call would have to pay for it.
  const free = least(standing.balance.withdrawableMicros, standing.balance.availableMicros - alongMicros) - keptMicros;
  return { freeMicros: free > 0n ? free : 0n, keptMicros };
}

/**
 * What a customer may withdraw now, whole cents: bought credit that is neither spent nor held, as far as payments are left to
 * give it back to, less the bonus it earned that is spent.
 * @param payments that may be given back, as `lockReturnablePayments` tells
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

/** Shares an amount out over the payments, each up to what is left of it, in their order. */
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

/** A disputed payment is the bank's matter. */
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
