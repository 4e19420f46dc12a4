import { withDeadline } from "../call/deadline.ts";
import { PhoneError } from "../phone-error.ts";
import type { VoiceClient } from "./voice-client.ts";

const LOOK_EVERY_MS = 1_000;
/** In a call a line is questioned when it says nothing for this long. Providers ping only every 15 to 30 s. */
const SILENCE_MS = 4_000;
const ANSWER_TIMEOUT_MS = 2_000;
/** A new socket gets this long before the next. */
const RESTART_PAUSE_MS = 5_000;
/** RFC 6455 §7.4.1: closed without a close frame. */
const ABNORMAL_CLOSURE = 1006;

const isOffline = (): boolean => "onLine" in navigator && !navigator.onLine;

interface WatchedLine {
  readonly client: VoiceClient;
  /** Whether a call depends on the line. */
  inCall(): boolean;
  isReady(): boolean;
  /** The line answered. */
  onAnswer(): void;
  /** The line did not answer and gets a new socket. */
  onRestart(): void;
}

/**
 * Finds out that a line died without a word: the machine slept, the address changed, packets vanish. It asks the provider,
 * and a line that does not answer within 2 s gets a new socket, on which the provider offers the running call again.
 */
export class LineWatch {
  readonly #line: WatchedLine;
  readonly #timer: ReturnType<typeof setInterval>;
  #heardAtMs = Date.now();
  #restartedAtMs = 0;
  #asking = false;

  constructor(line: WatchedLine) {
    this.#line = line;
    // oxlint-disable-next-line farline/bounded-timers -- until `stop`
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  /** The provider said something. */
  heard(): void {
    this.#heardAtMs = Date.now();
  }

  /** Asks now: the network may have changed. */
  async verify(): Promise<void> {
    const { client } = this.#line;
    if (this.#asking || isOffline()) return;
    // The SDK waits up to 30 s between its tries; a connection that is being made goes on.
    if (!client.connected) return void client.connect().catch(() => undefined);
    this.#asking = true;
    const answers = await this.#ask();
    this.#asking = false;
    if (answers) {
      this.heard();
      this.#line.onAnswer();
    } else this.#restart();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { client, inCall, isReady } = this.#line;
    if (!inCall() || !client.connected) return;
    const silent = Date.now() - this.#heardAtMs >= SILENCE_MS;
    if (silent || !isReady()) void this.verify();
  }

  async #ask(): Promise<boolean> {
    try {
      const question = this.#line.client.getIsRegistered();
      return await withDeadline(question, ANSWER_TIMEOUT_MS, () => new PhoneError("line_not_connected"));
    } catch {
      return false;
    }
  }

  #restart(): void {
    const { client, onRestart } = this.#line;
    const now = Date.now();
    if (now - this.#restartedAtMs < RESTART_PAUSE_MS || !client.connected) return;
    this.#restartedAtMs = now;
    onRestart();
    client.socketDisconnect();
    // Of a dead socket the browser says so only after its own time-outs.
    client.onNetworkClose({ code: ABNORMAL_CLOSURE, wasClean: false });
    client.connect().catch(() => undefined);
  }
}
