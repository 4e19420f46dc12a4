import type { Call } from "@farline/contract/calls.ts";
import { isFinal, ServiceRefusal, type CallService } from "./call-service.ts";
import { withDeadline } from "./deadline.ts";

const WHILE_RINGING_MS = 1000;
const WHILE_LIVE_MS = 2000;
/** After a failed look: the service or the way to it is down, and asking harder does not help. */
const AFTER_FAILURE_MS = 4000;
const LOOK_TIMEOUT_MS = 8000;
/** No call lasts longer than 4 h at the provider; with ringing, 15 000 looks are never reached by a real one. */
const MAX_LOOKS = 15_000;

export interface CallWatch {
  /** Looks now instead of later: something was heard of the call, or the machine was asleep. */
  lookNow(): void;
  stop(): void;
}

interface Watched {
  callId: string;
  /** Whether this page is in the call or offers to take it up again. */
  present: boolean;
}

/**
 * Asks the service about a live call until it is final or the watch is stopped: every second while it rings, every two
 * while it is live. `tell` gets every answer in order.
 */
export function watchCall(
  service: Pick<CallService, "getCall">,
  { callId, present }: Watched,
  tell: (record: Call) => void,
): CallWatch {
  let stopped = false;
  let looking = false;
  let looks = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;

  const look = async (): Promise<void> => {
    looks += 1;
    looking = true;
    let waitMs: number;
    try {
      const answer = service.getCall(callId, { present });
      const record = await withDeadline(answer, LOOK_TIMEOUT_MS, () => new Error("call look timed out"));
      if (stopped) return;
      tell(record);
      if (isFinal(record)) return;
      waitMs = record.answered_at === null ? WHILE_RINGING_MS : WHILE_LIVE_MS;
    } catch (error) {
      // Signed out or not ours: the answer will not change. Everything else may pass.
      if (error instanceof ServiceRefusal && (error.status === 401 || error.status === 404)) return;
      waitMs = AFTER_FAILURE_MS;
    } finally {
      looking = false;
    }
    if (!stopped && looks < MAX_LOOKS) timer = setTimeout(run, waitMs);
  };
  const run = (): void => void look();

  timer = setTimeout(run, WHILE_RINGING_MS);
  return {
    lookNow() {
      if (stopped || looking || timer === null) return;
      clearTimeout(timer);
      timer = setTimeout(run, 0);
    },
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
