import { plainDigits } from "@farline/domain/ascii-digits.ts";
import { after } from "../../time/timers.ts";

/** Maximum number of digits waiting to be sent; the longest bank menus need about 20. */
const MAX_WAITING_DIGITS = 64;
/** Gap between two tones: RFC 4733 events of 100 ms need one, and slow menus miss faster tones. */
const DIGIT_EVERY_MS = 200;
/** A comma is a pause, as on every telephone. */
const COMMA_PAUSE_MS = 2000;
const DIALABLE = /^[0-9*#,]$/;

export interface DigitQueue {
  /**
   * Queues the digits of any script, `*`, `#` and `,`, and skips the rest; returns those queued.
   * Null when they do not fit: part of a code is another code.
   */
  push(digits: string): string | null;
  stop(): void;
}

/** Sends digits one after another. They wait while `maySend` returns false (connection lost). */
export function createDigitQueue(line: { maySend(): boolean; send(digit: string): void }): DigitQueue {
  let waiting: string[] = [];
  let cancel: (() => void) | null = null;

  const sendNext = (): void => {
    cancel = null;
    if (waiting.length === 0) return;
    let waitMs = DIGIT_EVERY_MS;
    if (line.maySend()) {
      const digit = waiting.shift();
      if (digit === ",") waitMs = COMMA_PAUSE_MS;
      else if (digit !== undefined) line.send(digit);
    }
    cancel = after(waitMs, sendNext);
  };

  return {
    push(digits) {
      const taken = [...plainDigits(digits.normalize("NFKC"))].filter((digit) => DIALABLE.test(digit));
      if (waiting.length + taken.length > MAX_WAITING_DIGITS) return null;
      waiting.push(...taken);
      if (cancel === null && taken.length > 0) sendNext();
      return taken.join("");
    },
    stop() {
      waiting = [];
      cancel?.();
      cancel = null;
    },
  };
}
