/**
 * Values that the web app uses in addition to the contract's types. This file holds no schemas, because a browser must not load
 * Zod: it trusts the service, which checks each answer against its schema before sending it.
 */

/**
 * Pages of the web app that links in mails and messages lead to. The token follows `#t=`: a browser never sends that part to a server,
 * so it reaches no log. The page removes it from the address and posts it.
 */
export const mailLinkPaths = {
  verifyEmail: "/verify-email",
  resetPassword: "/reset-password",
  changeEmail: "/change-email",
  exportReady: "/account/export",
  family: "/family/join",
  creditRequest: "/credit",
  newsletterConfirm: "/newsletter/confirm",
  newsletterUnsubscribe: "/newsletter/unsubscribe",
} as const;

/** Where the payment provider sends a guest who has paid for somebody else. */
export const guestThanksPath = "/credit/thanks";

/** Where mail programs end a newsletter or a reminder by one POST (RFC 8058). */
export const oneClickPath = "/api/newsletter/one-click";

/** Where an invitation by another customer leads: to sign up. */
export const invitationPath = "/register";

/** A customer's first page after signing in. */
export const dialerPath = "/dialer";

/** Where a person requests a password-reset link; security mails lead here too. */
export const forgotPasswordPath = "/forgot-password";

/** Pages of the web app to which Google sends people back: signing in, and connecting Google with an account. */
export const googleReturnPaths = { signIn: "/auth/google/callback", link: "/account/google/callback" } as const;

/** Pages that the build draws without data: the service sends them until the app has loaded (`web/src/app/frame/render-shell.tsx`). */
export const drawnPages = {
  signedIn: [dialerPath, "/history", "/contacts", "/topup"],
  visitor: ["/login", invitationPath],
} as const;

/**
 * Every page of the web app, by who sees it: patterns of its router, in which `:id` is one part and `/*` any rest. The service answers 404
 * at all other addresses, with the app's page, which says the same.
 */
export const appPaths = {
  visitor: ["/login", invitationPath, googleReturnPaths.signIn],
  anyone: [
    forgotPasswordPath,
    mailLinkPaths.resetPassword,
    mailLinkPaths.verifyEmail,
    mailLinkPaths.changeEmail,
    mailLinkPaths.newsletterConfirm,
    mailLinkPaths.newsletterUnsubscribe,
    `${mailLinkPaths.creditRequest}/*`,
    mailLinkPaths.family,
  ],
  signedIn: [
    "/dashboard",
    dialerPath,
    "/contacts",
    "/history",
    "/call/:id",
    "/topup",
    "/billing",
    "/billing/success",
    "/billing/receipts/:id",
    "/billing/cancel",
    "/cases",
    "/cases/new",
    "/account",
    "/family",
    "/account/erase",
    mailLinkPaths.exportReady,
    googleReturnPaths.link,
    "/rates",
  ],
} as const;

/** Reasons for a refund request. */
export const refundReasons = ["no_audio", "one_way", "bad_sound", "cut_off", "wrong_number", "other"] as const;

/** How a caller heard an answered call. */
export const soundRatings = ["good", "fair", "bad"] as const;

/** Part of the address of a call's page: opens its refund request. */
export const REFUND_HASH = "#refund";

/** Refund requests are accepted for this long after the call. */
export const REFUND_DAYS = 30;

/** Unused credit can be taken back for this long after it was paid: refunds of older payments often fail at the bank. */
export const RETURNABLE_DAYS = 180;

/** Longest note of a refund request, in characters. */
export const MAX_NOTE_CHARS = 500;

/** Why a call ended. The web app has a text for each; unknown reasons show as "failed". */
export const endReasons = [
  "hangup", // either side hung up an answered call
  "credit_used_up", // the hold ran out and the call was cut
  "time_limit", // the maximum call length was reached, with credit left
  "own_limit", // a spending limit that the caller or the family's owner has set
  "busy",
  "no_answer",
  "rejected",
  "cancelled", // the caller hung up before the answer
  "invalid_number",
  "network_failure", // the carrier or the route to it failed
  "never_connected", // the browser never reached the voice provider
  "sound_blocked", // the caller's sound never arrived, so nobody was rung
  "connection_lost", // the browser or the voice provider disappeared during the call
  "refused", // refused by the service's rules
  "signed_out", // the device that made the call was signed out
] as const;

/** Why an account is locked: a payment or the calls are under review, its owner requested it, or another reason that an operator must check. */
export const freezeReasons = ["payment", "calls", "owner", "review"] as const;
export type FreezeReason = (typeof freezeReasons)[number];

/** Kinds of what waits for an operator. */
export const queueKinds = ["question", "refund_request", "approval", "review", "dispute", "slow_refund"] as const;

/** Topics of a customer's question. */
export const caseTopics = ["sound", "charge", "number", "payment", "account", "other"] as const;

/** Longest question to the people who run the service, in characters. */
export const MAX_CASE_MESSAGE_CHARS = 2000;

/** What the page on the quality of calls is sorted by. */
export const qualitySorts = ["country", "answered", "delay", "sound"] as const;

/** Links by which one customer asks for credit, at a time. */
export const MAX_CREDIT_REQUESTS = 3;

/** Filters of the list of transactions. */
export const transactionGroups = ["all", "top_ups", "calls", "refunds", "bonus", "unpaid"] as const;

/** Card brands that an operator may name as accepted. */
export const cardBrands = ["visa", "mastercard", "amex", "discover", "diners", "jcb", "unionpay"] as const;

/** A promo code that works in every sandbox. */
export const SAMPLE_PROMO_CODE = "WELCOME10";

/** How long a call waits for its page to be reloaded, in seconds. */
export const SECONDS_TO_RETURN = 10;

/** An idle event stream sends a comment at least this often, in milliseconds; after three missed ones a page reconnects. */
export const LIVE_HEARTBEAT_MS = 20_000;

/** How long a copy of a customer's data can be downloaded. */
export const EXPORT_DAYS = 7;

/** An account is erased this long after its owner requested it. Until then the owner can cancel. */
export const ERASURE_GRACE_DAYS = 14;

/** Sign-ins and changes of an account are kept this long. */
export const SECURITY_EVENTS_KEPT_DAYS = 90;

/** Called numbers are shortened this long after the call. */
export const NUMBERS_KEPT_MONTHS = 12;

/** Codes by which a second gift to one person is noticed are kept this long: those of networks, and those of mailboxes and browsers. */
export const GIFT_MARKS_KEPT = { networkDays: 60, personYears: 3 } as const;

/** Why an account cannot be erased yet. */
export const erasureObstacles = [
  "frozen",
  "live_call",
  "withdrawable_credit",
  "debt",
  "pending_payment",
  "open_refund",
  "open_dispute",
  "open_request",
  "credit",
] as const;
export type ErasureObstacle = (typeof erasureObstacles)[number];

/** Groups of data kept after an account is erased, each with its reason in the texts. */
export const keptGroups = ["ledger", "payments", "calls", "bonuses", "operations", "erased_account"] as const;
export type KeptGroup = (typeof keptGroups)[number];

/** Header of a browser's leg with the call's ticket, for providers that do not forward its client state. */
export const CALL_TICKET_HEADER = "X-Call-Ticket";

/** Hang-up cause sent to a browser when another of the customer's browsers takes its call over. */
export const CALL_MOVED_CAUSE = "CALL_MOVED";

/** A page's message to our exchange within a call: its microphone is open. Nobody is dialled before that, unless audio arrives first. */
export const MICROPHONE_OPEN = "microphone open";

/** Sent with what a page requests by itself, so that an open page does not keep the session of an operator who has left it. */
export const UNATTENDED_HEADER = "x-unattended";

/** Choices that pages are rendered with. */
export const PAGE_COOKIE_SECONDS = 31_536_000;
/** A browser stays known for this long after its last visit. */
export const BROWSER_COOKIE_SECONDS = 180 * 24 * 60 * 60;
/** A sign-in with Google. */
export const GOOGLE_COOKIE_SECONDS = 10 * 60;

/** Every cookie that customers' browsers get. The privacy page lists them, and code that sets another does not compile. */
export const cookies = [
  { name: "signed-in", seconds: PAGE_COOKIE_SECONDS },
  { name: "language", seconds: PAGE_COOKIE_SECONDS },
  { name: "theme", seconds: PAGE_COOKIE_SECONDS },
  { name: "text-size", seconds: PAGE_COOKIE_SECONDS },
  { name: "__Host-browser", seconds: BROWSER_COOKIE_SECONDS },
  { name: "__Host-gflow", seconds: GOOGLE_COOKIE_SECONDS },
] as const;

export type CookieName = (typeof cookies)[number]["name"];

/** How a call that did not go as it should ended. Nobody did anything wrong, so people read the word, in grey and without an amount. */
const OUTCOMES = {
  hangup: "unconnected",
  credit_used_up: "unconnected",
  time_limit: "unconnected",
  own_limit: "unconnected",
  busy: "busy",
  no_answer: "no_answer",
  rejected: "declined",
  cancelled: "cancelled",
  invalid_number: "unreachable",
  network_failure: "unconnected",
  never_connected: "unconnected",
  sound_blocked: "unconnected",
  connection_lost: "lost",
  refused: "unconnected",
  signed_out: "cancelled",
} as const satisfies Record<(typeof endReasons)[number], string>;

/** A call's status as people read it: the outcome of one that was not answered or lost its line, otherwise the service's word. */
export function shownStatus<Status extends string>({
  status,
  end_reason: reason,
}: {
  readonly status: Status;
  readonly end_reason: keyof typeof OUTCOMES | null;
}): Exclude<Status, "failed"> | (typeof OUTCOMES)[keyof typeof OUTCOMES] {
  if (status === "failed") return OUTCOMES[reason ?? "network_failure"];
  return status === "completed" && reason === "connection_lost" ? "lost" : (status as Exclude<Status, "failed">);
}
