import { performance } from "node:perf_hooks";

export const SAMPLE_MS = 100;
/** Load is judged by the last two seconds, so that a few calls that begin at a time do not make the process full. */
const SAMPLES = 20;

/** From here on further calls would be heard in those that run. Measured with `npm run bench -- media`. */
export interface FullAt {
  /** With fewer legs the load is not the calls' own, and a refusal would help nobody. */
  readonly legs: number;
  /** Part of the time, 0 to 1. */
  readonly busy: number;
  /** Milliseconds that packets wait. */
  readonly waitMs: number;
}
export const FULL_AT: FullAt = { legs: 20, busy: 0.7, waitMs: 10 };

export interface LoadMetrics {
  /** Part of the time that the process works, 0 to 1; the median of the last two seconds. */
  readonly busy: number;
  /** Longest wait of a packet in each tenth of a second, in milliseconds; the median of the last two seconds. */
  readonly waitMs: number;
}

/**
 * How long packets wait in this process's sockets before it reads them. The system does not tell when they came; but whatever is read
 * now was not there when the process last read, and since then it only waited while the process was busy.
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

  /** `idle` tells how long the process has waited for work since it began; both in milliseconds. */
  constructor(nowMs = performance.now(), idle = () => performance.nodeTiming.idleTime) {
    this.#idle = idle;
    this.#turnAtMs = this.#beforeAtMs = this.#sampledAtMs = nowMs;
    this.#turnIdleMs = this.#beforeIdleMs = this.#sampledIdleMs = idle();
  }

  /** The longest time in milliseconds that a packet which is read at `nowMs` can have waited. */
  longestWait(nowMs: number): number {
    if (!this.#turnOpen) this.#openTurn(nowMs);
    const idleMs = this.#turnIdleMs - this.#beforeIdleMs;
    const waitMs = Math.max(0, nowMs - this.#beforeAtMs - idleMs);
    if (waitMs > this.#longestMs) this.#longestMs = waitMs;
    return waitMs;
  }

  /** To be called every `SAMPLE_MS`: coming later means that the process had no time, or got none from the system. */
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

  get figures(): LoadMetrics {
    return { busy: median(this.#samples.map(({ busy }) => busy)), waitMs: median(this.#samples.map(({ waitMs }) => waitMs)) };
  }

  isFull(legs: number, at: FullAt): boolean {
    const { busy, waitMs } = this.figures;
    return legs >= at.legs && (busy >= at.busy || waitMs >= at.waitMs);
  }

  #openTurn(nowMs: number): void {
    this.#turnOpen = true;
    this.#beforeAtMs = this.#turnAtMs;
    this.#beforeIdleMs = this.#turnIdleMs;
    this.#turnAtMs = nowMs;
    this.#turnIdleMs = this.#idle();
    // Runs when every socket that had something has been read.
    setImmediate(() => {
      this.#turnOpen = false;
    });
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
