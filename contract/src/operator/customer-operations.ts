import { countText } from "./words/count-text.ts";
import { ERASURE_GRACE_DAYS } from "../constants.ts";
import {
  byMoney,
  aloneText,
  changed,
  hasAmount,
  isOver,
  type CustomerFacts,
  type EntryFacts,
  type About,
  type Declaration,
} from "./declaration.ts";

/** What operators do to customers, their calls and payments, in the order in which it is offered. */
export const customerOperations = {
  "hang-up": {
    subject: null,
    right: "restrict",
    route: "POST /api/operator/calls/hang-up",
    label: "Hang up",
    says: ({ email, liveCalls, entry }: About) =>
      entry === null
        ? `All live calls of ${email} (${liveCalls}) end within seconds. Talk time so far is charged.`
        : "The call ends within seconds. Talk time so far is charged.",
    done: ({ ended }: { readonly ended: number }) => hungUp(ended),
    ends: true,
    forCustomer: ({ liveCalls }: CustomerFacts) => liveCalls > 0,
    forEntry: (entry: EntryFacts) => entry.type === "call" && !isOver(entry),
  },
  freeze: {
    subject: "customer",
    right: "restrict",
    route: "POST /api/operator/customers/:id/freeze",
    label: "Freeze",
    says: ({ liveCalls }: About) =>
      `No calls, top-ups or withdrawals until you unfreeze the account.${liveCalls === 0 ? "" : ` Live calls (${liveCalls}) end within 10 seconds.`} The customer can still sign in.`,
    done: changed("The account is frozen.", "The account was frozen already."),
    ends: true,
    forCustomer: ({ isFrozen }: CustomerFacts) => !isFrozen,
  },
  unfreeze: {
    subject: "customer",
    right: "release",
    second: { when: "concern", proposes: "release", decides: "release", title: "Unfreeze the account" },
    route: "POST /api/operator/customers/:id/unfreeze",
    label: "Unfreeze",
    says: () => "The customer can call, top up and withdraw again, and is notified by email.",
    done: changed("The account is open again.", "The account was not frozen."),
    forCustomer: ({ isFrozen }: CustomerFacts) => isFrozen,
  },
  "keep-frozen": {
    subject: "customer",
    right: "release",
    route: "POST /api/operator/customers/:id/keep-frozen",
    label: "Keep frozen",
    says: () => "The review ends. Refund what is unspent, or change limits, on the customer's page.",
    done: () => "The account stays frozen.",
    ends: true,
  },
  "set-term": {
    subject: "customer",
    // What allows more takes the right of those who may propose it.
    right: "restrict",
    second: { when: "concern", proposes: "release", decides: "release", title: "Change a limit," },
    route: "POST /api/operator/customers/:id/terms",
    label: "Change a limit",
    done: () => "The limit is changed.",
    forCustomer: () => true,
  },
  "end-sessions": {
    subject: "customer",
    right: "restrict",
    route: "POST /api/operator/customers/:id/end-sessions",
    label: "Sign out everywhere",
    says: ({ sessions }: About) =>
      `Every device is signed out (${sessions}), and their calls end within seconds. The password stays as it is.`,
    done: () => "The customer is signed out everywhere.",
    ends: true,
    forCustomer: ({ sessions }: CustomerFacts) => sessions > 0,
    forEntry: ({ type, kind }: EntryFacts) => type === "account" && kind === "signed_in",
  },
  "confirm-address": {
    subject: "customer",
    right: "release",
    route: "POST /api/operator/customers/:id/confirm-address",
    label: "Confirm the address",
    says: ({ email }: About) => `${email} counts as confirmed without the link. Make sure that it is the customer's.`,
    done: changed("The address is confirmed.", "The address was confirmed already."),
    forCustomer: ({ emailVerified }: CustomerFacts) => !emailVerified,
  },
  "resend-verification": {
    subject: "customer",
    right: "answer-cases",
    route: "POST /api/operator/customers/:id/resend-verification",
    label: "Send the link again",
    says: ({ email }: About) => `A new link to confirm the address is mailed to ${email}.`,
    done: changed("The link is on its way.", "The address was confirmed already."),
    forCustomer: ({ emailVerified }: CustomerFacts) => !emailVerified,
    // The content of other mails is deleted when they are sent; receipts stay on the customer's page.
    forEntry: ({ type, kind }: EntryFacts) => type === "mail" && kind === "verify_email",
  },
  adjust: {
    subject: "customer",
    right: "money",
    second: byMoney("Add a credit of"),
    route: "POST /api/operator/customers/:id/adjust",
    label: "Correct the credit",
    done: () => "The credit is added.",
    forCustomer: () => true,
  },
  deduct: {
    subject: "customer",
    right: "money",
    second: byMoney("Take a credit of"),
    route: "POST /api/operator/customers/:id/deduct",
    label: "Take credit",
    done: () => "The credit is taken.",
  },
  "write-off": {
    subject: "customer",
    right: "money",
    second: byMoney("Write off a debt of"),
    route: "POST /api/operator/customers/:id/write-off",
    label: "Write off the debt",
    says: (about: About) => `The customer owes $${about.debt}. Afterwards they owe nothing. ${aloneText(about)}`,
    done: () => "The debt is written off.",
    forCustomer: ({ debtMicros }: CustomerFacts) => debtMicros > 0n,
  },
  refund: {
    subject: "payment",
    right: "refund",
    second: { when: "amount", proposes: "refund", decides: "money", title: "Refund" },
    route: "POST /api/operator/payments/:id/refund",
    label: "Refund",
    done: ({ failure }: { readonly failure: string | null }) =>
      failure === null
        ? "The refund is on its way."
        : `The payment provider refused: ${failure} The credit is back on the account.`,
    forEntry: (entry: EntryFacts) => entry.type === "payment" && entry.state === "paid" && hasAmount(entry),
  },
  "refund-call": {
    subject: "call",
    right: "refund",
    second: { when: "amount", proposes: "refund", decides: "money", title: "Refund a call," },
    route: "POST /api/operator/calls/:id/refund",
    label: "Refund the call",
    says: (about: About) => {
      const amount = about.entry?.type === "call" && about.entry.amount !== null ? `, $${about.entry.amount}` : "";
      return `The charge of the call goes back to the customer's credit${amount}, as bonus where it was paid with bonus. ${aloneText(about)}`;
    },
    done: () => "The charge is back on the customer's account.",
    forEntry: (entry: EntryFacts) =>
      entry.type === "refund_request" ? entry.state === "open" : entry.type === "call" && isOver(entry) && hasAmount(entry),
  },
  "decline-call-refund": {
    subject: "call",
    right: "refund",
    route: "POST /api/operator/refund-requests/:call/decline",
    label: "Decline",
    says: () => "The customer reads why.",
    done: () => "The request is declined.",
  },
  "answer-case": {
    subject: "number",
    right: "answer-cases",
    route: "POST /api/operator/cases/:number/answer",
    label: "Answer",
    says: () => "The customer gets the answer by mail and reads it on their page.",
    done: () => "The answer is on its way to the customer.",
    forEntry: ({ type, state }: EntryFacts) => type === "case" && state === "open",
  },
  "close-case": {
    subject: "number",
    right: "answer-cases",
    route: "POST /api/operator/cases/:number/close",
    label: "Close",
    says: () => "The question is closed without an answer and without a mail.",
    done: () => "The question is closed.",
    ends: true,
    forEntry: ({ type, state }: EntryFacts) => type === "case" && (state === "open" || state === "answered"),
  },
  "export-account": {
    subject: "customer",
    right: "personal-data",
    route: "POST /api/operator/customers/:id/export",
    label: "Send a copy of their data",
    says: ({ email }: About) => `A copy of the customer's data is prepared. Only ${email} gets the link.`,
    done: changed("The copy is prepared. The customer gets the link by mail.", "A copy is already being prepared."),
    forCustomer: () => true,
  },
  "erase-account": {
    subject: "customer",
    right: "personal-data",
    route: "POST /api/operator/customers/:id/erase",
    label: "Erase the account",
    says: () =>
      `The account closes now, and is erased after ${ERASURE_GRACE_DAYS} days unless its owner calls it off. Credit that no card can take back is lost.`,
    done: ({ erase_at: at }: { readonly erase_at: string }) =>
      `The account is closed. It will be erased on ${at} unless its owner cancels.`,
    ends: true,
    forCustomer: ({ isClosing }: CustomerFacts) => !isClosing,
  },
  "keep-account": {
    subject: "customer",
    right: "personal-data",
    route: "POST /api/operator/customers/:id/keep",
    label: "Cancel the erasure",
    says: () => "The account stays, and the customer can use it again.",
    done: () => "The erasure is cancelled.",
    forCustomer: ({ isClosing }: CustomerFacts) => isClosing,
  },
} as const satisfies Readonly<Record<string, Declaration>>;

/** For example "2 calls are being hung up." */
function hungUp(calls: number): string {
  if (calls === 0) return "These calls had already ended.";
  return `${countText(calls, "call is", "calls are")} being hung up.`;
}
