import type { OperatorAction } from "@farline/contract/operator/customers.ts";

/** The label of each action's button. Questions are answered elsewhere. */
export const ACTION_LABELS = {
  freeze: "Freeze",
  unfreeze: "Unfreeze",
  change_terms: "Change a limit",
  hang_up: "Hang up",
  end_sessions: "Sign out everywhere",
  confirm_address: "Confirm the address",
  resend: "Send the link again",
  adjust: "Correct the credit",
  write_off: "Write off the debt",
  refund: "Refund",
  refund_call: "Refund the call",
} as const satisfies Partial<Record<OperatorAction, string>>;

/** An action that has a dialog here. */
export type ActionHere = keyof typeof ACTION_LABELS;

export function isActionHere(action: OperatorAction): action is ActionHere {
  return Object.hasOwn(ACTION_LABELS, action);
}
