import { DAY_MS } from "../durations.ts";
import { MICROS_PER_DOLLAR, type Micros } from "../money.ts";

/**
 * Bounds of credit that guests, who have no account, buy for a customer by card. Stolen cards are tried out and turned into calls where
 * nobody asks for a name, so one receiver and one payment are bounded, and unproven money waits. Multiplied by LIMITS_SCALE; 0 turns
 * them off. A guest's own payments are bounded as those of any new payer.
 */
export const GUEST_GIFTS = {
  /** The most that can be paid without an account. */
  mostMicros: 50n * MICROS_PER_DOLLAR,
  /** That one customer may receive from guests. */
  perDayMicros: 100n * MICROS_PER_DOLLAR,
  perMonthMicros: 300n * MICROS_PER_DOLLAR,
  /** Guests of one customer in a week after whom the next one's credit waits. */
  guestsPerWeek: 2,
  /** How long it waits: most owners of stolen cards have complained by then. */
  heldForMs: 3 * DAY_MS,
} as const;

/** What is known about a guest's payment when its money has arrived. */
export interface GuestGiftFacts {
  /** The cardholder confirmed it at the bank (3-D Secure), which then answers for fraud. */
  readonly authenticated: boolean;
  /** Other payers with the same card. */
  readonly othersWithCard: number;
  /** Other guests who paid for the same customer in the last week. */
  readonly otherGuests: number;
}

/** Whether a guest's credit waits before it is given. @param scale of the limits */
export function isHeldBack({ authenticated, othersWithCard, otherGuests }: GuestGiftFacts, scale: number): boolean {
  if (scale === 0) return false;
  return !authenticated || othersWithCard > 0 || otherGuests >= Math.ceil(GUEST_GIFTS.guestsPerWeek * scale);
}

/**
 * Whether a customer may receive this amount from a guest.
 * @param received from guests, ordered or paid, in the last day and in the last 30 days, in micro-dollars
 * @returns the bound that it would exceed, or null
 */
export function guestGiftRefusal(
  amountMicros: Micros,
  received: { readonly dayMicros: Micros; readonly monthMicros: Micros },
  scale: number,
): "guest_most" | "guest_receiver" | null {
  if (scale === 0) return null;
  const scaled = (micros: Micros) => (micros * BigInt(Math.ceil(scale * 1_000))) / 1_000n;
  if (amountMicros > scaled(GUEST_GIFTS.mostMicros)) return "guest_most";
  const isOver =
    received.dayMicros + amountMicros > scaled(GUEST_GIFTS.perDayMicros) ||
    received.monthMicros + amountMicros > scaled(GUEST_GIFTS.perMonthMicros);
  return isOver ? "guest_receiver" : null;
}
