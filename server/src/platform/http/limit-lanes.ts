import type { Reason } from "@farline/texts/reason.ts";
import { DAY_SECONDS } from "@farline/domain/durations.ts";

/**
 * How the person whom a limit protects still gets in after strangers have used it up.
 * `door`: counted by live session or known browser, not by network (`perDoor`). `known-browser`: likewise, but only a browser of the
 * account that the request names. `link`: the holder of a valid mailed link or challenge is counted by it. `session`: counted in each live
 * session. `share`: one account may use only a part. `tier`: likewise new customers together, or they alone are counted. `proof`: a proof of work instead of a refusal.
 */
export type Lane = "door" | "known-browser" | "link" | "session" | "share" | "tier" | "proof";

/** Who can use a limit up: only the account that asks, or strangers, by what they share or know. */
type Filled =
  | { readonly by: "asker" }
  | { readonly by: "network" | "address" | "account" | "number" | "everybody"; readonly lane: Lane }
  /** `why` nobody can have a lane of their own, and what they do instead. */
  | { readonly by: "network" | "account" | "number" | "everybody"; readonly lane: null; readonly why: string };

/** How often something may happen. */
export interface LimitSize {
  /** Attempts, multiplied by the setting `LIMITS_SCALE`; by network, those of one host. */
  readonly points: number;
  readonly perSeconds: number;
  /** Says what was exceeded; the time to wait is appended. */
  readonly reason?: Reason;
}

const MINUTE = 60;
const TEN_MINUTES = 10 * MINUTE;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = DAY_SECONDS;
const WEEK = 7 * DAY;

/**
 * Every limit that counts requests. A limit that is missing here cannot be created, so a new one has to say how strangers are kept from
 * using it up. `security/shut-out.test.ts` uses each of them up as a stranger and gets in as the owner.
 */
export const LIMITS = {
  "call-export": { points: 10, perSeconds: MINUTE, by: "asker" },
  "call-quality": { points: 30, perSeconds: MINUTE, by: "asker" },
  "call-rating": { points: 30, perSeconds: MINUTE, by: "asker" },
  "call-refund": { points: 20, perSeconds: HOUR, by: "asker" },
  "caller-id": { points: 30, perSeconds: MINUTE, by: "asker" },
  /** Each question sends a mail. */
  "case-day": { points: 10, perSeconds: DAY, reason: "questions_used", by: "asker" },
  "case-try": { points: 30, perSeconds: MINUTE, by: "asker" },
  // Calls with a code cost the service money and may disturb people who did not request them.
  "code-call-account": { points: 5, perSeconds: DAY, by: "asker" },
  /** Lower than that of the number, so that one call is left for its owner. */
  "code-call-account-number": { points: 2, perSeconds: DAY, by: "asker" },
  "code-call-account-number-week": { points: 4, perSeconds: WEEK, by: "asker" },
  "code-call-all": { points: 200, perSeconds: DAY, by: "everybody", lane: "tier" },
  /** Long-time customers are not counted, so that neighbours cannot use up what they need. */
  "code-call-network": { points: 10, perSeconds: DAY, by: "network", lane: "tier" },
  /** New accounts share half of the total, so that customers who pay and withdraw cannot exhaust it. */
  "code-call-newcomers": {
    points: 100,
    perSeconds: DAY,
    by: "everybody",
    lane: null,
    why: "Nobody vouches for a new customer; they can pay again, or wait a day.",
  },
  "code-call-number": { points: 3, perSeconds: DAY, by: "number", lane: "share" },
  "code-call-number-week": { points: 6, perSeconds: WEEK, by: "number", lane: "share" },
  // Guesses over all calls, too few for six digits. A correct code resets the number's count.
  "code-guess-account": { points: 15, perSeconds: WEEK, reason: "code_guesses_used", by: "asker" },
  /** Lower than that of the number, so that guesses are left for its owner. */
  "code-guess-account-number": { points: 6, perSeconds: WEEK, reason: "code_guesses_used_for_number", by: "asker" },
  "code-guess-number": {
    points: 9,
    perSeconds: WEEK,
    reason: "code_guesses_used_for_number",
    by: "number",
    lane: "share",
  },
  "confirm-payment": { points: 60, perSeconds: MINUTE, by: "asker" },
  "contact-changes": { points: 60, perSeconds: MINUTE, by: "asker" },
  "contact-exports": { points: 10, perSeconds: HOUR, by: "asker" },
  "contact-imports": { points: 6, perSeconds: HOUR, by: "asker" },
  "contact-previews": { points: 90, perSeconds: HOUR, by: "asker" },
  credit_request_make: { points: 20, perSeconds: DAY, by: "asker" },
  "credit-request-open": { points: 60, perSeconds: HOUR, by: "network", lane: "link" },
  "credit-request-pay": { points: 10, perSeconds: HOUR, by: "network", lane: "link" },
  "data-export": { points: 3, perSeconds: DAY, by: "asker" },
  document: { points: 20, perSeconds: MINUTE, by: "asker" },
  "echo-test": { points: 10, perSeconds: HOUR, reason: "echo_tests_used", by: "asker" },
  "email-change": { points: 3, perSeconds: HOUR, by: "asker" },
  "email-code-day": { points: 20, perSeconds: DAY, by: "asker" },
  "email-code-network": {
    points: 60,
    perSeconds: HOUR,
    by: "network",
    lane: null,
    why: "The mail has a link, too, which needs no code.",
  },
  "export-ticket": { points: 20, perSeconds: MINUTE, by: "asker" },
  "extend-call": { points: 20, perSeconds: MINUTE, by: "asker" },
  "family-change": { points: 60, perSeconds: MINUTE, by: "asker" },
  "family-invitation": { points: 20, perSeconds: DAY, reason: "family_invited_often", by: "asker" },
  "family-link-open": { points: 60, perSeconds: HOUR, by: "network", lane: "link" },
  "gift-order": { points: 30, perSeconds: HOUR, by: "asker" },
  "google-callback": { points: 20, perSeconds: TEN_MINUTES, by: "network", lane: "door" },
  "google-redirect": { points: 30, perSeconds: TEN_MINUTES, by: "network", lane: "door" },
  /** The page of a guest's payment asks until the money has arrived. */
  "guest-outcome": { points: 300, perSeconds: HOUR, by: "network", lane: "door" },
  /** Even a refused request takes the account's lock. Three times the highest tier's limit of calls. */
  initiate: { points: 30, perSeconds: MINUTE, reason: "calls_too_often", by: "asker" },
  "link-network": { points: 60, perSeconds: QUARTER, by: "network", lane: "link" },
  "login-browser": { points: 10, perSeconds: QUARTER, by: "asker" },
  "login-browser-day": { points: 50, perSeconds: DAY, by: "asker" },
  "login-network": { points: 20, perSeconds: QUARTER, by: "network", lane: "known-browser" },
  "login-network-account": { points: 10, perSeconds: HOUR, by: "account", lane: "known-browser" },
  lookup: { points: 60, perSeconds: MINUTE, by: "network", lane: "door" },
  "move-call": { points: 20, perSeconds: MINUTE, by: "asker" },
  /** Each name stays in the account's history. */
  "name-change": { points: 10, perSeconds: DAY, by: "asker" },
  "newsletter-address": { points: 3, perSeconds: DAY, by: "address", lane: "known-browser" },
  "newsletter-link": { points: 60, perSeconds: QUARTER, by: "network", lane: "link" },
  "newsletter-network": { points: 10, perSeconds: HOUR, by: "network", lane: "door" },
  "operator-command-line": {
    points: 30,
    perSeconds: TEN_MINUTES,
    by: "network",
    lane: null,
    why: "A command line has nothing to show; it asks from another network, or ten minutes later.",
  },
  "operator-invitation": { points: 30, perSeconds: TEN_MINUTES, by: "network", lane: "link" },
  // As for customers, counted apart.
  "operator-login-browser": { points: 10, perSeconds: QUARTER, by: "asker" },
  "operator-login-browser-day": { points: 50, perSeconds: DAY, by: "asker" },
  "operator-login-network": { points: 20, perSeconds: QUARTER, by: "network", lane: "known-browser" },
  "operator-login-network-account": { points: 10, perSeconds: HOUR, by: "account", lane: "known-browser" },
  "operator-passkey": { points: 30, perSeconds: TEN_MINUTES, by: "network", lane: "door" },
  "own-password": { points: 10, perSeconds: QUARTER, by: "account", lane: "session" },
  "passkey-options": { points: 30, perSeconds: TEN_MINUTES, by: "network", lane: "door" },
  "passkey-sign-in": { points: 30, perSeconds: TEN_MINUTES, by: "network", lane: "door" },
  /** Valid codes do not count. */
  promo_guess: { points: 20, perSeconds: TEN_MINUTES, reason: "promo_tries_used", by: "asker" },
  "quote-call": { points: 60, perSeconds: MINUTE, by: "asker" },
  "rare-page": { points: 60, perSeconds: MINUTE, reason: "searches_too_often", by: "network", lane: "door" },
  referral_claim: { points: 5, perSeconds: HOUR, by: "asker" },
  // A family, an office or a mobile carrier's customers may share an address.
  "register-day": {
    points: 200,
    perSeconds: DAY,
    by: "network",
    lane: null,
    why: "A new person has nothing to show; they sign up from another network or the next day.",
  },
  "register-hour": { points: 60, perSeconds: HOUR, by: "network", lane: null, why: "As above, within the hour." },
  /** Above this, sign-ups need a proof of work. */
  "register-free": { points: 3, perSeconds: HOUR, by: "network", lane: "proof" },
  "reminder-changes": { points: 60, perSeconds: MINUTE, by: "asker" },
  "reset-network": { points: 10, perSeconds: HOUR, by: "network", lane: "door" },
  "second-factor": { points: 5, perSeconds: TEN_MINUTES, by: "account", lane: "known-browser" },
  "second-factor-network": { points: 30, perSeconds: TEN_MINUTES, by: "network", lane: "link" },
  "verify-hour": { points: 3, perSeconds: HOUR, by: "asker" },
  "voice-token": { points: 10, perSeconds: MINUTE, by: "asker" },
  /** Each quote locks the account as a withdrawal does. The page requests one when typing pauses. */
  "withdrawal-quote": { points: 60, perSeconds: MINUTE, by: "asker" },
} as const satisfies Readonly<Record<string, LimitSize & Filled>>;

export type LimitName = keyof typeof LIMITS;
