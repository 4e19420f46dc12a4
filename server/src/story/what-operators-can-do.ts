import { actionRights, type OperatorAction, type StoryType } from "@farline/contract/operator/customers.ts";
import { hasRight, type OperatorRole } from "@farline/contract/operator/rights.ts";

/** Those actions that the role has the right to. */
export function allowedTo(role: OperatorRole, actions: readonly OperatorAction[]): OperatorAction[] {
  return actions.filter((action) => hasRight(role, actionRights[action]));
}

/** What an operator can do about an entry of a customer's story. */
export function actionsOn(entry: {
  type: StoryType;
  state: string | null;
  amountMicros: bigint | null;
  text: string;
}): OperatorAction[] {
  const { type, state, amountMicros, text } = entry;
  switch (type) {
    case "call":
      if (state !== "completed" && state !== "failed") return ["hang_up"];
      return (amountMicros ?? 0n) > 0n ? ["refund_call"] : [];
    case "payment":
      return state === "paid" && (amountMicros ?? 0n) > 0n ? ["refund"] : [];
    case "refund_request":
      return state === "open" ? ["refund_call"] : [];
    case "case":
      return state === "open" ? ["answer", "close"] : state === "answered" ? ["close"] : [];
    case "mail":
      // The content of other mails is deleted when they are sent; receipts stay on the customer's page.
      return text === "verify_email" ? ["resend"] : [];
    case "account":
      return text === "signed_in" ? ["end_sessions"] : [];
    default:
      return [];
  }
}

/** What an operator can do about the account itself. */
export function actionsOnCustomer(customer: {
  readonly isFrozen: boolean;
  readonly emailVerified: boolean;
  readonly sessions: number;
  readonly debtMicros: bigint;
  readonly liveCalls: number;
}): OperatorAction[] {
  return [
    ...(customer.liveCalls > 0 ? (["hang_up"] as const) : []),
    customer.isFrozen ? "unfreeze" : "freeze",
    "change_terms",
    ...(customer.sessions > 0 ? (["end_sessions"] as const) : []),
    ...(customer.emailVerified ? [] : (["confirm_address", "resend"] as const)),
    "adjust",
    ...(customer.debtMicros > 0n ? (["write_off"] as const) : []),
  ];
}
