import { MICROS_PER_DOLLAR, type Micros } from "../money.ts";

/**
 * How much of the silence before a lost call ended may be free of charge in 24 hours, at the price of the calls. It is limited
 * because either side can cause silence on purpose, and carriers charge for it.
 */
export const SILENCE_BUDGETS = {
  perAccountMicros: (3n * MICROS_PER_DOLLAR) / 10n,
  /** For calls to one number, for all accounts together. */
  perNumberMicros: (3n * MICROS_PER_DOLLAR) / 10n,
  inAllMicros: 10n * MICROS_PER_DOLLAR,
} as const;

/** The longest silence that may be free. It exceeds the 45 s after which the exchange ends a lost caller's call. */
export const MAX_FORGIVEN_MS = 60_000;

/** The value of the silence that was free in the previous 24 hours. */
export interface ForgivenSilence {
  /** Whether the caller has a payment that was not withdrawn, refunded or disputed. */
  readonly hasPaid: boolean;
  readonly toAccountMicros: Micros;
  readonly forNumberMicros: Micros;
  readonly inAllMicros: Micros;
}

/** Whether the silence of a lost call is free of charge. @param micros what it would cost */
export function isSilenceForgiven(micros: Micros, before: ForgivenSilence): boolean {
  return (
    before.hasPaid &&
    before.toAccountMicros + micros <= SILENCE_BUDGETS.perAccountMicros &&
    before.forNumberMicros + micros <= SILENCE_BUDGETS.perNumberMicros &&
    before.inAllMicros + micros <= SILENCE_BUDGETS.inAllMicros
  );
}
