/** Long enough to be cheap, and short enough that a carrier that has lost us ends its leg (RFC 4028 §4). */
export const SESSION_SECONDS = 1_800;
/** The protocol's minimum (RFC 4028 §5). */
export const MIN_SESSION_SECONDS = 90;
/** A failed refresh is retried until the session expires. */
const REFRESH_RETRY_MS = 10_000;

/** Session-Expires: who refreshes, and the maximum interval. */
export interface SessionExpires {
  readonly seconds: number;
  readonly refresher: "uac" | "uas" | null;
}

/** Parses `1800;refresher=uac` (RFC 4028 §4); null if absent, malformed or below the minimum. */
export function readSessionExpires(header: string | undefined): SessionExpires | null {
  const match = /^\s*(\d{1,7})\s*(;.*)?$/.exec(header ?? "");
  const seconds = Number(match?.[1] ?? 0);
  if (seconds < MIN_SESSION_SECONDS) return null;
  const refresher = /;\s*refresher\s*=\s*(uac|uas)\b/i.exec(match?.[2] ?? "")?.[1]?.toLowerCase();
  return { seconds, refresher: refresher === "uac" || refresher === "uas" ? refresher : null };
}

export interface SessionTimerOptions {
  /** Sends a refresh. Resolves to the agreed timer, null for none; rejects if it failed. */
  readonly refresh: () => Promise<SessionExpires | null>;
  readonly onExpired: () => void;
}

/** Refreshes a confirmed dialog, or reports one that the far end no longer refreshes (RFC 4028 §10). */
export class SessionTimer {
  readonly #options: SessionTimerOptions;
  #timer: NodeJS.Timeout | null = null;
  #agreed: { seconds: number; byUs: boolean } | null = null;
  #expiresAtMs = 0;
  #stopped = false;

  constructor(options: SessionTimerOptions) {
    this.#options = options;
  }

  /** Headers of our 2xx to a request of the far end. */
  get headers(): string[] {
    if (this.#agreed === null) return [];
    // In the far end's transaction we are the UAS.
    return [`Session-Expires: ${this.#agreed.seconds};refresher=${this.#agreed.byUs ? "uas" : "uac"}`, "Require: timer"];
  }

  /** Our request was accepted with these terms; null: no timer. */
  agreed(terms: SessionExpires | null): void {
    this.#start(terms === null ? null : { seconds: terms.seconds, byUs: terms.refresher !== "uas" });
  }

  /** The far end's request refreshed the session. Without new terms the current ones stay. */
  refreshed(terms: SessionExpires | null): void {
    this.#start(terms === null ? this.#agreed : { seconds: terms.seconds, byUs: terms.refresher === "uas" });
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #start(agreed: { seconds: number; byUs: boolean } | null): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#agreed = agreed;
    if (agreed === null || this.#stopped) return;
    const lastMs = agreed.seconds * 1_000;
    // RFC 4028 §10: the refresher refreshes at half time; the other side gives up shortly before the end.
    this.#expiresAtMs = performance.now() + lastMs - Math.min(32_000, lastMs / 3);
    this.#timer = agreed.byUs
      ? setTimeout(() => void this.#refresh(), lastMs / 2)
      : setTimeout(() => this.#options.onExpired(), this.#expiresAtMs - performance.now());
  }

  async #refresh(): Promise<void> {
    try {
      this.agreed(await this.#options.refresh());
    } catch {
      if (this.#stopped) return;
      if (performance.now() + REFRESH_RETRY_MS > this.#expiresAtMs) return this.#options.onExpired();
      this.#timer = setTimeout(() => void this.#refresh(), REFRESH_RETRY_MS);
    }
  }
}
