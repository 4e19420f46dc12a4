import type { OperatorCallResponse } from "./calls.ts";
import type { OperatorRight } from "./rights.ts";

/** What moves customers' credit, in the order of the books, with what operators read. */
export const bookLineNames = {
  top_up: "Top-ups",
  auto_top_up: "Automatic top-ups",
  test_credit: "Test credit",
  charge: "Charges of calls",
  call_refund: "Refunds of calls",
  refund: "Refunds",
  refund_outside: "Refunds paid outside the provider",
  withdrawal: "Withdrawals",
  refund_failed: "Refunds and withdrawals that failed",
  dispute: "Disputes",
  dispute_won: "Disputes won",
  bonus_given: "Bonus given",
  bonus_restored: "Bonus restored",
  bonus_taken_back: "Bonus taken back",
  gift_sent: "Credit given to others",
  gift_received: "Credit received from others",
  adjustment: "Adjustments",
  write_off: "Debts written off",
  given_up: "Given up with erased accounts",
} as const;
export type BookLine = keyof typeof bookLineNames;
export const bookLines = Object.keys(bookLineNames) as BookLine[];

/** The checks of a month's books. */
export const faultNames = {
  movements: "Opening, movements and closing",
  accounts: "Balances of the accounts",
  double_entry: "Both sides of each movement",
  previous_month: "Closing of the month before",
  closed: "Books as they were closed",
  provider: "Payment provider's report",
} as const;

/** What each figure of traffic means, shown beside it. */
export const figureDefinitions = {
  calls:
    "Calls: those that were sent to a carrier and ended on the day. Those that we refused are not counted. Each counts once, however many trunks it took.",
  minutes: "Minutes: time from answer to hang-up, not the charged time.",
  revenue: "Revenue: charges, bonus included. Top-ups are not revenue.",
  cost: "Cost: what the carriers charge; until a carrier says it, what its price list says. The estimated share is shown.",
  margin: "Margin: revenue less cost. Without payment fees, which the page Month shows.",
  acd: "Average call duration: minutes of answered calls, divided by their number.",
  asr: "Answer-seizure ratio: answered attempts of all attempts on this trunk. Each attempt counts for its trunk.",
  ner: "Network effectiveness ratio: attempts that were answered, busy, rejected, unanswered or cancelled, of all attempts.",
  pdd: "Post-dial delay: time from dialling until the far phone rang or answered; half and 95 % of the attempts are faster.",
  mos: "Mean opinion score from 1 to 5, measured in the browser: each call's mean, weighted by its duration.",
} as const;

/** How a payment stands, as the service keeps it. */
export const paymentStatuses = ["created", "open", "pending", "paid", "failed", "expired", "review"] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** How payments stand, as lists of them are narrowed: `failed` was declined, `waiting` is not decided yet. */
export const paymentStates = ["paid", "failed", "waiting", "refunded", "disputed"] as const;
export type PaymentState = (typeof paymentStates)[number];

export const customerStates = ["active", "frozen", "closing"] as const;
export type CustomerState = (typeof customerStates)[number];

/** How the ledger and the payment provider can differ about a payment. */
export const differenceKinds = ["unknown_charge", "amount", "dispute", "missing_at_provider", "unreadable"] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** How live calls are ordered: the most expensive, longest or newest first, or by name. */
export const liveOrders = ["cost", "duration", "start", "country", "trunk"] as const;
export type LiveOrder = (typeof liveOrders)[number];

/** What live calls an operator picks out: `short` ends within two minutes, `bad_sound` was measured below 3.6. */
export const liveStates = ["ringing", "short", "bad_sound"] as const;
export type LiveState = (typeof liveStates)[number];
export const SHORT_TIME_MS = 120_000;
export const BAD_SOUND_BELOW = 3.6;

/** Live calls in one answer. */
export const MAX_LIVE_ROWS = 100;

/** A share in per cent with one decimal; a dash without a whole. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`;
}

/** Shown where a service that Telnyx connects has no figures by trunk. */
export const NO_TRUNK_FIGURES = "The voice provider reports no attempts by trunk.";

/** Why a call shows no attempts by trunk; null if it shows some. */
export function noAttemptsText({ attempts, legs, call }: OperatorCallResponse): string | null {
  if (attempts.length > 0) return null;
  if (call.ended_at === null) return "No attempts are reported yet.";
  return legs.some(({ leg }) => leg === "far")
    ? "The voice provider chose the carrier itself and reports no attempts."
    : "The call was not sent to a carrier.";
}

/** A page of the console, for roles with the right. */
interface ConsoleLink {
  readonly path: string;
  readonly title: string;
  readonly right: OperatorRight;
}

const LIVE: ConsoleLink = { path: "/operator/live", title: "Live calls", right: "read-customers" };
const QUEUE: ConsoleLink = { path: "/operator/queue", title: "Queue", right: "read-queue" };
const DISPUTES: ConsoleLink = { ...QUEUE, path: `${QUEUE.path}?kind=dispute` };
const MONTH: ConsoleLink = { path: "/operator/month", title: "Month", right: "read-costs" };
const TRAFFIC: ConsoleLink = { path: "/operator/traffic", title: "Traffic", right: "read-costs" };

/** Pages of `docs/runbooks` that warnings name: what to look at first, and the page of the console where one acts. */
export const runbooks = {
  "backup-stopped": { step: "What the archive command answers, in the log of PostgreSQL", page: null },
  "call-not-settled": { step: "The oldest live call and its exchange", page: LIVE },
  "calls-fewer": { step: "Whether a call of your own works, and which trunk or country is missing", page: LIVE },
  "carrier-spend": { step: "Who calls where, at what cost", page: LIVE },
  "certificate-ending": { step: "Which certificate, and until when", page: null },
  "database-held": { step: "Who holds the lock, since when, and the command that ends it", page: null },
  "dispute-due": { step: "Which disputes, how much, until when", page: DISPUTES },
  "intake-closed": { step: "What restore check still finds", page: null },
  "exchange-disk": { step: "The room on the exchange's disk", page: null },
  "exchange-full": { step: "Who calls, and how many exchanges serve", page: LIVE },
  "job-failing": { step: "What the job's last runs say, in the log", page: null },
  "ledger-drift": { step: 'Each deviation in the log, as "ledger drift"', page: MONTH },
  "mails-waiting": { step: "What the mail server answers, in the log", page: null },
  "part-down": { step: "Which part does not answer", page: null },
  "payments-failing": { step: "The payment provider's status page and its list of events", page: null },
  "person-needed": { step: "What waits, and for how long", page: QUEUE },
  "reading-database": { step: "Whether the standby runs and follows, and what its log says", page: null },
  "service-down": { step: "Whether service and exchange answer", page: null },
  "service-errors": { step: "Which route fails, and with which reason in the log", page: null },
  "trunk-down": { step: "Which trunk, and what its carrier answers", page: TRAFFIC },
  "trunk-failing": { step: "The trunk's figures beside the others'", page: TRAFFIC },
} as const;
export type RunbookName = keyof typeof runbooks;

const RECONCILIATION: ConsoleLink = { path: "/operator/reconciliation", title: "Reconciliation", right: "reconcile" };
const PAGES_OF_TROUBLES: Readonly<Record<string, ConsoleLink>> = {
  farline_reconciliation_differences: RECONCILIATION,
  farline_reconciliation_age_seconds: RECONCILIATION,
};

/** The page of the console that shows what a trouble counts: its own, or its runbook's. */
export function pageOfTrouble({ id, runbook }: { readonly id: string; readonly runbook: RunbookName }): ConsoleLink | null {
  return PAGES_OF_TROUBLES[id] ?? runbooks[runbook].page;
}
export const runbookNames = Object.keys(runbooks) as [RunbookName, ...RunbookName[]];

/** What an entry of a customer's timeline is about. */
export const timelineTypes = [
  "call",
  "payment",
  "declined_card",
  "refund",
  "withdrawal",
  "dispute",
  "fraud_warning",
  "credit",
  "refund_request",
  "call_block",
  "mail",
  "account",
  "case",
  "operation",
] as const;
export type TimelineType = (typeof timelineTypes)[number];
