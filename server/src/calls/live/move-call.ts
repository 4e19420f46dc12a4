import { isFinal } from "@farline/domain/calls/call-state.ts";
import type { SessionWithCustomer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import type { CallContext } from "../call-context.ts";
import { giveCallTo } from "../record/caller-session.store.ts";
import type { CallRow } from "../record/calls.tables.ts";

/**
 * Moves a running call to a page of the session that asks, to which it belongs from then on: it ends with that session. The far end, the price
 * and the hold stay as they are.
 * @param voiceSession the page's session at the voice provider, which must have signed in as `session`
 * @throws AppError conflict if the call is over, or the provider has no such page of this session or cannot move calls
 */
export async function moveCall(
  { commands, connection, handle, log, secrets }: CallContext,
  call: CallRow,
  to: { session: SessionWithCustomer; voiceSession: string },
): Promise<void> {
  const { sessionId } = to.session;
  const leg = isFinal(call.status) || call.hangup_requested_at !== null ? null : call.parked_call_control_id;
  const isMovable = leg !== null && (await connection.has("move"));
  const page = { session: to.voiceSession, session_mark: secrets.sessionMark(sessionId) };
  if (!isMovable || !(await commands.move(leg, page))) throw new AppError("conflict", { reason: "call_not_movable" });
  await giveCallTo(handle.db, call.id, sessionId);
  log.info({ call: call.id }, "call moved to another page");
}
