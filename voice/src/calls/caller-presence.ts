/** How long an answered call survives without the caller's connection or audio: a reload, another network, a closed lid. */
export const ANSWERED_GRACE_MS = 45_000;
/** Shorter before the answer, so that nobody answers a caller who has left. */
export const UNANSWERED_GRACE_MS = 15_000;
/** A caller must be heard within this time. The slowest relay, over TLS from the other side of the world, takes less. */
export const FIRST_HEARD_MS = 10_000;

interface PresenceEvents {
  /** Called at most once, with when the caller was last heard; null if they still are. */
  gone(heardUntil: Date | null): void;
  /** The caller's audio never arrived. */
  neverHeard(): void;
}

/** Detects that the caller is heard, and that they are gone: their connection or audio has been missing for the grace period. */
export class CallerPresence {
  readonly #graceMs: () => number;
  readonly #events: PresenceEvents;
  readonly #now: () => Date;
  readonly #firstHeard = Promise.withResolvers<void>();
  #connected = true;
  #silentSinceMs: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly #firstHeardTimer: NodeJS.Timeout;

  /** @param graceMs called when the caller's connection or audio is lost */
  constructor(graceMs: () => number, events: PresenceEvents, now: () => Date) {
    this.#graceMs = graceMs;
    this.#events = events;
    this.#now = now;
    this.#firstHeardTimer = setTimeout(() => events.neverHeard(), FIRST_HEARD_MS);
  }

  /** Resolves once the caller is heard for the first time; never if they are not. */
  get firstHeard(): Promise<void> {
    return this.#firstHeard.promise;
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

  silent(silentMs: number): void {
    this.#silentSinceMs ??= this.#now().getTime() - silentMs;
    this.#startTimer(silentMs);
  }

  heard(): void {
    this.#firstHeard.resolve();
    clearTimeout(this.#firstHeardTimer);
    this.#silentSinceMs = null;
    if (this.#connected) this.#stopTimer();
  }

  stop(): void {
    this.#stopTimer();
    clearTimeout(this.#firstHeardTimer);
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
