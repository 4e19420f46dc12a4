import { DAY_MS } from "@farline/domain/durations.ts";
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
