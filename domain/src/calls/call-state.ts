/** The states of a call on the service, in order. */
export type CallStatus = "initiated" | "ringing" | "in-progress" | "completed" | "failed";

const POSITION: Record<CallStatus, number> = { initiated: 0, ringing: 1, "in-progress": 2, completed: 3, failed: 3 };

const CONTROL_ID = /^v3:([a-z0-9-]{1,20})\.[\w-]{32}$/;

/**
 * Whether a call may move from one state to another. Only forward, because provider events arrive late, twice and out of order,
 * and an old one must change nothing. States may be skipped, for example if ringing was not reported.
 */
export function mayMove(from: CallStatus, to: CallStatus): boolean {
  return POSITION[to] > POSITION[from];
}

/** Whether the state is final. */
export function isFinal(status: CallStatus): boolean {
  return POSITION[status] === POSITION.completed;
}

/** The exchange that owns a leg, from the leg's control id; null for any other text, such as an id of another provider. */
export function exchangeOfControlId(id: string): string | null {
  return CONTROL_ID.exec(id)?.[1] ?? null;
}
