import type { CallAttempt } from "./invite/call-attempt.ts";
import type { TrunkLine } from "./trunk-line.ts";

/** The far end may repeat messages of a call that is over: RFC 3261 timers H and J. */
const LINGER_MS = 32_000;

interface RegisteredCall {
  readonly line: TrunkLine;
  /** Null for a request outside of a live call. */
  readonly attempt: CallAttempt | null;
  afterlife: NodeJS.Timeout | null;
}

/** Our Call-IDs, each with its trunk: everything else that arrives is a stranger's. */
export class CallRegistry {
  readonly #calls = new Map<string, RegisteredCall>();
  readonly #onForgotten: () => void;

  /** @param onForgotten called after each Call-ID that is forgotten */
  constructor(onForgotten: () => void) {
    this.#onForgotten = onForgotten;
  }

  open(callId: string, line: TrunkLine, attempt: CallAttempt | null): void {
    this.#stopAfterlife(callId);
    this.#calls.set(callId, { line, attempt, afterlife: null });
  }

  /** Forgets the Call-ID when no more of its messages can come. */
  close(callId: string, forgotten: () => void = () => undefined): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    this.#stopAfterlife(callId);
    call.afterlife = setTimeout(() => {
      this.#calls.delete(callId);
      forgotten();
      this.#onForgotten();
    }, LINGER_MS);
  }

  /** The attempt of a Call-ID of this trunk; null where it has none, and for another trunk's. */
  attempt(callId: string, line: TrunkLine): CallAttempt | null {
    const call = this.#calls.get(callId);
    return call?.line === line ? call.attempt : null;
  }

  /** Is it a Call-ID of ours on one of these trunks? */
  has(callId: string, which: (line: TrunkLine) => boolean): boolean {
    const call = this.#calls.get(callId);
    return call !== undefined && which(call.line);
  }

  attemptsOn(line: TrunkLine): CallAttempt[] {
    return [...this.#calls.values()].flatMap((call) => (call.line === line && call.attempt !== null ? [call.attempt] : []));
  }

  clear(): void {
    for (const callId of this.#calls.keys()) this.#stopAfterlife(callId);
    this.#calls.clear();
  }

  #stopAfterlife(callId: string): void {
    const afterlife = this.#calls.get(callId)?.afterlife ?? null;
    if (afterlife !== null) clearTimeout(afterlife);
  }
}
