import { DAY_MS, DAY_SECONDS } from "@farline/domain/durations.ts";
/** Numbers per account. */
export const MAX_CALLER_NUMBERS = 5;
/** Wrong codes per call. */
export const CODE_TRIES = 3;
/** Lifetime of a code; the exchange uses the same. */
export const CODE_LIFE_MS = 10 * 60_000;
/** Removed numbers reported to the provider in one run of the job. */
export const MAX_REMOVALS = 50;

/** Numbers change hands, and voicemail may have recorded a code, so verification must be repeated after this time. */
export const PROOF_LIFE_MS = 180 * DAY_MS;
/** Assumed maximum length of a code call, used to estimate its cost. */
export const CODE_CALL_SECONDS = 110;

const TEXT = "Too many calls with a code.";

/**
 * Code calls cost the service money and may disturb people who did not request them. They are limited per account, per number
 * across accounts, per network, and in total.
 */
export const CODE_CALLS = {
  account: { name: "code-call-account", points: 5, perSeconds: DAY_SECONDS, text: TEXT },
  /** Lower than `number`, so that one call is left for the number's owner. */
  accountAndNumber: { name: "code-call-account-number", points: 2, perSeconds: DAY_SECONDS, text: TEXT },
  number: { name: "code-call-number", points: 3, perSeconds: DAY_SECONDS, text: TEXT },
  /** Likewise, within the week. */
  accountAndNumberInWeek: { name: "code-call-account-number-week", points: 4, perSeconds: 7 * DAY_SECONDS, text: TEXT },
  numberInWeek: { name: "code-call-number-week", points: 6, perSeconds: 7 * DAY_SECONDS, text: TEXT },
  /** Long-time customers are not counted, so that neighbours cannot use up what they need. */
  network: { name: "code-call-network", points: 10, perSeconds: DAY_SECONDS, text: TEXT },
  /** New accounts share half of the total, so that customers who pay and withdraw cannot exhaust it. */
  newcomers: { name: "code-call-newcomers", points: 100, perSeconds: DAY_SECONDS, text: TEXT },
  all: { name: "code-call-all", points: 200, perSeconds: DAY_SECONDS, text: TEXT },
} as const;

/** Weekly guesses over all calls, too few to guess six digits. A correct code resets the number's count. */
export const CODE_GUESSES = {
  account: { name: "code-guess-account", points: 15, perSeconds: 7 * DAY_SECONDS, reason: "code_guesses_used" },
  /** Lower than `number`, so that guesses are left for the number's owner. */
  accountAndNumber: {
    name: "code-guess-account-number",
    points: 6,
    perSeconds: 7 * DAY_SECONDS,
    reason: "code_guesses_used_for_number",
  },
  number: { name: "code-guess-number", points: 9, perSeconds: 7 * DAY_SECONDS, reason: "code_guesses_used_for_number" },
} as const;
