import type { PhoneCall } from "../phone-state.ts";
import { after } from "../../time/timers.ts";

const SECOND_MS = 1000;

export interface CallTimer {
  /** The line opened here, now. Only the first call counts. */
  start(): void;
  /** How long ago the call was answered by the service's clock: it replaces the first estimate. */
  answered(agoMs: number): void;
  /** Seconds from the answer that the hold pays for; a top-up during the call raises it. */
  setLimit(maxSeconds: number): void;
  stop(): void;
}

/** Counts a call's seconds, and down to the end of its credit. For display only: the provider's clock determines the charge. */
export function createCallTimer(
  maxSeconds: number,
  onChange: (patch: Pick<PhoneCall, "elapsedSeconds" | "secondsLeft" | "creditWarning">) => void,
): CallTimer {
  let limitSeconds = maxSeconds;
  let answeredAtMs: number | null = null;
  let running = false;
  let cancel = (): void => undefined;

  const tick = (): void => {
    if (answeredAtMs === null) return;
    const elapsedMs = Math.max(0, performance.now() - answeredAtMs);
    const elapsedSeconds = Math.floor(elapsedMs / SECOND_MS);
    const secondsLeft = Math.max(0, limitSeconds - elapsedSeconds);
    onChange({ elapsedSeconds, secondsLeft, creditWarning: creditWarning(secondsLeft) });
    cancel();
    cancel = after(SECOND_MS - (elapsedMs % SECOND_MS), tick);
  };

  return {
    start() {
      if (running) return;
      running = true;
      answeredAtMs ??= performance.now();
      tick();
    },
    answered(agoMs) {
      answeredAtMs = performance.now() - Math.max(0, agoMs);
      if (running) tick();
    },
    setLimit(seconds) {
      limitSeconds = seconds;
    },
    stop() {
      running = false;
      cancel();
    },
  };
}

function creditWarning(secondsLeft: number): 60 | 15 | null {
  if (secondsLeft <= 15) return 15;
  return secondsLeft <= 60 ? 60 : null;
}
