import type { HeardChange } from "../media/media-plane.ts";

/** How long an answered call survives without the caller's connection or audio: a reload, another network, a closed lid. */
export const ANSWERED_GRACE_MS = 45_000;
/** Shorter before the answer, so that nobody answers a caller who has left. */
export const UNANSWERED_GRACE_MS = 15_000;
/** A caller must be reached within this time. The slowest relay, over TLS from the other side of the world, takes less. */
const FIRST_HEARD_MS = 10_000;
/** A caller must have a microphone within this time. A headset that changes its mode over Bluetooth takes 3 to 8 s. */
const MICROPHONE_MS = 15_000;

interface PresenceEvents {
  /** Called at most once, with when the caller was last heard; null if they still are. */
  gone(heardUntil: Date | null): void;
  /** The caller was never reached, or never had a microphone. */
  neverHeard(): void;
}

/** Detects that the caller can be heard, and that they are gone: their connection or audio has been missing for the grace period. */
export class CallerPresence {
  readonly #graceMs: () => number;
  readonly #events: PresenceEvents;
  readonly #now: () => Date;
  readonly #audible = Promise.withResolvers<void>();
  readonly #parkedAtMs: number;
  #reached = false;
  #hasMicrophone = false;
  #connected = true;
  #silentSinceMs: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  #firstHeardTimer: NodeJS.Timeout;

  /** @param graceMs called when the caller's connection or audio is lost */
  constructor(graceMs: () => number, events: PresenceEvents, now: () => Date) {
    this.#graceMs = graceMs;
    this.#events = events;
    this.#now = now;
    this.#parkedAtMs = now().getTime();
    this.#firstHeardTimer = setTimeout(() => events.neverHeard(), FIRST_HEARD_MS);
  }

  /** Resolves once the caller is reached and has a microphone; never if that does not happen. */
  get audible(): Promise<void> {
    return this.#audible.promise;
  }

  /** The caller's page says so, or audio has arrived. Their word can only let us dial, for which they pay. */
  hasMicrophone(): void {
    this.#hasMicrophone = true;
    this.#expectMicrophone();
  }

  connectionLost(): void {
    this.#connected = false;
    this.#startTimer(0);
  }

  /** The connection is back; the audio gets a full grace period to return. */
  connectionRestored(): void {
    this.#connected = true;
    this.#stopTimer();
    if (this.#silentSinceMs !== null) this.#startTimer(0);
  }

  hear(change: HeardChange): void {
    if (!change.heard) {
      this.#silentSinceMs ??= this.#now().getTime() - change.silentMs;
      return this.#startTimer(change.silentMs);
    }
    this.#reached = true;
    this.#hasMicrophone ||= change.hasSpoken;
    this.#expectMicrophone();
    this.#silentSinceMs = null;
    if (this.#connected) this.#stopTimer();
  }

  stop(): void {
    this.#stopTimer();
    clearTimeout(this.#firstHeardTimer);
  }

  #expectMicrophone(): void {
    if (!this.#reached) return;
    clearTimeout(this.#firstHeardTimer);
    if (this.#hasMicrophone) return this.#audible.resolve();
    const waitedMs = this.#now().getTime() - this.#parkedAtMs;
    this.#firstHeardTimer = setTimeout(() => this.#events.neverHeard(), MICROPHONE_MS - waitedMs);
  }

  #startTimer(lostForMs: number): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => this.#end(), Math.max(0, this.#graceMs() - lostForMs));
  }

  #end(): void {
    this.#events.gone(this.#silentSinceMs === null ? null : new Date(this.#silentSinceMs));
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
