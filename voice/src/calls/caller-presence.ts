/** How long an answered call survives without the caller's connection or audio: a reload, another network, a closed lid. */
export const ANSWERED_GRACE_MS = 45_000;
/** Shorter before the answer, so that nobody answers a caller who has left. */
export const UNANSWERED_GRACE_MS = 15_000;
/** After the answer, for a caller who was never heard, because the carrier charges for every second. */
export const NEVER_HEARD_MS = 5_000;

/**
 * Detects that the caller is gone: their connection or their audio has been missing for the grace period.
 */
export class CallerPresence {
  readonly #graceMs: () => number;
  readonly #onGone: (heardUntil: Date | null) => void;
  #connected = true;
  #everHeard = false;
  #silentSinceMs: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  #neverHeardTimer: NodeJS.Timeout | null = null;

  /**
   * @param graceMs called when the caller's connection or audio is lost
   * @param onGone called once, with when the caller was last heard; null if they still are, or never were
   */
  constructor(graceMs: () => number, onGone: (heardUntil: Date | null) => void) {
    this.#graceMs = graceMs;
    this.#onGone = onGone;
  }

  answered(): void {
    if (!this.#everHeard) this.#neverHeardTimer ??= setTimeout(() => this.#end(), NEVER_HEARD_MS);
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
    this.#silentSinceMs ??= Date.now() - silentMs;
    this.#startTimer(silentMs);
  }

  heard(): void {
    this.#everHeard = true;
    this.#silentSinceMs = null;
    this.#stopNeverHeardTimer();
    if (this.#connected) this.#stopTimer();
  }

  stop(): void {
    this.#stopTimer();
    this.#stopNeverHeardTimer();
  }

  #startTimer(lostForMs: number): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => this.#end(), Math.max(0, this.#graceMs() - lostForMs));
  }

  #end(): void {
    this.#onGone(this.#everHeard && this.#silentSinceMs !== null ? new Date(this.#silentSinceMs) : null);
  }

  #stopNeverHeardTimer(): void {
    if (this.#neverHeardTimer !== null) clearTimeout(this.#neverHeardTimer);
    this.#neverHeardTimer = null;
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
