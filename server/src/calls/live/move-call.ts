import { isFinal } from "@farline/domain/calls/call-state.ts";
import { AppError } from "../../platform/app-error.ts";
import type { CallContext } from "../call-context.ts";
import type { CallRow } from "../record/calls.tables.ts";

/**
 * Moves a running call to another of its customer's pages. The far end, the price and the hold stay as they are.
 * @param voiceSession the page's session at the voice provider
 * @throws AppError conflict if the call is over, or the provider has no such page or cannot move calls
 */
export async function moveCall({ commands, connection, log }: CallContext, call: CallRow, voiceSession: string): Promise<void> {
  const leg = isFinal(call.status) || call.hangup_requested_at !== null ? null : call.parked_call_control_id;
  const isMovable = leg !== null && (await connection.has("move"));
  if (!isMovable || !(await commands.move(leg, voiceSession))) throw new AppError("conflict", { reason: "call_not_movable" });
  log.info({ call: call.id }, "call moved to another page");
}
