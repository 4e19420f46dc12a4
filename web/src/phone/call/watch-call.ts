import type { Call } from "@farline/contract/calls.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import { type CallService, isFinal, ServiceRefusal } from "./call-service.ts";
import { createPace, PACES, pause } from "../../time/timers.ts";

const WHILE_RINGING_MS = 1000;
const WHILE_LIVE_MS = 2000;
/** After a failed request: the service or the network is down, and faster retries do not help. */
const AFTER_FAILURE_MS = 4000;
const POLL_TIMEOUT_MS = 8000;
/** No call lasts longer than 4 h at the provider; with ringing, no real call reaches 15,000 requests. */
const MAX_REQUESTS = 15_000;

export interface CallWatch {
  /** Polls now: something changed, or the machine was asleep. */
  lookNow(): void;
  stop(): void;
}

interface Watched {
  callId: string;
  /** Whether this page is in the call or offers to rejoin it. */
  present: boolean;
}

/**
 * Asks the service about a live call until it is final or the watch stops: every second while it rings, every two seconds
 * while it is live. `onRecord` receives every response in order.
 */
export function watchCall(
  service: Pick<CallService, "getCall" | "stay">,
  { callId, present }: Watched,
  onRecord: (record: Call) => void,
): CallWatch {
  let stopped = false;
  let looking = false;
  let looks = 0;

  const look = async (): Promise<void> => {
    looks += 1;
    looking = true;
    let waitMs: number;
    try {
      const answer = present ? service.stay(callId) : service.getCall(callId);
      const record = await settleWithin(answer, POLL_TIMEOUT_MS, () => Promise.reject(new Error("the poll timed out")));
      if (stopped) return;
      onRecord(record);
      if (isFinal(record)) return;
      waitMs = record.answered_at === null ? WHILE_RINGING_MS : WHILE_LIVE_MS;
    } catch (error) {
      // Signed out, or not our call: the response will not change. Other errors may pass.
      if (error instanceof ServiceRefusal && (error.status === 401 || error.status === 404)) return;
      waitMs = AFTER_FAILURE_MS;
    } finally {
      looking = false;
    }
    if (!stopped && looks < MAX_REQUESTS) pace.plan(waitMs);
  };
  const pace = createPace(PACES.callState, () => void look());

  pace.plan(WHILE_RINGING_MS);
  return {
    lookNow() {
      if (!stopped && !looking && looks < MAX_REQUESTS) pace.soon();
    },
    stop() {
      stopped = true;
      pace.stop();
    },
  };
}

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
