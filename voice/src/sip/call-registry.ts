import type { CallAttempt } from "./invite/call-attempt.ts";
import type { TrunkLine } from "./trunk-line.ts";

/** How long the far end may retransmit after a call: RFC 3261 timers H and J. */
const LINGER_MS = 32_000;

interface RegisteredCall {
  readonly line: TrunkLine;
  /** Null for a request outside a call. */
  readonly attempt: CallAttempt | null;
  expiry: NodeJS.Timeout | null;
  /** The far side's own addresses, if it is not reached through the trunk. */
  addresses: readonly string[];
}

/** Maps our Call-IDs to their trunks. Messages with any other Call-ID are not ours. */
export class CallRegistry {
  readonly #calls = new Map<string, RegisteredCall>();
  /** How many calls know an address. */
  readonly #admitted = new Map<string, number>();
  readonly #onRemoved: () => void;

  /** @param onRemoved called after each removal */
  constructor(onRemoved: () => void) {
    this.#onRemoved = onRemoved;
  }

  add(callId: string, line: TrunkLine, attempt: CallAttempt | null): void {
    this.#stopExpiry(callId);
    this.#calls.set(callId, { line, attempt, expiry: null, addresses: this.#calls.get(callId)?.addresses ?? [] });
  }

  /** The far side of a call may connect from these addresses, until the call is removed. */
  admit(callId: string, addresses: readonly string[]): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    this.#count(call.addresses, -1);
    call.addresses = [...new Set(addresses)];
    this.#count(call.addresses, 1);
  }

  admits(address: string): boolean {
    return this.#admitted.has(address);
  }

  /** Removes the Call-ID once no more of its messages can arrive. */
  removeLater(callId: string): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    this.#stopExpiry(callId);
    call.expiry = setTimeout(() => {
      this.admit(callId, []);
      this.#calls.delete(callId);
      this.#onRemoved();
    }, LINGER_MS);
  }

  /** The attempt of a Call-ID, or null. */
  attempt(callId: string): CallAttempt | null {
    return this.#calls.get(callId)?.attempt ?? null;
  }

  has(callId: string): boolean {
    return this.#calls.has(callId);
  }

  attemptsOn(line: TrunkLine): CallAttempt[] {
    return [...this.#calls.values()].flatMap((call) => (call.line === line && call.attempt !== null ? [call.attempt] : []));
  }

  clear(): void {
    for (const callId of this.#calls.keys()) this.#stopExpiry(callId);
    this.#calls.clear();
    this.#admitted.clear();
  }

  #count(addresses: readonly string[], change: 1 | -1): void {
    for (const address of addresses) {
      const calls = (this.#admitted.get(address) ?? 0) + change;
      if (calls === 0) this.#admitted.delete(address);
      else this.#admitted.set(address, calls);
    }
  }

  #stopExpiry(callId: string): void {
    const expiry = this.#calls.get(callId)?.expiry ?? null;
    if (expiry !== null) clearTimeout(expiry);
  }
}
