import type { SessionExpires } from "@farline/sip/session-timer/session-expires.ts";
import {
  dueOf,
  NO_TIMER,
  refreshFailed,
  refreshSent,
  type SessionTimer,
  termsForTheirs,
  timerOfOurs,
  timerOfTheirs,
} from "@farline/sip/session-timer/session-timer.ts";

/** Node's longest timer. */
const MAX_WAIT_MS = 2 ** 31 - 1;

export type RefreshOutcome =
  | { readonly kind: "accepted"; readonly terms: SessionExpires | null }
  /** `glare`: the far end's own request crossed ours (491). */
  | { readonly kind: "glare" | "failed" };

interface SessionRefreshOptions {
  readonly refresh: () => Promise<RefreshOutcome>;
  readonly onExpired: () => void;
}

/** Runs the session timer of a call by the clock: refreshes the session, or reports that it expired. */
export class SessionRefresh {
  readonly #options: SessionRefreshOptions;
  #timer: SessionTimer = NO_TIMER;
  #timeout: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(options: SessionRefreshOptions) {
    this.#options = options;
  }

  /** For our 2xx to a request of the far end. */
  get terms(): SessionExpires | null {
    return termsForTheirs(this.#timer);
  }

  /** Our request was accepted with these terms; null: no timer. */
  agreed(terms: SessionExpires | null): void {
    this.#set(timerOfOurs(terms, performance.now()));
  }

  /** The far end's request refreshed the session. Without new terms the current ones stay. */
  refreshed(terms: SessionExpires | null, isTimed: boolean): void {
    this.#set(timerOfTheirs(this.#timer, terms, isTimed, performance.now()));
  }

  stop(): void {
    this.#stopped = true;
    this.#set(NO_TIMER);
  }

  #set(timer: SessionTimer): void {
    if (this.#timeout !== null) clearTimeout(this.#timeout);
    this.#timeout = null;
    this.#timer = timer;
    const at = Math.min(timer.refreshAt, timer.expiresAt);
    if (this.#stopped || at === Infinity) return;
    const waitMs = Math.min(Math.max(0, Math.ceil(at - performance.now())), MAX_WAIT_MS);
    this.#timeout = setTimeout(() => this.#act(), waitMs);
  }

  #act(): void {
    const due = dueOf(this.#timer, performance.now());
    if (due === "expired") {
      this.stop();
      return this.#options.onExpired();
    }
    if (due === null) return this.#set(this.#timer);
    this.#set(refreshSent(this.#timer));
    void this.#refresh();
  }

  async #refresh(): Promise<void> {
    const outcome = await this.#options.refresh();
    if (this.#stopped) return;
    if (outcome.kind === "accepted") return this.agreed(outcome.terms);
    this.#set(refreshFailed(this.#timer, outcome.kind === "glare", Math.random(), performance.now()));
  }
}
