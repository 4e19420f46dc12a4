import { ERASURE_GRACE_DAYS } from "../constants.ts";
import {
  byMoney,
  byAdmins,
  linkWaits,
  aloneText,
  changed,
  hasAmount,
  isOver,
  type CustomerFacts,
  type EntryFacts,
  type About,
  type Second,
  type Declaration,
} from "./declaration.ts";
import { hasRight, type OperatorRole } from "./rights.ts";

/** In the order in which they are offered. */
export const operations = {
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
    says: () => "The customer can call, top up and withdraw again, and is told by mail.",
    done: changed("The account is open again.", "The account was not frozen."),
    forCustomer: ({ isFrozen }: CustomerFacts) => isFrozen,
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
    forEntry: ({ type, text }: EntryFacts) => type === "account" && text === "signed_in",
  },
  "confirm-address": {
    subject: "customer",
    right: "release",
    route: "POST /api/operator/customers/:id/confirm-address",
    label: "Confirm the address",
    says: ({ email }: About) => `${email} counts as confirmed, without the link. Be sure that it is the customer's.`,
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
    forEntry: ({ type, text }: EntryFacts) => type === "mail" && text === "verify_email",
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
  "activate-deck": {
    subject: "deck",
    right: "decks",
    second: { when: "concern", proposes: "decks", decides: "decks", title: "Put a deck in force" },
    route: "POST /api/operator/decks/:id/activate",
    label: "Put in force",
    says: () =>
      "Calls that begin after this time follow its prices. A live service leaves five minutes to cancel. Unusual prices need a second operator.",
  },
  "cancel-deck": {
    subject: "deck",
    right: "decks",
    route: "POST /api/operator/decks/:id/cancel",
    label: "Call off",
    says: () => "The active deck stays active, and this one stays stored.",
    done: ({ cancelled }: { readonly cancelled: readonly string[] }) => `Called off: ${cancelled.join(", ")}.`,
    ends: true,
  },
  "create-promo": {
    subject: "code",
    right: "promotions",
    second: {
      when: "concern",
      proposes: "promotions",
      decides: "promotions",
      title: "Start a promo code that gives up to",
    },
    route: "POST /api/operator/promos/:code",
    label: "Start a promo code",
    says: () => "Top-ups with the code get a bonus. What it can give in all decides whether a second operator confirms it.",
    done: () => "The promo code can be used.",
  },
  "end-promo": {
    subject: "code",
    right: "promotions",
    route: "POST /api/operator/promos/:code/end",
    label: "End a promo code",
    says: () => "Nobody can use it any more. Promised bonuses remain promised.",
    done: ({ uses }: { readonly uses: number }) => `The promo code has ended. ${uses} top-ups used it.`,
    ends: true,
  },
  "set-setting": {
    subject: "setting",
    right: "settings",
    second: { when: "concern", proposes: "settings", decides: "settings", title: "Change a setting" },
    route: "POST /api/operator/settings/:setting",
    label: "Change a setting",
    says: () => "A value beyond what one operator may set needs a second one.",
    done: () => "The setting is changed. Running services take it within a minute.",
  },
  "lift-breaker": {
    subject: "breaker",
    right: "release",
    route: "POST /api/operator/breakers/:id/lift",
    label: "Allow these calls again",
    says: () => "The calls that it stopped are allowed again at once.",
    done: ({ text }: { readonly text: string }) => text,
  },
  "block-caller-number": {
    subject: "number",
    right: "restrict",
    route: "POST /api/operator/caller-numbers/:number/block",
    label: "Block a caller id",
    says: () => "The number is removed from its account, which is told by mail, and no account can add it.",
    done: ({ removed, changed: isNew }: { readonly removed: boolean; readonly changed: boolean }) =>
      `${removed ? "The number is removed. Its account is notified by mail." : "No account had this number."} ${isNew ? "No account can add it." : "It was already blocked."}`,
    ends: true,
  },
  "unblock-caller-number": {
    subject: "number",
    right: "release",
    route: "POST /api/operator/caller-numbers/:number/unblock",
    label: "Unblock a caller id",
    says: () => "An account can add the number again, once it has proven it.",
    done: changed("The number can be added again.", "The number was not blocked."),
  },
  "handle-dispute": {
    subject: "dispute",
    right: "disputes",
    route: "POST /api/operator/disputes/:id/handled",
    label: "Mark as handled",
    says: () => "Do this after you have answered or accepted the dispute at the payment provider.",
    done: () => "The dispute no longer waits.",
  },
  "export-evidence": {
    subject: "dispute",
    right: "export",
    route: "POST /api/operator/disputes/:id/evidence",
    label: "Download the evidence",
    says: () =>
      "Account, payment, receipts, refunds, sign-ins, and the calls made with its credit, for the bank. Numbers are masked.",
    done: () => "The evidence is saved.",
  },
  "settle-lost-exchange": {
    subject: "exchange",
    right: "restrict",
    route: "POST /api/operator/exchanges/:exchange/settle-lost",
    label: "Settle the calls of a lost exchange",
    says: () => "Its calls end, each at its last proof of life, and the callers can call again.",
    done: ({ settled }: { readonly settled: number }) =>
      settled === 0 ? "The exchange has no live call." : `${settled === 1 ? "1 call is" : `${settled} calls are`} settled.`,
    ends: true,
  },
  reconcile: {
    subject: null,
    right: "reconcile",
    route: "POST /api/operator/reconciliation",
    label: "Compare with the payment provider",
    says: () =>
      "Every payment of these days is compared with the provider's records; what they prove is set right. It takes minutes.",
    done: ({ repaired, differences }: { readonly repaired: number; readonly differences: number }) =>
      `${repaired} payments set right. ${differences === 0 ? "No differences." : `${differences} differences.`}`,
  },
  "close-month": {
    subject: "month",
    right: "money",
    route: "POST /api/operator/months/:month/close",
    label: "Close the month",
    says: () => "The books and the provider's report are kept with your name. The next month must open with this closing.",
    done: () => "The month is closed.",
  },
  "open-doors": {
    subject: null,
    right: "reconcile",
    route: "POST /api/operator/doors/open",
    label: "Open the doors",
    says: () => "Customers can sign in, call and pay again, although differences from the restore remain.",
    done: () => "The doors are open. The differences remain recorded.",
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
    label: "Call off the erasure",
    says: () => "The account stays, and the customer can use it again.",
    done: () => "The erasure is cancelled.",
    forCustomer: ({ isClosing }: CustomerFacts) => isClosing,
  },
  "invite-operator": {
    subject: null,
    right: "operators",
    second: { ...byAdmins("Invite an operator"), confirmed: linkWaits },
    route: "POST /api/operator/operators",
    label: "Invite an operator",
    says: () => "The link for their sign-in is shown once, for 15 minutes; hand it over yourself.",
  },
  "renew-invitation": {
    subject: "operator",
    right: "operators",
    second: { ...byAdmins("Give an operator a new link"), confirmed: linkWaits },
    route: "POST /api/operator/operators/:id/link",
    label: "New link",
    says: () => "Their passkeys, password and sessions end now. The link is shown once, for 15 minutes; hand it over yourself.",
    ends: true,
  },
  "change-role": {
    subject: "operator",
    right: "operators",
    second: byAdmins("Give an operator a higher role"),
    route: "PUT /api/operator/operators/:id/role",
    label: "Change the role",
    says: () => "It takes effect with their next request. After a higher role they count as a second person a week later.",
    done: () => "The role is changed.",
  },
  "end-operator-sessions": {
    subject: "operator",
    right: "operators",
    route: "POST /api/operator/operators/:id/end-sessions",
    label: "End the sessions",
    says: () => "They are signed out everywhere, command lines included.",
    done: () => "They are signed out everywhere.",
    ends: true,
  },
  "fetch-link": {
    subject: "operator",
    right: "operators",
    route: "POST /api/operator/operators/:id/link/fetch",
    label: "Show the link",
    says: () =>
      "It is shown once and works for 15 minutes, so have the operator ready. They count as a second person a week later.",
  },
  "remove-operator": {
    subject: "operator",
    right: "operators",
    route: "POST /api/operator/operators/:id/remove",
    label: "Remove",
    says: () => "They can no longer sign in. The record keeps their name.",
    done: () => "The operator is removed.",
    ends: true,
  },
} as const satisfies Readonly<Record<string, Declaration>>;

type Declared = typeof operations;

/** The one name of an operation. */
export type OperationName = keyof Declared;
export const operationNames = Object.keys(operations) as [OperationName, ...OperationName[]];

/** An operation that a second operator may have to confirm. */
export type ProposableName = { [N in OperationName]: Declared[N] extends { readonly second: Second } ? N : never }[OperationName];

/** When a second operator is needed for it; never, if null. */
export type SecondWhen<N extends OperationName> = Declared[N] extends { readonly second: infer By extends Second }
  ? By["when"]
  : null;

/** Its declaration, without what is particular to it. */
export function declarationOf(name: OperationName): Declaration {
  return operations[name];
}

/** The declaration of an action that can be proposed; undefined for any other word. */
export function secondFor(action: string): Second | undefined {
  return Object.hasOwn(operations, action) ? declarationOf(action as OperationName).second : undefined;
}

/** What a role can do about a customer or an entry of the story, in the order in which it is offered. */
export function offeredFor(role: OperatorRole, about: CustomerFacts | EntryFacts): OperationName[] {
  return operationNames.filter((name) => {
    const { right, forCustomer, forEntry } = declarationOf(name);
    return hasRight(role, right) && ("type" in about ? forEntry?.(about) : forCustomer?.(about)) === true;
  });
}

/** For example "2 calls are being hung up." */
export function hungUp(calls: number): string {
  if (calls === 0) return "These calls had already ended.";
  return calls === 1 ? "1 call is being hung up." : `${calls} calls are being hung up.`;
}
