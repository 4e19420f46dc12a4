import { MINUTE_MS } from "@farline/domain/durations.ts";
import type { Logger } from "pino";

const PER_MINUTE = 20;

/** Rate-limits warnings that untrusted clients can trigger: a few per minute of each kind, then a count of those left out. */
export class RateLimitedLog {
  readonly #log: Pick<Logger, "warn">;
  readonly #kinds = new Map<string, { sinceMs: number; lines: number; leftOut: number }>();

  constructor(log: Pick<Logger, "warn">) {
    this.#log = log;
  }

  /** @param message a fixed text, which is also the kind */
  warn(fields: Record<string, unknown>, message: string, nowMs = performance.now()): void {
    const kind = this.#kinds.get(message) ?? { sinceMs: nowMs, lines: 0, leftOut: 0 };
    this.#kinds.set(message, kind);
    if (nowMs - kind.sinceMs >= MINUTE_MS) Object.assign(kind, { sinceMs: nowMs, lines: 0 });
    if (kind.lines >= PER_MINUTE) {
      kind.leftOut += 1;
      return;
    }
    kind.lines += 1;
    this.#log.warn(kind.leftOut === 0 ? fields : { ...fields, left_out: kind.leftOut }, message);
    kind.leftOut = 0;
  }
}
