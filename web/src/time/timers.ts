import { between, DAY_MS } from "@farline/domain/durations.ts";

const SHORTEST_PERIOD_MS = 200;

/** Runs once after the delay. Returns the function that prevents it. */
export function after(delayMs: number, run: () => void): () => void {
  // Browsers run timers of over 2³¹ − 1 ms at once.
  const timer = setTimeout(run, between(0, delayMs, DAY_MS));
  return () => clearTimeout(timer);
}

/** Runs after each period. Returns the function that ends it. */
export function every(periodMs: number, run: () => void): () => void {
  const timer = setInterval(run, between(SHORTEST_PERIOD_MS, periodMs, DAY_MS));
  return () => clearInterval(timer);
}

export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => void after(delayMs, resolve));
}

interface Bounds {
  /** The next run that somebody asks for starts at least this long after the last one. */
  readonly soonMs: number;
  /** The next planned run comes at least and at most after this wait. */
  readonly floorMs: number;
  readonly ceilingMs: number;
}

/** The requests that the page repeats by itself. */
export const PACES = {
  /** New login tokens of the voice line. */
  voiceToken: { soonMs: 1_000, floorMs: 30_000, ceilingMs: DAY_MS },
  /** The state of a live call. */
  callState: { soonMs: 500, floorMs: 1_000, ceilingMs: 4_000 },
  /** Whether a call runs, after a failed request or an offer's end. */
  liveCall: { soonMs: 1_000, floorMs: 1_000, ceilingMs: 45_000 },
  /** The connection for live hints. */
  liveHints: { soonMs: 500, floorMs: 500, ceilingMs: 30_000 },
  /** The console's live figures. */
  consoleReading: { soonMs: 2_000, floorMs: 4_000, ceilingMs: 8_000 },
} as const satisfies Record<string, Bounds>;

interface Pace {
  /** Plans the next run within the bounds, instead of an earlier plan. A wait that is no number is the longest one. */
  plan(waitMs: number): void;
  /** Runs as soon as the bounds allow. */
  soon(): void;
  stop(): void;
}

/** Repeats a request within its bounds, whatever waits result from clocks and other programs' messages. */
export function createPace({ soonMs, floorMs, ceilingMs }: Bounds, run: () => void): Pace {
  let ranAtMs = -Infinity;
  let cancel = (): void => undefined;
  const start = (): void => {
    ranAtMs = performance.now();
    run();
  };
  const plan = (waitMs: number): void => {
    cancel();
    cancel = after(waitMs, start);
  };
  return {
    plan: (waitMs) => plan(between(floorMs, waitMs, ceilingMs)),
    soon() {
      const waitMs = ranAtMs + soonMs - performance.now();
      if (waitMs > 0) return plan(waitMs);
      cancel();
      start();
    },
    stop: () => cancel(),
  };
}

/** Aborts as soon as one of the signals does. `AbortSignal.any` is newer than the oldest supported browsers. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  const either = new AbortController();
  for (const signal of signals) {
    const abort = (): void => either.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true, signal: either.signal });
  }
  return either.signal;
}
