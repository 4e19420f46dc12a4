import { isOnline } from "../../browser/online.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import type { VoiceTokenResponse } from "@farline/contract/calls.ts";
import type { VoiceClient } from "./voice-client.ts";
import { createPace, every, PACES } from "../../time/timers.ts";
import { serviceNow } from "../../time/clock.ts";

const LOOK_EVERY_MS = 1_000;
/** Silence during a call after which the line is checked. Providers ping only every 15 to 30 s. */
const SILENCE_MS = 4_000;
const ANSWER_TIMEOUT_MS = 2_000;
/** Minimum time between two new sockets. */
const RESTART_PAUSE_MS = 5_000;
/** RFC 6455 §7.4.1: closed without a close frame. */
const ABNORMAL_CLOSURE = 1006;

interface WatchedLine {
  readonly client: VoiceClient;
  /** Whether a call depends on the line. */
  inCall(): boolean;
  isReady(): boolean;
  /** The line responded. */
  onAnswer(): void;
  /** The line did not respond and gets a new socket. */
  onRestart(): void;
}

/**
 * Detects a line that died silently: the machine slept, the address changed, packets are lost. It queries the provider;
 * a line that does not respond within 2 s gets a new socket, on which the provider offers the running call again.
 */
export class LineWatch {
  readonly #line: WatchedLine;
  #heardAtMs = performance.now();
  #restartedAtMs = -Infinity;
  #asking = false;

  readonly stop: () => void;

  constructor(line: WatchedLine) {
    this.#line = line;
    this.stop = every(LOOK_EVERY_MS, () => this.#look());
  }

  /** The provider sent a message. */
  heard(): void {
    this.#heardAtMs = performance.now();
  }

  /** Checks the line now, because the network may have changed. */
  async verify(): Promise<void> {
    const { client } = this.#line;
    if (this.#asking || !isOnline()) return;
    // The SDK waits up to 30 s between its attempts; an attempt in progress continues.
    if (!client.connected) return void client.connect().catch(() => undefined);
    this.#asking = true;
    const answers = await this.#ask();
    this.#asking = false;
    if (answers) {
      this.heard();
      this.#line.onAnswer();
    } else this.#restart();
  }

  #look(): void {
    const { client, inCall, isReady } = this.#line;
    if (!inCall() || !client.connected) return;
    const silent = performance.now() - this.#heardAtMs >= SILENCE_MS;
    if (silent || !isReady()) void this.verify();
  }

  async #ask(): Promise<boolean> {
    try {
      return await settleWithin(this.#line.client.getIsRegistered(), ANSWER_TIMEOUT_MS, () => false);
    } catch {
      return false;
    }
  }

  #restart(): void {
    const { client, onRestart } = this.#line;
    const now = performance.now();
    if (now - this.#restartedAtMs < RESTART_PAUSE_MS || !client.connected) return;
    this.#restartedAtMs = now;
    onRestart();
    client.socketDisconnect();
    // The browser reports a dead socket only after its own time-outs.
    client.onNetworkClose({ code: ABNORMAL_CLOSURE, wasClean: false });
    client.connect().catch(() => undefined);
  }
}

const SHARE_OF_LIFE = 0.8;
/** After the first failure; doubled after each further one. */
const RETRY_AFTER_MS = 30_000;

export interface TokenRefresh {
  /** Fetches a token and signs in with it on the open socket, as soon as its pace allows. */
  now(): void;
  stop(): void;
}

/** Keeps a connection's login fresh: at 80 % of the token's lifetime by the service's clock, and on request. One refresh at a time. */
export function createTokenRefresh(deps: {
  client: VoiceClient;
  getVoiceToken: () => Promise<VoiceTokenResponse>;
  expiresAt: string;
  /** The service gave no token, or did not answer. */
  onRefused: (error: unknown) => void;
}): TokenRefresh {
  let running = false;
  let stopped = false;
  let failures = 0;

  const planFor = (expiresAt: string): void => pace.plan((Date.parse(expiresAt) - serviceNow()) * SHARE_OF_LIFE);
  const refresh = async (): Promise<void> => {
    const grant = await deps.getVoiceToken();
    if (stopped) return;
    await deps.client.login({ creds: { login_token: grant.token } });
    failures = 0;
    planFor(grant.expires_at);
  };
  const run = (): void => {
    if (running || stopped) return;
    running = true;
    refresh()
      .catch((error: unknown) => {
        if (!stopped) deps.onRefused(error);
        // The old token still works on the open socket; a later attempt may succeed.
        if (!stopped) pace.plan(RETRY_AFTER_MS * 2 ** failures);
        failures += 1;
      })
      .finally(() => {
        running = false;
      });
  };

  const pace = createPace(PACES.voiceToken, run);
  planFor(deps.expiresAt);
  return {
    now: pace.soon,
    stop() {
      stopped = true;
      pace.stop();
    },
  };
}
