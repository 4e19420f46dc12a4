import { callStatusWords, destinationWords, endReasonWords, talkedWords } from "./call-words.ts";
import type { TimelineType } from "../constants.ts";
import type { TimelineEntry } from "../customers.ts";
import {
  declineWords,
  dollarText,
  disputeReasonWords,
  disputeStatusWords,
  fraudDecisionWords,
  fraudTypeWords,
  isNothing,
  ledgerKindWords,
  methodText,
  movementText,
  paymentKindWords,
  paymentStateWords,
  paymentStatusWords,
  pendingReasonWords,
  refundOriginWords,
  refundStatusWords,
} from "./money-words.ts";
import type { QueueItem } from "../queue.ts";
import { actionWords, proposalWords } from "./audit-words.ts";
import {
  activityWords,
  blockWords,
  caseStateWords,
  innerWordFor,
  mailStateWords,
  mailWords,
  refundReasonWords,
  requestStateWords,
  topicWords,
  wordFor,
} from "./words.ts";

/** An entry of the timeline, or what waits, as operators read it. */
export interface Words {
  readonly title: string;
  /** More about it, quieter; empty without more. */
  readonly note: string;
}

type Facts = TimelineEntry["facts"];
type Write = (entry: Pick<TimelineEntry, "state" | "kind" | "facts">) => Words;

const joined = (...parts: readonly (string | null | undefined)[]) => parts.filter((part) => part).join(", ");
const quoted = (text: string | undefined) => (text ? `“${text}”` : "");
const said = (words: Readonly<Record<string, string>>, code: string | null | undefined) =>
  code ? innerWordFor(words, code) : "";

/** Of credit for somebody else. "held until", with its day, is said as it is. */
const giftWords: ReadonlyMap<string, string> = new Map([
  ["ordered", ""],
  ["given", "the credit was given"],
  ["kept", "the credit could not be given and stayed with the payer; a guest gets back on the card what no debt took"],
]);

/** What an entry of each type says. */
const entries: Readonly<Record<TimelineType, Write>> = {
  call: ({ state, facts }) => callWords(state ?? "", facts),
  payment: ({ state, kind, facts }) => ({
    title: `${wordFor(paymentKindWords, kind ?? "")}${facts.method ? ` with ${methodText(facts.method)}` : ""}`,
    note: joined(
      state === "paid" ? "" : said({ ...paymentStateWords, ...paymentStatusWords }, state),
      said(declineWords, facts.failure),
      facts.paid_by ? `paid by ${facts.guest ? "a guest, " : ""}${facts.paid_by}` : "",
      facts.paid_for ? `for ${facts.paid_for}` : "",
      facts.gift === undefined ? "" : (giftWords.get(facts.gift) ?? facts.gift),
    ),
  }),
  declined_card: ({ kind }) => ({ title: "Card declined by the bank", note: said(declineWords, kind) }),
  refund: ({ state, kind, facts }) => ({
    title: wordFor(refundOriginWords, kind ?? ""),
    note: joined(
      said(refundStatusWords, state),
      facts.waits_for ? `because ${said(pendingReasonWords, facts.waits_for)}` : "",
      facts.failure ? said({}, facts.failure) : "",
    ),
  }),
  withdrawal: () => ({ title: "Withdrew unused credit", note: "" }),
  dispute: ({ state, kind }) => ({
    title: "Disputed a payment at the bank",
    note: joined(said(disputeReasonWords, kind), said(disputeStatusWords, state)),
  }),
  fraud_warning: ({ state, kind }) => ({
    title: "The card network warns of fraud",
    note: joined(said(fraudTypeWords, kind), said(fraudDecisionWords, state)),
  }),
  credit: ({ kind, facts }) => ({
    title: kind === "bonus" || !kind ? (facts.text ?? "Bonus credit") : wordFor(ledgerKindWords, kind),
    note: kind === "bonus" || !kind || facts.text === wordFor(ledgerKindWords, kind) ? "" : (facts.text ?? ""),
  }),
  refund_request: ({ state, kind, facts }) => ({
    title: `Asks for a refund of a call: ${said(refundReasonWords, kind)}`,
    note: joined(quoted(facts.text), said(requestStateWords, state)),
  }),
  call_block: ({ kind }) => ({ title: "Calls paused by our rules", note: said(blockWords, kind) }),
  mail: ({ state, kind }) => ({
    title: `Mail: ${wordFor(mailWords, kind ?? "")}`,
    note: state === "sent" ? "" : said(mailStateWords, state),
  }),
  account: ({ kind, facts }) => ({ title: wordFor(activityWords, kind ?? ""), note: joined(facts.text, facts.device) }),
  case: ({ state, kind, facts }) => ({
    title: `Asks: ${quoted(facts.text)}`,
    note: joined(`question ${facts.number}`, said(topicWords, kind), said(caseStateWords, state)),
  }),
  operation: ({ kind, facts }) => ({
    title: `${facts.operator ?? ""}: ${actionWords(kind ?? "")}`,
    note: facts.text ?? "",
  }),
};

/** What an entry of the timeline says. */
export function timelineWords(entry: Pick<TimelineEntry, "type" | "state" | "kind" | "facts">): Words {
  return entries[entry.type](entry);
}

function callWords(state: string, facts: Facts): Words {
  const where = facts.country === undefined ? "" : `${destinationWords(facts.country, facts.number_type ?? "")}, `;
  const called = `Called ${where}${facts.number}`;
  const seconds = facts.billed_seconds ?? 0;
  const ms = facts.duration_ms ?? 0;
  const others = joined(facts.paid_by ? `paid by ${facts.paid_by}` : "", facts.made_by ? `made by ${facts.made_by}` : "");
  if (ms > 0) {
    const end = facts.end_reason === "hangup" ? "" : said(endReasonWords, facts.end_reason);
    return { title: `${called}: talked ${talkedWords(seconds, ms)}`, note: joined(end, others) };
  }
  const why = facts.end_reason ? said(endReasonWords, facts.end_reason) : said(callStatusWords, state);
  return { title: `${called}: ${why}`, note: others };
}

/** Which way an entry moved the customer's balance: what it brought or took, "+$20.00"; null if it moved nothing. */
export function moveText({
  type,
  state,
  amount,
  facts,
}: Pick<TimelineEntry, "type" | "state" | "amount" | "facts">): string | null {
  if (amount === null || isNothing(amount)) return null;
  if (facts.paid_by !== undefined) return dollarText(amount);
  if (type === "credit") return movementText(amount);
  if (type === "payment")
    return ["paid", "refunded", "disputed"].includes(state ?? "") ? movementText(amount) : dollarText(amount);
  // A withdrawal's refunds are entries of their own, and a refused refund was given back.
  if (type === "call" || type === "refund" || type === "dispute") return movementText(`-${amount}`);
  return dollarText(amount);
}

const waiting: Readonly<Record<QueueItem["kind"], (item: Pick<QueueItem, "code" | "state" | "amount">) => Words>> = {
  question: ({ code }) => ({ title: "Question", note: said(topicWords, code) }),
  refund_request: ({ code }) => ({ title: "Refund of a call", note: said(refundReasonWords, code) }),
  approval: ({ code }) => ({ title: "Proposal", note: proposalWords(code ?? "") }),
  review: () => ({ title: "Frozen account", note: "" }),
  dispute: ({ code, state }) => ({ title: disputeTitle(state ?? ""), note: said(disputeReasonWords, code) }),
  slow_refund: ({ code, state }) => ({
    title: state === "withdrawal" ? "Pending withdrawal" : "Pending refund",
    note: said(pendingReasonWords, code),
  }),
};

/** What waits: its title, and what it is about. */
export function queueWords(item: Pick<QueueItem, "kind" | "code" | "state" | "amount">): Words {
  return waiting[item.kind](item);
}

function disputeTitle(status: string): string {
  if (status.startsWith("warning_")) return "Inquiry of the bank";
  if (status.startsWith("appeal_")) return "Appeal of a lost dispute";
  return Object.hasOwn(disputeStatusWords, status) ? "Dispute" : `Dispute in a status we do not know: ${wordFor({}, status)}`;
}
