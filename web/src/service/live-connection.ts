import { LIVE_HEARTBEAT_MS } from "@farline/contract/constants.ts";
import { between } from "@farline/domain/durations.ts";
import type { LiveHint } from "@farline/contract/events.ts";
import { noteReach } from "../browser/online.ts";
import { hearServiceTime } from "../time/clock.ts";
import { after, PACES } from "../time/timers.ts";
import { holdLock, isLockHeld, openChannel } from "../browser/tabs.ts";

const FIRST_RETRY_MS = 1_000;
/** After this much silence the connection is considered lost. */
const SILENCE_MS = 3 * LIVE_HEARTBEAT_MS;
/** A line is one hint. A much longer line is invalid. */
const MAX_LINE_CHARS = 10_000;

interface LiveConnectionDeps<Hint> {
  /**
   * A browser's tabs with the same name share one connection: the tab that holds the lock of this name keeps it and forwards hints to the
   * others. Where the browser has no channel between them, each tab has its own.
   */
  readonly name: string;
  /** URL of the event stream. */
  readonly url: string;
  /** Null if the browser sends a cookie. */
  readonly token: string | null;
  /** With `ready`, everything requested before may be out of date. */
  onHint(hint: Hint): void;
  /** The service no longer accepts the session; the connection is closed. `body` is its answer, null if it cannot be read. */
  onRefused(body: unknown): void;
}

/**
 * Receives the service's live hints through its own or another tab's connection, and reconnects until it is closed.
 * `heardAtMs` is the time of the last sign of life.
 */
export class LiveConnection<Hint extends { readonly type: string } = LiveHint> {
  readonly #deps: LiveConnectionDeps<Hint>;
  #refusal: unknown = null;
  readonly #closed = new AbortController();
  readonly #channel: BroadcastChannel | null;
  #silence: AbortController | null = null;
  #open = (): void => undefined;
  /**
   * Resolves once every later change is heard, here or through another tab's connection. Resolves too when the first attempt
   * to connect fails: `ready` follows the next one.
   */
  readonly opened = new Promise<void>((resolve) => (this.#open = resolve));
  #heardAtMs = 0;
  #failures = 0;
  #endPause = (): void => undefined;

  constructor(deps: LiveConnectionDeps<Hint>) {
    this.#deps = deps;
    this.#channel = openChannel(deps.name);
    this.#channel?.addEventListener("message", ({ data }: MessageEvent<Hint | "beat">) => this.#heard(data));
    void this.#connectInTurn();
  }

  /** `performance.now()` then; 0 before the first sign of life. */
  get heardAtMs(): number {
    return this.#heardAtMs;
  }

  close(): void {
    this.#closed.abort();
    this.#silence?.abort();
    this.#open();
    this.#channel?.close();
  }

  /**
   * Connects again at once, if this tab has the connection: hints may have been missed, because the device slept, or the browser kept or
   * froze the page. `ready` follows.
   */
  renew(): void {
    this.#failures = 0;
    this.#silence?.abort();
    this.#endPause();
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Waits until no other tab has the connection, then holds it. */
  async #connectInTurn(): Promise<void> {
    const { name } = this.#deps;
    if (this.#channel === null) return await this.#stayConnected();
    if (await isLockHeld(name)) this.#open();
    try {
      await holdLock(name, { signal: this.#closed.signal }, () => this.#stayConnected());
    } catch (error) {
      if (!this.#isClosed) throw error;
    }
  }

  async #stayConnected(): Promise<void> {
    while (!this.#isClosed) {
      const outcome = await this.#connect();
      this.#open();
      if (outcome === "refused") return this.#deps.onRefused(this.#refusal);
      this.#failures = outcome === "connected" ? 0 : this.#failures + 1;
      // Jitter, so that not all pages reconnect at once after the service restarts.
      const waitMs = FIRST_RETRY_MS * 2 ** this.#failures * (0.5 + Math.random() / 2);
      await this.#pause(between(PACES.liveHints.floorMs, waitMs, PACES.liveHints.ceilingMs));
    }
  }

  /** Runs one connection from open to close. */
  async #connect(): Promise<"connected" | "failed" | "refused"> {
    const { url, token } = this.#deps;
    const silence = (this.#silence = new AbortController());
    const endSilence = (): (() => void) => after(SILENCE_MS, () => silence.abort());
    let stop = endSilence();
    const sentAtMs = performance.now();
    let connected = false;
    try {
      const response = await fetch(url, {
        headers: { Accept: "text/event-stream", ...(token === null ? {} : { Authorization: `Bearer ${token}` }) },
        signal: silence.signal,
        cache: "no-store",
      });
      hearServiceTime(response, sentAtMs);
      if (response.status === 401) {
        this.#refusal = await response.json().catch(() => null);
        return "refused";
      }
      if (!response.ok || response.body === null) return "failed";
      connected = true;
      for await (const line of linesOf(response.body)) {
        stop();
        stop = endSilence();
        this.#tellAll(line);
      }
    } catch {
      // A connection may break at any time; only whether it was up matters.
    } finally {
      stop();
    }
    return connected ? "connected" : "failed";
  }

  #tellAll(line: string): void {
    if (this.#isClosed) return;
    const message = hintOf<Hint>(line) ?? "beat";
    if (message === "beat") noteReach(true);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no other origins
    this.#channel?.postMessage(message);
    this.#heard(message);
  }

  #heard(message: Hint | "beat"): void {
    this.#heardAtMs = performance.now();
    if (message !== "beat") this.#deps.onHint(message);
    this.#open();
  }

  #pause(waitMs: number): Promise<void> {
    const { signal } = this.#closed;
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = after(waitMs, end);
      this.#endPause = end;
      signal.addEventListener("abort", end);
    });
  }
}

/** The non-empty lines of a server-sent event stream. */
async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MAX_LINE_CHARS) return;
      yield* lines.filter((line) => line !== "");
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Null for comments and invalid lines. Types that this page version does not know reach no listener. */
function hintOf<Hint extends { readonly type: string }>(line: string): Hint | null {
  if (!line.startsWith("data:")) return null;
  try {
    const hint = JSON.parse(line.slice("data:".length)) as Hint | null;
    return typeof hint?.type === "string" ? hint : null;
  } catch {
    return null;
  }
}
