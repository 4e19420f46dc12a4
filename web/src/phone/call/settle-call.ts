import type { Call } from "@farline/contract/calls.ts";
import { settleWithin } from "@farline/domain/settle-within.ts";
import { isFinal, type CallService } from "./call-service.ts";
import { pause } from "../../time/timers.ts";

/** How long the provider's end event may take to reach the service before we end the call there ourselves. */
const WAITS_FOR_FINAL_MS = [300, 700, 1000, 1500, 2500] as const;
const HANGUP_TRIES_AFTER_MS = [0, 1000, 3000, 6000] as const;
const ANSWER_TIMEOUT_MS = 8000;

/**
 * Fetches an ended call's final record.
 * `caller` ended it: the service is told at once. `line` ended it: the provider's event reaches the service by itself and has
 * the true reason, so it is awaited first; if it does not arrive, the service is told to end the call.
 * Resolves to the last record received, null if there is none.
 */
export async function settleCall(
  service: Pick<CallService, "getCall" | "hangup">,
  callId: string,
  endedBy: "caller" | "line",
): Promise<Call | null> {
  if (endedBy === "line") {
    const record = await waitForFinal(service, callId);
    if (record !== null && isFinal(record)) return record;
  }
  const answer = await hangUpAtService(service, callId);
  if (answer !== null && isFinal(answer)) return answer;
  return (await waitForFinal(service, callId)) ?? answer;
}

async function hangUpAtService(service: Pick<CallService, "hangup">, callId: string): Promise<Call | null> {
  for (const waitMs of HANGUP_TRIES_AFTER_MS) {
    if (waitMs > 0) await pause(waitMs);
    const answer = await answerOrNull(service.hangup(callId));
    if (answer !== null) return answer;
  }
  // The exchange ends the call once the browser is gone, and the service's sweeper settles it.
  return null;
}

async function waitForFinal(service: Pick<CallService, "getCall">, callId: string): Promise<Call | null> {
  let last: Call | null = null;
  for (const waitMs of WAITS_FOR_FINAL_MS) {
    await pause(waitMs);
    last = (await answerOrNull(service.getCall(callId))) ?? last;
    if (last !== null && isFinal(last)) return last;
  }
  return last;
}

/** A failed request counts as no response: the caller of this function retries within its limit. */
function answerOrNull(answer: Promise<Call>): Promise<Call | null> {
  return settleWithin(answer, ANSWER_TIMEOUT_MS, () => null).catch(() => null);
}
