import { MICROS_PER_DOLLAR, type Micros } from "../money.ts";

/**
 * What may be forgiven of the silence before a lost call was given up. Callers and called sides can cause it on purpose, and carriers
 * charge for it, so it has budgets: for 24 hours, at the price of the calls.
 */
export const SILENCE_BUDGETS = {
  perAccountMicros: (3n * MICROS_PER_DOLLAR) / 10n,
  /** For calls to one number, of all accounts together. */
  perNumberMicros: (3n * MICROS_PER_DOLLAR) / 10n,
  inAllMicros: 10n * MICROS_PER_DOLLAR,
} as const;

/** The longest silence that may be forgiven: above the 45 s after which the exchange gives up a lost caller. */
export const MOST_FORGIVEN_MS = 60_000;

/** What was forgiven in the 24 hours before, at the price of the calls. */
export interface ForgivenSilence {
  /** Whether a payment of the caller stayed: neither withdrawn, refunded nor disputed. */
  readonly hasPaid: boolean;
  readonly toAccountMicros: Micros;
  readonly forNumberMicros: Micros;
  readonly inAllMicros: Micros;
}

/** Whether the silence of a lost call is free. @param micros what it would cost */
export function isSilenceForgiven(micros: Micros, before: ForgivenSilence): boolean {
  return (
    before.hasPaid &&
    before.toAccountMicros + micros <= SILENCE_BUDGETS.perAccountMicros &&
    before.forNumberMicros + micros <= SILENCE_BUDGETS.perNumberMicros &&
    before.inAllMicros + micros <= SILENCE_BUDGETS.inAllMicros
  );
}
