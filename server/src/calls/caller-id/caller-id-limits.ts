/** Numbers of one account. */
export const MOST_CALLER_NUMBERS = 5;
/** Wrong codes of one call. */
export const CODE_TRIES = 3;
/** How long a code is good, as the exchange keeps it. */
export const CODE_LIFE_MS = 10 * 60_000;
/** Removed numbers that the provider is told of in one run of the job. */
export const MOST_REMOVALS = 50;

const HOUR_SECONDS = 60 * 60;
const TEXT = "Too many calls with a code.";

/**
 * Calls that read a code cost us, not the customer, and ring people who may not have asked for it. So they are few: by account, by
 * number whoever asks, and in all.
 */
export const CODE_CALLS = {
  account: { name: "code-call-account", points: 5, perSeconds: 24 * HOUR_SECONDS, text: TEXT },
  number: { name: "code-call-number", points: 3, perSeconds: 24 * HOUR_SECONDS, text: TEXT },
  all: { name: "code-call-all", points: 200, perSeconds: 24 * HOUR_SECONDS, text: TEXT },
} as const;
