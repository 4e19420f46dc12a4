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

const asker = { by: "asker" } as const;

/**
 * Every limit that counts requests. A limit that is missing here cannot be created, so a new one has to say how strangers are kept from
 * using it up. `security/shut-out.test.ts` uses each of them up as a stranger and gets in as the owner.
 */
export const LIMITS = {
  "call-export": asker,
  "call-quality": asker,
  "call-rating": asker,
  "call-refund": asker,
  "caller-id": asker,
  "case-day": asker,
  "case-try": asker,
  "code-call-account": asker,
  "code-call-account-number": asker,
  "code-call-all": { by: "everybody", lane: "tier" },
  "code-call-network": { by: "network", lane: "tier" },
  "code-call-newcomers": {
    by: "everybody",
    lane: null,
    why: "Nobody vouches for a new customer; they can pay again, or wait a day.",
  },
  "code-call-account-number-week": asker,
  "code-call-number": { by: "number", lane: "share" },
  "code-call-number-week": { by: "number", lane: "share" },
  "code-guess-account": asker,
  "code-guess-account-number": asker,
  "code-guess-number": { by: "number", lane: "share" },
  "confirm-payment": asker,
  "contact-changes": asker,
  "contact-exports": asker,
  "contact-imports": asker,
  "contact-previews": asker,
  credit_request_make: asker,
  "credit-request-open": { by: "network", lane: "link" },
  "credit-request-pay": { by: "network", lane: "link" },
  "data-export": asker,
  document: asker,
  "echo-test": asker,
  "email-change": asker,
  "export-ticket": asker,
  "extend-call": asker,
  "family-change": asker,
  "family-invitation": asker,
  "family-link-open": { by: "network", lane: "link" },
  "email-code-day": asker,
  "email-code-network": { by: "network", lane: null, why: "The mail has a link, too, which needs no code." },
  "gift-order": asker,
  "google-callback": { by: "network", lane: "door" },
  "google-redirect": { by: "network", lane: "door" },
  "guest-outcome": { by: "network", lane: "door" },
  initiate: asker,
  "link-network": { by: "network", lane: "link" },
  "login-browser": asker,
  "login-browser-day": asker,
  "login-network": { by: "network", lane: "known-browser" },
  "login-network-account": { by: "account", lane: "known-browser" },
  lookup: { by: "network", lane: "door" },
  "move-call": asker,
  "name-change": asker,
  "newsletter-address": { by: "address", lane: "known-browser" },
  "newsletter-link": { by: "network", lane: "link" },
  "newsletter-network": { by: "network", lane: "door" },
  "operator-command-line": {
    by: "network",
    lane: null,
    why: "A command line has nothing to show; it asks from another network, or ten minutes later.",
  },
  "operator-invitation": { by: "network", lane: "link" },
  "operator-login-browser": asker,
  "operator-login-browser-day": asker,
  "operator-login-network": { by: "network", lane: "known-browser" },
  "operator-login-network-account": { by: "account", lane: "known-browser" },
  "operator-passkey": { by: "network", lane: "door" },
  "own-password": { by: "account", lane: "session" },
  "passkey-options": { by: "network", lane: "door" },
  "passkey-sign-in": { by: "network", lane: "door" },
  promo_guess: asker,
  "quote-call": asker,
  "rare-page": { by: "network", lane: "door" },
  referral_claim: asker,
  "register-day": {
    by: "network",
    lane: null,
    why: "A new person has nothing to show; they sign up from another network or the next day.",
  },
  "register-free": { by: "network", lane: "proof" },
  "register-hour": { by: "network", lane: null, why: "As above, within the hour." },
  "reminder-changes": asker,
  "reset-network": { by: "network", lane: "door" },
  "second-factor": { by: "account", lane: "known-browser" },
  "second-factor-network": { by: "network", lane: "link" },
  "verify-hour": asker,
  "voice-token": asker,
  "withdrawal-quote": asker,
} as const satisfies Readonly<Record<string, Filled>>;

export type LimitName = keyof typeof LIMITS;
