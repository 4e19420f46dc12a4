import type { SearchHit, SearchHitType } from "../search.ts";
import { callStatusWords, holdWords } from "./call-words.ts";
import {
  cardSetupWords,
  disputeStatusWords,
  fraudDecisionWords,
  giftWords,
  ledgerKindWords,
  methodText,
  paymentStatusWords,
  refundStatusWords,
} from "./money-words.ts";
import { actionWords, breakerWords } from "./audit-words.ts";
import type { Words } from "./timeline-words.ts";
import {
  activityWords,
  caseStateWords,
  customerStatusWords,
  exportStateWords,
  mailStateWords,
  mailWords,
  proposalStateWords,
  roleWords,
  topicWords,
  wordFor,
} from "./words.ts";

type Say = (code: string) => string;
const by =
  (words: Readonly<Record<string, string>>): Say =>
  (code) =>
    wordFor(words, code);

/** What was found, and how each of its codes is said. */
const types: Readonly<Record<SearchHitType, readonly [name: string, ...codes: Say[]]>> = {
  customer: ["Customer", by(customerStatusWords)],
  call: ["Call", by(callStatusWords)],
  payment: ["Payment", by(paymentStatusWords)],
  refund: ["Refund", by(refundStatusWords)],
  withdrawal: ["Withdrawal"],
  dispute: ["Dispute", by(disputeStatusWords)],
  fraud_warning: ["Fraud warning", by(fraudDecisionWords)],
  receipt: ["Receipt"],
  case: ["Question", by(topicWords), by(caseStateWords)],
  mail: ["Mail", by(mailWords), by(mailStateWords)],
  approval: ["Proposal", actionWords, by(proposalStateWords)],
  operation: ["Audit log entry", actionWords],
  posting: ["Posting", by(ledgerKindWords)],
  deck: ["Price list"],
  card: ["Card"],
  caller_number: ["Own number"],
  session: ["Signed-in device"],
  block: ["Calls paused"],
  gift: ["Credit for somebody else", by(giftWords)],
  credit_request: ["Request for credit"],
  contact: ["Contact"],
  reminder: ["Reminder"],
  number_check: ["Caller ID check"],
  saving_of_a_card: ["Saved card set-up", by(cardSetupWords)],
  address_change: ["Email address change"],
  copy_of_data: ["Copy of the data", by(exportStateWords)],
  passkey: ["Passkey"],
  invitation: ["Invitation to a family"],
  "sign-in_event": ["Account", by(activityWords)],
  echo_test: ["Echo test"],
  test_credit: ["Test credit"],
  hold: ["Hold", by(holdWords)],
  promotion: ["Promo code"],
  breaker: ["Breaker", by(breakerWords)],
  reconciliation: ["Comparison with the payment provider"],
  operator: ["Operator", by(roleWords)],
};

/** What was found: "Call +442079460000", with its state as the note. */
export function hitWords({ type, text, codes }: Pick<SearchHit, "type" | "text" | "codes">): Words {
  const [name, ...say] = types[type];
  const named = type === "card" && text !== "" ? methodText(text) : text;
  const said = codes.map((code, place) => (say[place] ?? by({}))(code));
  return { title: named === "" ? name : `${name} ${named}`, note: said.join(", ").toLowerCase() };
}
