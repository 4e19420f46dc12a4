import { DAY_MS, DAY_SECONDS } from "@farline/domain/durations.ts";
/** Most numbers per account. */
export const MAX_CALLER_NUMBERS = 5;
/** Most wrong codes per call. */
export const CODE_TRIES = 3;
/** How long a code is valid; the exchange keeps it as long. */
export const CODE_LIFE_MS = 10 * 60_000;
/** Removed numbers reported to the provider in one run of the job. */
export const MAX_REMOVALS = 50;

/** A proof is renewed by another call after this long: numbers change hands, and a code may have been read to a voicemail box. */
export const PROOF_LIFE_MS = 180 * DAY_MS;
/** The longest call that reads a code, of which the costs count. */
export const CODE_CALL_SECONDS = 110;

const TEXT = "Too many calls with a code.";

/**
 * Calls that read a code cost the service money and may ring people who did not ask for them. They are limited per account, per
 * number across accounts, per network, and in total.
 */
export const CODE_CALLS = {
  account: { name: "code-call-account", points: 5, perSeconds: DAY_SECONDS, text: TEXT },
  /** One account leaves a call for the number's owner. */
  accountAndNumber: { name: "code-call-account-number", points: 2, perSeconds: DAY_SECONDS, text: TEXT },
  number: { name: "code-call-number", points: 3, perSeconds: DAY_SECONDS, text: TEXT },
  numberInWeek: { name: "code-call-number-week", points: 6, perSeconds: 7 * DAY_SECONDS, text: TEXT },
  network: { name: "code-call-network", points: 10, perSeconds: DAY_SECONDS, text: TEXT },
  /** Accounts of the lowest tier: those who pay and withdraw leave half of the day to the others. */
  newcomers: { name: "code-call-newcomers", points: 100, perSeconds: DAY_SECONDS, text: TEXT },
  all: { name: "code-call-all", points: 200, perSeconds: DAY_SECONDS, text: TEXT },
} as const;

/** Codes entered in a week, whatever the calls they belong to: six digits are not guessed in so many. A right one clears the number's count. */
export const CODE_GUESSES = {
  account: { name: "code-guess-account", points: 15, perSeconds: 7 * DAY_SECONDS, reason: "code_guesses_used" },
  number: { name: "code-guess-number", points: 9, perSeconds: 7 * DAY_SECONDS, reason: "code_guesses_used_for_number" },
} as const;
