/** The states of a call on the service, in order. */
export type CallStatus = "initiated" | "ringing" | "in-progress" | "completed" | "failed";

const POSITION: Record<CallStatus, number> = { initiated: 0, ringing: 1, "in-progress": 2, completed: 3, failed: 3 };

/** Why a call ended. */
export type EndReason =
  | "hangup"
  | "credit_used_up"
  | "time_limit"
  | "busy"
  | "no_answer"
  | "rejected"
  | "cancelled"
  | "invalid_number"
  | "network_failure"
  | "never_connected"
  | "connection_lost"
  | "refused";

/**
 * Whether a call may move from one state to another. Only forward: provider events come late, twice and out of order,
 * and an old one must change nothing. A state may be passed over (an answer before the ringing was reported).
 */
export function mayMove(from: CallStatus, to: CallStatus): boolean {
  return POSITION[to] > POSITION[from];
}

/** Whether the state is final. */
export function isFinal(status: CallStatus): boolean {
  return POSITION[status] === POSITION.completed;
}

/** The state a call ends in: completed once it was answered, failed if it never was. */
export function finalStatus(answered: boolean): "completed" | "failed" {
  return answered ? "completed" : "failed";
}
