/** What we ask for: long enough to be cheap, and a carrier that lost us ends its leg within it (RFC 4028 §4). */
export const SESSION_SECONDS = 1_800;
/** The least that anybody may ask for (RFC 4028 §5). */
export const MIN_SESSION_SECONDS = 90;
/** A failed refresh is tried again after this long, until the session expires. */
const REFRESH_AGAIN_MS = 10_000;

/** What a message with a session timer says: who refreshes, and how often at least. */
export interface SessionExpires {
  readonly seconds: number;
  readonly refresher: "uac" | "uas" | null;
}

/** `1800;refresher=uac` (RFC 4028 §4); null when absent, unreadable or shorter than anybody may ask for. */
export function readSessionExpires(header: string | undefined): SessionExpires | null {
  const match = /^\s*(\d{1,7})\s*(;.*)?$/.exec(header ?? "");
  const seconds = Number(match?.[1] ?? 0);
  if (seconds < MIN_SESSION_SECONDS) return null;
  const refresher = /;\s*refresher\s*=\s*(uac|uas)\b/i.exec(match?.[2] ?? "")?.[1]?.toLowerCase();
  return { seconds, refresher: refresher === "uac" || refresher === "uas" ? refresher : null };
}

export interface SessionTimerOptions {
  /** Sends a refresh. Resolves to the timer that was agreed on, null for none; rejects when it failed. */
  readonly refresh: () => Promise<SessionExpires | null>;
  /** The session was not refreshed in time: the far end is gone. */
  readonly expired: () => void;
}

/** Keeps a confirmed dialog alive, or ends one that its far end no longer keeps alive (RFC 4028 §10). */
export class SessionTimer {
  readonly #options: SessionTimerOptions;
  #timer: NodeJS.Timeout | null = null;
  #agreed: { seconds: number; byUs: boolean } | null = null;
  #expiresAtMs = 0;
  #stopped = false;

  constructor(options: SessionTimerOptions) {
    this.#options = options;
  }

  /** Header lines of our 2xx to a request of the far end. */
  get headers(): string[] {
    if (this.#agreed === null) return [];
    // In the far end's transaction we are the server.
    return [`Session-Expires: ${this.#agreed.seconds};refresher=${this.#agreed.byUs ? "uas" : "uac"}`, "Require: timer"];
  }

  /** Our own request was accepted with these terms; null: there is no timer. */
  agreed(terms: SessionExpires | null): void {
    this.#start(terms === null ? null : { seconds: terms.seconds, byUs: terms.refresher !== "uas" });
  }

  /** A request of the far end refreshed the session. Without terms of its own, the present ones go on. */
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
    // RFC 4028 §10: whoever refreshes does it at half time, the other side gives up a little before the end.
    this.#expiresAtMs = performance.now() + lastMs - Math.min(32_000, lastMs / 3);
    this.#timer = agreed.byUs
      ? setTimeout(() => void this.#refresh(), lastMs / 2)
      : setTimeout(() => this.#options.expired(), this.#expiresAtMs - performance.now());
  }

  async #refresh(): Promise<void> {
    try {
      this.agreed(await this.#options.refresh());
    } catch {
      if (this.#stopped) return;
      if (performance.now() + REFRESH_AGAIN_MS > this.#expiresAtMs) return this.#options.expired();
      this.#timer = setTimeout(() => void this.#refresh(), REFRESH_AGAIN_MS);
    }
  }
}
