import type { PhoneCall } from "../phone-state.ts";

const SECOND_MS = 1000;

export interface CallTimer {
  /** The line opened here, at this time of this machine's clock. Only the first call counts. */
  startAt(nowMs: number): void;
  /** The service's answer time, on this machine's clock: it replaces the first estimate. */
  answeredAt(atMs: number): void;
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
  let timer: ReturnType<typeof setTimeout> | null = null;

  const tick = (): void => {
    if (answeredAtMs === null) return;
    const elapsedMs = Math.max(0, Date.now() - answeredAtMs);
    const elapsedSeconds = Math.floor(elapsedMs / SECOND_MS);
    const secondsLeft = Math.max(0, limitSeconds - elapsedSeconds);
    onChange({ elapsedSeconds, secondsLeft, creditWarning: creditWarning(secondsLeft) });
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(tick, SECOND_MS - (elapsedMs % SECOND_MS));
  };

  return {
    startAt(nowMs) {
      if (running) return;
      running = true;
      answeredAtMs ??= nowMs;
      tick();
    },
    answeredAt(atMs) {
      if (atMs === answeredAtMs) return;
      answeredAtMs = atMs;
      if (running) tick();
    },
    setLimit(seconds) {
      limitSeconds = seconds;
    },
    stop() {
      running = false;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

function creditWarning(secondsLeft: number): 60 | 15 | null {
  if (secondsLeft <= 15) return 15;
  return secondsLeft <= 60 ? 60 : null;
}
