import type { Call } from "@farline/contract/calls.ts";
import { settleWithin } from "@farline/domain/settle-within.ts";
import { isFinal, ServiceRefusal, type CallService } from "./call-service.ts";
import { createPace, PACES } from "../../time/timers.ts";

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
