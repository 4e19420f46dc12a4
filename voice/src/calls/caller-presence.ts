/** How long an answered call outlives the caller's line or sound: a reload, another network, a closed lid. */
export const ANSWERED_GRACE_MS = 45_000;
/** Before the answer: nobody should pick up for a caller who has left. */
export const UNANSWERED_GRACE_MS = 15_000;
/** After the answer, a caller who has never been heard: no call to come back to, and the carrier charges for every second. */
export const NEVER_HEARD_MS = 5_000;

/**
 * Tracks whether the caller is still there. They are away while their line is lost or their sound is missing, and gone for
 * good when that lasts for the grace period.
 */
export class CallerPresence {
  readonly #graceMs: () => number;
  readonly #gone: (heardUntil: Date | null) => void;
  #lineThere = true;
  #everHeard = false;
  #silentSinceMs: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  #neverHeardTimer: NodeJS.Timeout | null = null;

  /**
   * `graceMs` is asked when the caller goes. `gone` is called once, with when their sound was last heard; null if it still is, or
   * never was.
   */
  constructor(graceMs: () => number, gone: (heardUntil: Date | null) => void) {
    this.#graceMs = graceMs;
    this.#gone = gone;
  }

  /** The called side has answered. */
  answered(): void {
    if (!this.#everHeard) this.#neverHeardTimer ??= setTimeout(() => this.#end(), NEVER_HEARD_MS);
  }

  lineLost(): void {
    this.#lineThere = false;
    this.#look(0);
  }

  /** The caller's line is back; their sound gets a full grace period to follow. */
  lineRestored(): void {
    this.#lineThere = true;
    this.#stopTimer();
    if (this.#silentSinceMs !== null) this.#look(0);
  }

  /** Nothing has been heard for `silentMs` by now. */
  silent(silentMs: number): void {
    this.#silentSinceMs ??= Date.now() - silentMs;
    this.#look(silentMs);
  }

  heard(): void {
    this.#everHeard = true;
    this.#silentSinceMs = null;
    this.#stopNeverHeardTimer();
    if (this.#lineThere) this.#stopTimer();
  }

  stop(): void {
    this.#stopTimer();
    this.#stopNeverHeardTimer();
  }

  #look(goneForMs: number): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => this.#end(), Math.max(0, this.#graceMs() - goneForMs));
  }

  #end(): void {
    this.#gone(this.#everHeard && this.#silentSinceMs !== null ? new Date(this.#silentSinceMs) : null);
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
