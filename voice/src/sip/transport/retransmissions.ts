/** RFC 3261 §17.1.1.1. */
const T1_MS = 500;
const T2_MS = 4_000;
const GIVE_UP_MS = 64 * T1_MS;

interface Entry {
  timer: NodeJS.Timeout;
  intervalMs: number;
  readonly longestMs: number;
  readonly untilMs: number;
  readonly send: () => void;
}

/**
 * UDP retransmission timers A (INVITE), E (other requests) and G (final responses to INVITE), which sip.js lacks because it assumes a
 * reliable transport. All stop after 32 s.
 */
export class Retransmissions {
  readonly #entries = new Map<string, Entry>();

  /** The interval doubles, for requests other than INVITE up to T2. */
  start(key: string, invite: boolean, send: () => void): void {
    this.stop(key);
    const entry: Entry = {
      intervalMs: T1_MS,
      longestMs: invite ? GIVE_UP_MS : T2_MS,
      untilMs: performance.now() + GIVE_UP_MS,
      send,
      timer: setTimeout(() => this.#repeat(key), T1_MS),
    };
    this.#entries.set(key, entry);
  }

  stop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    clearTimeout(entry.timer);
    this.#entries.delete(key);
  }

  /** After a provisional response to a request other than INVITE, the interval is T2 (§17.1.2.2). */
  slowDown(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.intervalMs = T2_MS;
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.stop(key);
  }

  #repeat(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (performance.now() >= entry.untilMs) return this.stop(key);
    entry.send();
    entry.intervalMs = Math.min(entry.intervalMs * 2, entry.longestMs);
    entry.timer = setTimeout(() => this.#repeat(key), entry.intervalMs);
  }
}
