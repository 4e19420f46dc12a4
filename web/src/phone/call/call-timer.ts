import type { PhoneCall } from "../phone-state.ts";

const SECOND_MS = 1000;

export interface CallTimer {
  /** The line opened here, at this moment of this machine's clock. Only the first counts. */
  startAt(nowMs: number): void;
  /** The service's moment of the answer, on this machine's clock: it wins over the first guess. */
  answeredAt(atMs: number): void;
  /** Seconds from the answer that the credit set aside pays for; a top-up in the call raises it. */
  setLimit(maxSeconds: number): void;
  stop(): void;
}

/** Counts the seconds of a call, and down to the end of its credit. For display only: the provider's clock charges. */
export function createCallTimer(
  maxSeconds: number,
  tell: (patch: Pick<PhoneCall, "elapsedSeconds" | "secondsLeft" | "creditWarning">) => void,
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
    tell({ elapsedSeconds, secondsLeft, creditWarning: creditWarning(secondsLeft) });
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
