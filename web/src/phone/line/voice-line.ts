import type { VoiceTokenResponse } from "@farline/contract/calls.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import { ServiceRefusal } from "../call/call-service.ts";
import { after, pause } from "../../time/timers.ts";
import { PhoneError, type PhoneErrorCode, toPhoneError } from "../phone-error.ts";
import type { LineStatus } from "../phone-state.ts";
import { createTokenRefresh, LineWatch, type TokenRefresh } from "./line-watch.ts";
import {
  type CreateVoiceClient,
  type FarEnd,
  hangUpCall,
  type NewVoiceCall,
  type VoiceCall,
  type VoiceClient,
  voiceCode,
} from "./voice-client.ts";

/** From opening the socket to `telnyx.ready`. */
const READY_TIMEOUT_MS = 8000;
const REGISTERED_QUESTION_MS = 2000;
/** The specification's limit: "the server tried 5 times". */
const MAX_TRIES = 5;
const RETRY_AFTER_MS = [1000, 2000, 4000, 8000] as const;

interface VoiceLineDeps {
  getVoiceToken(): Promise<VoiceTokenResponse>;
  createClient: CreateVoiceClient;
  events: VoiceLineEvents;
  remoteElement(): HTMLAudioElement | null;
  /** Whether a call depends on the line. */
  inCall(): boolean;
}

interface VoiceLineEvents {
  onStatus(status: LineStatus, error: PhoneError | null): void;
  /** A call object changed; this is the newest object with its id. */
  onCall(call: VoiceCall): void;
  /** The provider has the leg. The SDK has no event for what it says about the far end. */
  onFarEnd(callId: string, farEnd: FarEnd): void;
  onCallError(callId: string | null, code: number): void;
}

interface Waiter {
  resolve(client: VoiceClient): void;
  reject(error: Error): void;
}

/**
 * The registered connection to the voice provider: created once per token, kept while the page is open, and restored a limited
 * number of times. It makes no decisions about calls.
 */
export class VoiceLine {
  readonly #deps: VoiceLineDeps;
  readonly #events: VoiceLineEvents;
  #client: VoiceClient | null = null;
  #ready = false;
  #opening: Promise<VoiceClient> | null = null;
  #waiters: Waiter[] = [];
  #refresh: TokenRefresh | null = null;
  #watch: LineWatch | null = null;
  /** Incremented by `close`, so that operations still in progress have no effect. */
  #generation = 0;
  #lateLoginFailures = 0;
  #grant: VoiceTokenResponse | null = null;

  constructor(deps: VoiceLineDeps) {
    this.#deps = deps;
    this.#events = deps.events;
  }

  /** True while a call can be started on the line. */
  get isReady(): boolean {
    return this.#ready && this.#client !== null && this.#client.connected;
  }

  /** Whether the provider is our exchange, which dials only for a caller with a microphone. Null is another's default address. */
  get waitsForMicrophone(): boolean {
    return typeof this.#grant?.voice.host === "string";
  }

  /** For `newCall`: the number of the parked leg, and the ICE servers of the newest token, because the client keeps its first ones, which expire. */
  get callOptions(): Pick<NewVoiceCall, "callerNumber" | "iceServers"> {
    const servers = this.#grant?.voice.ice_servers ?? null;
    return { callerNumber: this.#grant?.caller_number ?? "", ...(servers === null ? {} : { iceServers: servers }) };
  }

  /**
   * Resolves to a registered client. While the SDK restores a lost connection this waits for it, at most 8 s.
   * Rejects with a PhoneError: `line_init_failed`, `line_not_connected`, `register_failed`.
   */
  open(): Promise<VoiceClient> {
    if (this.isReady && this.#client !== null) return Promise.resolve(this.#client);
    if (this.#opening !== null) return this.#opening;
    if (this.#client !== null) return this.#nextReady();
    const opening = this.#connectWithinBounds().finally(() => {
      if (this.#opening === opening) this.#opening = null;
    });
    this.#opening = opening;
    return opening;
  }

  /** Checks with the provider whether the line works; one that does not respond gets a new socket. Calls stay. */
  async verify(): Promise<void> {
    await this.#watch?.verify();
  }

  /** Signs out of the voice provider. Live calls end; the tab forgets the session. */
  close(): void {
    this.#generation += 1;
    this.#opening = null;
    this.#dropClient(new PhoneError("line_not_connected"), "forget");
    this.#events.onStatus("off", null);
  }

  async #connectWithinBounds(): Promise<VoiceClient> {
    const generation = this.#generation;
    this.#events.onStatus("connecting", null);
    let failure = new PhoneError("line_init_failed");
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      try {
        const client = await this.#connectOnce(generation);
        return client;
      } catch (error) {
        failure = toPhoneError(error, "line_init_failed");
        this.#dropClient(failure);
        if (generation !== this.#generation) throw failure;
        // Not signed in, or the account is frozen: another attempt gets the same response.
        if (failure.cause instanceof ServiceRefusal && failure.cause.status < 429) break;
      }
      if (tries < MAX_TRIES) await pause(RETRY_AFTER_MS[tries - 1] ?? 8000);
      if (generation !== this.#generation) throw failure;
    }
    if (isWithoutCredit(failure.cause)) {
      // Nothing is wrong with the line: it opens once there is credit.
      failure = toPhoneError(failure.cause, "initiate_failed");
      this.#events.onStatus("off", failure);
      throw failure;
    }
    this.#events.onStatus("failed", failure);
    throw failure;
  }

  async #connectOnce(generation: number): Promise<VoiceClient> {
    const getVoiceToken = () => this.#askForToken();
    const grant = await getVoiceToken();
    const client = await this.#deps.createClient({
      loginToken: grant.token,
      host: grant.voice.host,
      iceServers: grant.voice.ice_servers,
      trickleIce: grant.voice.trickle_ice,
      remoteElement: this.#deps.remoteElement(),
    });
    if (generation !== this.#generation) throw new PhoneError("line_not_connected");
    this.#client = client;
    this.#lateLoginFailures = 0;
    this.#listen(client);
    const ready = this.#nextReady();
    // Awaited below; until then a rejection must not count as unhandled.
    ready.catch(() => undefined);
    await client.connect();
    try {
      await ready;
    } catch (error) {
      // Some gateways never repeat "registered" for a session that already is, so query it before giving up.
      if (!(await this.#isRegistered(client))) throw error;
      this.#onReady(client);
    }
    const { inCall } = this.#deps;
    const onRefused = (error: unknown) => isWithoutCredit(error) && this.#giveUp("off", "line_not_connected");
    this.#refresh = createTokenRefresh({ client, getVoiceToken, expiresAt: grant.expires_at, onRefused });
    this.#watch = new LineWatch({
      client,
      inCall,
      isReady: () => this.#ready,
      onAnswer: () => !this.#ready && this.#onReady(client),
      onRestart: () => this.#onLost(),
    });
    return client;
  }

  async #askForToken(): Promise<VoiceTokenResponse> {
    const grant = await this.#deps.getVoiceToken();
    this.#grant = grant;
    return grant;
  }

  async #isRegistered(client: VoiceClient): Promise<boolean> {
    if (client !== this.#client || !client.connected) return false;
    try {
      return await settleWithin(client.getIsRegistered(), REGISTERED_QUESTION_MS, () => false);
    } catch {
      return false;
    }
  }

  #nextReady(): Promise<VoiceClient> {
    const answer = new Promise<VoiceClient>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    return settleWithin(answer, READY_TIMEOUT_MS, () => Promise.reject(new PhoneError("line_not_connected")));
  }

  #listen(client: VoiceClient): void {
    const whileCurrent =
      <T>(react: (payload: T) => void) =>
      (payload: T): void => {
        if (client === this.#client) react(payload);
      };
    client.on(
      "telnyx.ready",
      whileCurrent(() => this.#onReady(client)),
    );
    client.on(
      "telnyx.socket.close",
      whileCurrent(() => this.#onLost()),
    );
    client.on(
      "telnyx.socket.message",
      whileCurrent((message) => {
        this.#watch?.heard();
        const { callID: callId, far_end: farEnd } = message?.params ?? {};
        if (message?.method === "telnyx_rtc.ringing" && callId !== undefined)
          this.#events.onFarEnd(callId, farEnd === "ringing" || farEnd === "silent" ? farEnd : "unknown");
        // The provider closed the session and the SDK does not restore it; the next call signs in again.
        if (message?.method === "telnyx_rtc.punt") queueMicrotask(() => this.#giveUp("off", "line_not_connected"));
      }),
    );
    client.on("telnyx.notification", ({ type, call }) => {
      if (type !== "callUpdate" || call === undefined) return;
      if (client === this.#client) this.#events.onCall(call);
      // A connection that was given up must not leave a call with an open microphone.
      else queueMicrotask(() => hangUpCall(call));
    });
    client.on(
      "telnyx.error",
      whileCurrent((event) => this.#onError(client, event.error?.code ?? 0, event.callId ?? null)),
    );
  }

  #onReady(client: VoiceClient): void {
    this.#ready = true;
    this.#lateLoginFailures = 0;
    this.#events.onStatus("ready", null);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.resolve(client);
  }

  #onLost(): void {
    if (!this.#ready) return;
    this.#ready = false;
    this.#events.onStatus("reconnecting", null);
  }

  #onError(client: VoiceClient, code: number, callId: string | null): void {
    if (code === voiceCode.loginFailed) {
      this.#onLoginFailed(client);
      return;
    }
    if (code === voiceCode.reconnectionExhausted) {
      this.#events.onCallError(null, code);
      this.#giveUp("failed", "connect_failed");
      return;
    }
    if (code === voiceCode.networkOffline) this.#onLost();
    if (callId !== null) this.#events.onCallError(callId, code);
  }

  /** While connecting, the retry loop handles this; during a reconnect, a fresh token is tried on the open socket. */
  #onLoginFailed(client: VoiceClient): void {
    if (this.#opening !== null) {
      this.#rejectWaiters(new PhoneError("register_failed"));
      return;
    }
    this.#lateLoginFailures += 1;
    if (this.#lateLoginFailures >= MAX_TRIES || this.#refresh === null) {
      this.#giveUp("failed", "register_failed");
      return;
    }
    this.#ready = false;
    this.#events.onStatus("reconnecting", null);
    const refresh = this.#refresh;
    const waitMs = RETRY_AFTER_MS[this.#lateLoginFailures - 1] ?? 8000;
    // Does nothing if there is another client by then.
    after(waitMs, () => {
      if (client === this.#client) refresh.now();
    });
  }

  #giveUp(status: "failed" | "off", error: PhoneErrorCode): void {
    const reason = new PhoneError(error);
    this.#dropClient(reason);
    this.#events.onStatus(status, status === "failed" ? reason : null);
  }

  #dropClient(reason: PhoneError, session: "keep" | "forget" = "keep"): void {
    const client = this.#client;
    this.#client = null;
    this.#ready = false;
    this.#refresh?.stop();
    this.#refresh = null;
    this.#watch?.stop();
    this.#watch = null;
    this.#rejectWaiters(reason);
    // The socket may already be closed; then there is nothing to sign out of.
    const goodbye = client?.disconnect().catch(() => undefined);
    // Last, because the SDK stores the session again with every message it receives.
    if (session === "forget") void goodbye?.then(() => client?.clearReconnectToken());
  }

  #rejectWaiters(reason: PhoneError): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.reject(reason);
  }
}

export function isWithoutCredit(error: unknown): error is ServiceRefusal {
  return error instanceof ServiceRefusal && error.code === "no_credit";
}
