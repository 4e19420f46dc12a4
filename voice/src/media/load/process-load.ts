import { performance } from "node:perf_hooks";

export const SAMPLE_MS = 100;
/** The median over 2 s, so that a burst of new calls is not mistaken for overload. */
const SAMPLES = 20;

/** The load above which more calls would degrade the others. Measured with `npm run bench -- media`. */
export interface FullAt {
  /** With fewer legs the load comes from elsewhere, and refusing calls would not help. */
  readonly legs: number;
  /** Part of the time, 0 to 1. */
  readonly busy: number;
  /** How long packets wait. Up to a packet's own duration, one still leaves before the next arrives. */
  readonly waitMs: number;
}
export const FULL_AT: FullAt = { legs: 20, busy: 0.7, waitMs: 20 };

export interface LoadMetrics {
  /** Part of the time that the process is busy, 0 to 1; median of the last two seconds. */
  readonly busy: number;
  /** Longest wait of a packet per sample; median of the last two seconds. */
  readonly waitMs: number;
}

/**
 * Estimates how long packets wait in the sockets of this process. The system does not report their arrival. But a packet that is read
 * now was not there at the last read, and since then it has waited only while the process was busy.
 */
export class ProcessLoad {
  readonly #idle: () => number;
  #turnOpen = false;
  #turnAtMs: number;
  #turnIdleMs: number;
  #beforeAtMs: number;
  #beforeIdleMs: number;
  #longestMs = 0;
  #sampledAtMs: number;
  #sampledIdleMs: number;
  #samples: LoadMetrics[] = [];

  /** @param idle returns the process's idle time so far, in milliseconds */
  constructor(nowMs = performance.now(), idle = () => performance.nodeTiming.idleTime) {
    this.#idle = idle;
    this.#turnAtMs = this.#beforeAtMs = this.#sampledAtMs = nowMs;
    this.#turnIdleMs = this.#beforeIdleMs = this.#sampledIdleMs = idle();
  }

  /** The maximum time that a packet read at `nowMs` can have waited. */
  longestWait(nowMs: number): number {
    if (!this.#turnOpen) this.#openTurn(nowMs);
    const idleMs = this.#turnIdleMs - this.#beforeIdleMs;
    const waitMs = Math.max(0, nowMs - this.#beforeAtMs - idleMs);
    if (waitMs > this.#longestMs) this.#longestMs = waitMs;
    return waitMs;
  }

  /** Call every `SAMPLE_MS`. A late call means that the process was busy or did not get CPU time. */
  sample(nowMs: number): void {
    const idleMs = this.#idle();
    const passedMs = nowMs - this.#sampledAtMs;
    const busy = passedMs > 0 ? 1 - (idleMs - this.#sampledIdleMs) / passedMs : 0;
    this.#samples.push({ busy, waitMs: Math.max(this.#longestMs, passedMs - SAMPLE_MS) });
    if (this.#samples.length > SAMPLES) this.#samples.shift();
    this.#sampledAtMs = nowMs;
    this.#sampledIdleMs = idleMs;
    this.#longestMs = 0;
  }

  get metrics(): LoadMetrics {
    return { busy: median(this.#samples.map(({ busy }) => busy)), waitMs: median(this.#samples.map(({ waitMs }) => waitMs)) };
  }

  isFull(legs: number, at: FullAt): boolean {
    const { busy, waitMs } = this.metrics;
    return legs >= at.legs && (busy >= at.busy || waitMs >= at.waitMs);
  }

  #openTurn(nowMs: number): void {
    this.#turnOpen = true;
    this.#beforeAtMs = this.#turnAtMs;
    this.#beforeIdleMs = this.#turnIdleMs;
    this.#turnAtMs = nowMs;
    this.#turnIdleMs = this.#idle();
    // Runs when all readable sockets have been read.
    setImmediate(() => {
      this.#turnOpen = false;
    });
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
