/** Most numbers per account. */
export const MOST_CALLER_NUMBERS = 5;
/** Most wrong codes per call. */
export const CODE_TRIES = 3;
/** How long a code is valid; the exchange keeps it as long. */
export const CODE_LIFE_MS = 10 * 60_000;
/** Removed numbers reported to the provider in one run of the job. */
export const MOST_REMOVALS = 50;

const HOUR_SECONDS = 60 * 60;
const TEXT = "Too many calls with a code.";

/**
 * Calls that read a code cost the service money and may ring people who did not ask for them. They are limited per account, per
 * number across accounts, and in total.
 */
export const CODE_CALLS = {
  account: { name: "code-call-account", points: 5, perSeconds: 24 * HOUR_SECONDS, text: TEXT },
  number: { name: "code-call-number", points: 3, perSeconds: 24 * HOUR_SECONDS, text: TEXT },
  all: { name: "code-call-all", points: 200, perSeconds: 24 * HOUR_SECONDS, text: TEXT },
} as const;
