import { commonDecimals, formatDollars, fromDecimalString, type Micros } from "@farline/domain/money.ts";
import { paymentMethodName } from "@farline/domain/payment-method-name.ts";
import type { Transaction } from "../../billing.ts";
import type { DifferenceKind, PaymentState, PaymentStatus } from "../constants.ts";
import { wordFor, type WordsOf } from "./words.ts";

export const paymentStatusWords: WordsOf<PaymentStatus> = {
  created: "Started",
  open: "Not paid yet",
  pending: "Paid, the money is on its way",
  paid: "Paid",
  failed: "Failed",
  expired: "Not finished in time",
  review: "Paid, but not as ordered: needs a decision",
};

export const paymentStateWords: WordsOf<PaymentState> = {
  paid: "Paid",
  failed: "Failed",
  waiting: "Waiting",
  refunded: "Refunded",
  disputed: "Disputed",
};

export const paymentKindWords: WordsOf<"package" | "custom" | "auto"> = {
  package: "Topped up with a package",
  custom: "Topped up",
  auto: "Topped up automatically",
};

export const refundStatusWords: WordsOf<"ordered" | "pending" | "succeeded" | "failed"> = {
  ordered: "on its way to the provider",
  pending: "on its way to the bank",
  succeeded: "sent",
  failed: "failed, the credit is back",
};

export const refundOriginWords: WordsOf<"withdrawal" | "operator" | "outside" | "fraud_warning" | "provider"> = {
  withdrawal: "Part of a withdrawal",
  operator: "Refund by an operator",
  outside: "Refund paid outside the provider",
  fraud_warning: "Refund because of a fraud warning",
  provider: "Refund made at the provider",
};

/** What a refund waits for at the provider (docs.stripe.com/api/refunds/object, `pending_reason`). */
export const pendingReasonWords: WordsOf<"charge_pending" | "insufficient_funds" | "processing" | "requires_action"> = {
  charge_pending: "the payment itself has not settled",
  insufficient_funds: "our balance at the provider is too low",
  processing: "the bank is processing it",
  requires_action: "the customer must say where the money should go",
};

/** The provider's (docs.stripe.com/api/disputes/object, `status`). */
export const disputeStatusWords = {
  warning_needs_response: "bank inquiry: awaiting our response",
  warning_under_review: "bank inquiry in progress",
  warning_closed: "bank inquiry closed",
  needs_response: "the bank is waiting for our evidence",
  under_review: "the bank is deciding",
  appeal_needs_response: "appeal of a lost dispute: awaiting our response",
  appeal_under_review: "appeal of a lost dispute: the bank is deciding",
  won: "won",
  lost: "lost",
  prevented: "prevented",
} as const satisfies Readonly<Record<string, string>>;

/** The bank's reasons (docs.stripe.com/disputes/categories). */
export const disputeReasonWords: Readonly<Record<string, string>> = {
  bank_cannot_process: "The bank cannot process it",
  check_returned: "The check was returned",
  credit_not_processed: "A refund did not arrive",
  customer_initiated: "The customer disputes it",
  debit_not_authorized: "The debit was not allowed",
  duplicate: "Charged twice",
  fraudulent: "The owner says they did not pay",
  general: "No reason given",
  incorrect_account_details: "Wrong account details",
  insufficient_funds: "The account was empty",
  noncompliant: "Against the card network's rules",
  product_not_received: "Says that nothing was received",
  product_unacceptable: "Says that it was not as described",
  subscription_canceled: "Says that it was cancelled",
  unrecognized: "The owner does not recognise it",
};

/** The provider's (docs.stripe.com/api/radar/early_fraud_warnings/object, `fraud_type`). */
export const fraudTypeWords: Readonly<Record<string, string>> = {
  card_never_received: "the card never arrived",
  fraudulent_card_application: "the card was applied for by a fraudster",
  made_with_counterfeit_card: "a counterfeit card",
  made_with_lost_card: "a lost card",
  made_with_stolen_card: "a stolen card",
  misc: "another kind of fraud",
  unauthorized_use_of_card: "the card was used without its owner",
};

export const fraudDecisionWords: WordsOf<"refunded" | "review" | "none"> = {
  refunded: "refunded",
  review: "needs a decision",
  none: "nothing was left to refund",
};

/** Where the credit of a payment for somebody else is. */
export const giftWords: WordsOf<"ordered" | "held" | "given" | "kept"> = {
  ordered: "awaiting payment",
  held: "held for the other person",
  given: "given to the other person",
  kept: "stayed with the payer",
};

export const cardSetupWords: WordsOf<"created" | "open" | "saved" | "expired"> = {
  created: "started",
  open: "not finished yet",
  saved: "the card was saved",
  expired: "not finished in time",
};

export const receiptWords: WordsOf<"payment" | "auto_top_up" | "refund" | "withdrawal" | "refund_returned"> = {
  payment: "Receipt of a payment",
  auto_top_up: "Receipt of an automatic top-up",
  refund: "Receipt of a refund",
  withdrawal: "Receipt of a withdrawal",
  refund_returned: "Receipt of a refund that came back",
};

/** What an operator did about a dispute at the provider. */
export const disputeHandledWords: WordsOf<"answered" | "accepted"> = {
  answered: "answered with evidence",
  accepted: "accepted",
};

/** How the ledger and the payment provider differ about a payment. */
export const differenceWords: WordsOf<DifferenceKind> = {
  unknown_charge: "Charged at the provider, and no payment here",
  amount: "The amounts differ",
  dispute: "A dispute is not booked here",
  missing_at_provider: "The provider has no such payment",
  unreadable: "The provider's answer could not be read",
};

/** What moves the balance at the provider (docs.stripe.com/reports/reporting-categories); `other_business` is of other shops in the account. */
const categoryWords: Readonly<Record<string, string>> = {
  charge: "Payments",
  charge_failure: "Payments that failed later",
  dispute: "Disputes",
  dispute_reversal: "Disputes won",
  fee: "Fees of the provider",
  network_cost: "Fees of the card networks",
  other_adjustment: "Other adjustments",
  other_business: "Other business of this account",
  partial_capture_reversal: "Payments taken only in part",
  payout: "Payouts to the bank",
  payout_minimum_balance_hold: "Held back from payouts",
  payout_minimum_balance_release: "Released for payouts",
  payout_reversal: "Payouts that came back",
  refund: "Refunds",
  refund_failure: "Refunds that failed",
  risk_reserved_funds: "Reserve of the provider",
  tax: "Tax on the provider's fees",
  topup: "Paid in from the bank",
  topup_reversal: "Paid in and returned",
};

/** A line of the provider's balance report. @param known false for what this version cannot place */
export function categoryText({ category, known }: { readonly category: string; readonly known: boolean }): string {
  const word = wordFor(categoryWords, category);
  return known ? word : `${word} (unknown to this version)`;
}

/** The bank's reasons (docs.stripe.com/declines/codes), and our own `card_unusable`. */
export const declineWords: Readonly<Record<string, string>> = {
  approve_with_id: "The bank could not approve it",
  authentication_required: "The bank wants the owner to confirm it",
  call_issuer: "The owner must call the bank",
  card_declined: "The bank gives no reason",
  card_not_supported: "The card does not allow such payments",
  card_unusable: "The saved card is no longer at the provider",
  card_velocity_exceeded: "The card's limit is used up",
  currency_not_supported: "The card does not pay in dollars",
  do_not_honor: "The bank gives no reason",
  duplicate_transaction: "The same payment was just made",
  expired_card: "The card has expired",
  fraudulent: "The provider suspects fraud",
  generic_decline: "The bank gives no reason",
  incorrect_cvc: "Wrong security code",
  incorrect_number: "Wrong card number",
  incorrect_zip: "Wrong postal code",
  insufficient_funds: "Insufficient funds on the card",
  invalid_account: "The account of the card is invalid",
  invalid_amount: "The card does not allow this amount",
  invalid_cvc: "Wrong security code",
  invalid_expiry_month: "Wrong expiry date",
  invalid_expiry_year: "Wrong expiry date",
  invalid_number: "Wrong card number",
  issuer_not_available: "The bank could not be reached",
  lost_card: "The card is reported lost",
  merchant_blacklist: "On the provider's block list",
  new_account_information_available: "The card or its account is invalid",
  no_action_taken: "The bank gives no reason",
  not_permitted: "The card does not allow such payments",
  payment_intent_authentication_failure: "The owner could not be confirmed",
  pickup_card: "The card is reported lost or stolen",
  processing_error: "An error on the way to the bank",
  restricted_card: "The card is restricted",
  security_violation: "The bank gives no reason",
  service_not_allowed: "The bank gives no reason",
  stolen_card: "The card is reported stolen",
  transaction_not_allowed: "The bank does not allow it",
  try_again_later: "The bank says to try later",
  withdrawal_count_limit_exceeded: "The card's limit is used up",
};

/** Stands for all codes that have no words. */
const OTHER_DECLINE = "other";
// The first code of those with the same words.
const declineChoices = Object.entries(declineWords).filter(
  ([, words], place, all) => all.findIndex(([, same]) => same === words) === place,
);

/** Why payments failed, as a list of them is narrowed: one code for each wording, by the alphabet, then every other code. */
export const declineReasonWords: Readonly<Record<string, string>> = Object.fromEntries([
  ...declineChoices.toSorted(([, one], [, other]) => one.localeCompare(other, "en")),
  [OTHER_DECLINE, "Another reason"],
]);
export const declineReasons: readonly string[] = Object.keys(declineReasonWords);

/** The provider's codes of such a reason; none for the codes that have no words. */
export function declineCodesOf(reason: string): string[] {
  return Object.keys(declineWords).filter((code) => declineWords[code] === declineReasonWords[reason]);
}

/** Kinds of the ledger's entries. */
export const ledgerKindWords: WordsOf<Transaction["kind"]> = {
  top_up: "Top-up",
  bonus: "Bonus credit",
  test_credit: "Test credit",
  call: "Call charge",
  call_refund: "Refund of a call",
  refund: "Refund",
  withdrawal: "Withdrawal",
  refund_failed: "Refund that did not reach the card",
  dispute: "Disputed at the bank",
  dispute_won: "Dispute won",
  gift: "Credit given or received",
  write_off: "Debt written off",
  adjustment: "Correction by an operator",
};

/** "Visa •••• 4242". @param method the provider's key and the last four digits, as in "visa 4242" */
export function methodText(method: string): string {
  const [brand = "", last4 = null] = /^(\S+?)(?: (\d{4}))?$/.exec(method)?.slice(1) ?? [];
  return brand === "" ? wordFor({}, method) : paymentMethodName({ brand, last4: last4 ?? null });
}

/** An amount as operators read it, with 2, 4 or 6 decimals, whichever is exact: "$20.00", "−$0.0010". @param amount decimal dollars */
export function dollarText(amount: string): string {
  const micros = fromDecimalString(amount);
  return textOf(micros, commonDecimals([micros]));
}

/** A movement, with its sign: "+$20.00", "−$0.0010". */
export function movementText(amount: string): string {
  return fromDecimalString(amount) > 0n ? `+${dollarText(amount)}` : dollarText(amount);
}

/** A sum or a balance in cents, rounded towards zero as the customer reads it: "$21.24". Only rates and single movements have more decimals. */
export function sumText(amount: string): string {
  return textOf(fromDecimalString(amount), 2);
}

function textOf(micros: Micros, decimals: 2 | 4 | 6): string {
  const written = formatDollars(micros < 0n ? -micros : micros, decimals);
  const [whole = "", rest = ""] = written.split(".");
  const isNegative = micros < 0n && /[1-9]/.test(written);
  return `${isNegative ? "−" : ""}$${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",")}.${rest}`;
}

/** Whether an amount is zero: then it is not shown. */
export function isNothing(amount: string): boolean {
  return fromDecimalString(amount) === 0n;
}
