import type { Logger } from "pino";
import type { WebSocket } from "ws";
import type { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import { TokenBucket } from "../rate-limits/token-bucket.ts";
import { CallProblem } from "../calls/call-leg.ts";
import { type CallRequest, VertoError } from "./call-requests.ts";
import { errorCode, type FrameId, loginParams, parseFrame } from "./frames.ts";
import type { SessionSocket, VoiceAccount, VoiceSession, VoiceSessions } from "./voice-sessions.ts";

export interface KeepAlive {
  readonly pingIntervalMs: number;
  /** A socket without any message for this long is dead. */
  readonly deadAfterMs: number;
}
/** The SDK answers a ping with its own ping, and reconnects after 20 s without messages. */
export const DEFAULT_KEEP_ALIVE: KeepAlive = { pingIntervalMs: 15_000, deadAfterMs: 45_000 };
/** The browser must answer the closing handshake within this time. */
const CLOSING_HANDSHAKE_MS = 2_000;
const MAX_FAILED_LOGINS = 5;
const MAX_BUFFERED_BYTES = 1024 * 1024;
const MESSAGES = { perSecond: 60, burst: 240 };

interface ConnectionDeps {
  readonly sessions: VoiceSessions;
  readonly handlers: ReadonlyMap<string, (request: CallRequest) => void | Promise<void>>;
  /** The account of a login token; null if the token is invalid. */
  readonly verifyToken: (token: string) => Promise<VoiceAccount | null>;
  readonly maxSocketsPerAccount: number;
  /** Counts the socket as signed in; false if the limit is reached. */
  readonly signIn: () => boolean;
  readonly keepAlive: KeepAlive;
  readonly log: Logger;
  readonly limitedLog: RateLimitedLog;
}

/** One browser's socket: login, keep-alive, and dispatch of requests. */
export class VertoConnection implements SessionSocket {
  readonly #socket: WebSocket;
  readonly #deps: ConnectionDeps;
  readonly #claimedVoiceSdkId: string | null;
  readonly #rate = new TokenBucket(MESSAGES);
  readonly #pingTimer: NodeJS.Timeout;
  #session: VoiceSession | null = null;
  #failedLogins = 0;
  #heardAt = performance.now();
  #nextId = 1000;
  /** Requests are handled in order; only a login delays the next one. */
  #pending: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, claimedVoiceSdkId: string | null, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#claimedVoiceSdkId = claimedVoiceSdkId;
    this.#deps = deps;
    this.#pingTimer = setInterval(() => this.#ping(), deps.keepAlive.pingIntervalMs);
    // By default `ws` passes one Buffer per message.
    socket.on("message", (data: Buffer, binary) => this.#received(binary ? null : data.toString("utf8")));
    socket.on("pong", () => (this.#heardAt = performance.now()));
    socket.on("error", (error) => deps.log.debug({ err: error }, "socket error"));
    socket.on("close", () => this.#closed());
  }

  get session(): VoiceSession | null {
    return this.#session;
  }

  /** Before sign-in: whether the session that it says it continues has one. */
  get hasCall(): boolean {
    if (this.#session === null) return this.#deps.sessions.hasCall(this.#claimedVoiceSdkId);
    return this.#session.calls.size > 0;
  }

  request(method: string, params: Record<string, unknown>): void {
    this.#write({ jsonrpc: "2.0", id: this.#nextId++, method, params });
  }

  async isAlive(timeoutMs: number): Promise<boolean> {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    return new Promise((resolve) => {
      const done = (alive: boolean): void => {
        clearTimeout(timer);
        this.#socket.off("pong", onPong);
        this.#socket.off("close", onClose);
        resolve(alive);
      };
      const onPong = (): void => done(true);
      const onClose = (): void => done(false);
      // A pong that has arrived is read first, because this process may have been paused.
      const timer = setTimeout(() => setImmediate(onClose), timeoutMs);
      this.#socket.once("pong", onPong);
      this.#socket.once("close", onClose);
      this.#socket.ping();
    });
  }

  /** Closes the socket, by force if the browser does not answer the closing handshake, and detaches its session. */
  end(): void {
    this.#release();
    this.#socket.close(1000);
    setTimeout(() => this.#socket.terminate(), CLOSING_HANDSHAKE_MS).unref();
  }

  #closed(): void {
    clearInterval(this.#pingTimer);
    this.#release();
  }

  #release(): void {
    const session = this.#session;
    this.#session = null;
    if (session?.socket === this) session.detach();
  }

  #ping(): void {
    if (performance.now() - this.#heardAt > this.#deps.keepAlive.deadAfterMs) {
      this.#deps.log.info({ account: this.#session?.account.username }, "dead socket dropped");
      return this.#socket.terminate();
    }
    // Its page signs in again with a new token. A running call is never cut for that.
    const expiresAt = this.#session?.account.tokenExpiresAt.getTime() ?? Infinity;
    if (expiresAt <= Date.now() && !this.hasCall) return this.end();
    this.request("telnyx_rtc.ping", { serno: Math.floor(Date.now() / 1000) });
  }

  #received(message: string | null): void {
    this.#heardAt = performance.now();
    if (!this.#rate.take()) {
      this.#deps.limitedLog.warn({ account: this.#session?.account.username }, "too many messages, socket dropped");
      return this.#socket.terminate();
    }
    const frame = message === null ? null : parseFrame(message);
    if (frame?.id === undefined || "result" in frame || "error" in frame) return;
    const { id, method, params = {} } = frame;
    this.#pending = this.#pending.then(() => this.#handleRequest(id, method ?? "", params));
  }

  /** Handles one request. Failures become error responses. */
  async #handleRequest(id: FrameId, method: string, params: Record<string, unknown>): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    try {
      if (method === "login") await this.#login(id, params);
      else this.#handle(id, method, params);
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  #handle(id: FrameId, method: string, params: Record<string, unknown>): void {
    const session = this.#session;
    const handler = this.#deps.handlers.get(method);
    if (method === "anonymous_login") throw new VertoError(errorCode.login, "Anonymous login is not offered");
    if (method === "telnyx_rtc.ping") return this.#reply(id, { message: "pong" });
    if (method === "telnyx_rtc.gatewayState") {
      this.#reply(id, {
        params: { state: session === null ? "NOREG" : "REGED" },
        ...(session === null ? {} : { sessid: session.sessid }),
      });
      return session?.registered();
    }
    if (handler === undefined) return this.#reply(id, {});
    if (session === null) throw new VertoError(errorCode.login, "Login required");
    const done = handler({ session, params, reply: (result) => this.#reply(id, result) });
    done?.catch((error: unknown) => this.#refuse(id, error));
  }

  async #login(id: FrameId, params: Record<string, unknown>): Promise<void> {
    const login = loginParams.safeParse(params);
    const token = login.success ? login.data.login_token : undefined;
    const account = token === undefined ? null : await this.#deps.verifyToken(token);
    if (account === null) {
      this.#failedLogins += 1;
      this.#refuse(id, new VertoError(errorCode.login, "Login Incorrect"));
      if (this.#failedLogins >= MAX_FAILED_LOGINS) this.end();
      return;
    }
    const session = await this.#sessionFor(account, login.data?.sessid ?? null);
    // The browser may have disconnected meanwhile.
    if (this.#socket.readyState !== this.#socket.OPEN) return this.#release();
    this.#reply(id, { message: "logged in", sessid: session.sessid });
    this.request("telnyx_rtc.clientReady", { reattached_sessions: [...session.calls.keys()] });
    session.endIfLeaving();
  }

  async #sessionFor(account: VoiceAccount, sessid: string | null): Promise<VoiceSession> {
    if (this.#session !== null) {
      if (!this.#session.renew(account)) throw new VertoError(errorCode.login, "Signed in as another session");
      return this.#session;
    }
    if (this.#isBeyondLimit(account) || !this.#deps.signIn()) throw new VertoError(errorCode.login, "Too many connections");
    const session = await this.#deps.sessions.claim(account, { sessid, voiceSdkId: this.#claimedVoiceSdkId });
    if (session === null) {
      this.end();
      throw new VertoError(errorCode.login, "Too many sessions");
    }
    // Others of the account may have signed in while the claim waited.
    if (this.#isBeyondLimit(account)) {
      // Once it was told why.
      setImmediate(() => this.end());
      throw new VertoError(errorCode.login, "Too many connections");
    }
    this.#session = session;
    session.attach(this);
    return session;
  }

  #isBeyondLimit({ accountId }: VoiceAccount): boolean {
    return this.#deps.sessions.openSocketsOf(accountId) >= this.#deps.maxSocketsPerAccount;
  }

  #reply(id: FrameId, result: Record<string, unknown>): void {
    this.#write({ jsonrpc: "2.0", id, result });
  }

  #refuse(id: FrameId, error: unknown): void {
    if (error instanceof VertoError)
      return this.#write({ jsonrpc: "2.0", id, error: { code: error.code, message: error.message } });
    if (error instanceof CallProblem)
      return this.#write({ jsonrpc: "2.0", id, error: { code: errorCode.noSuchCall, message: error.message } });
    this.#deps.limitedLog.warn({ err: error, account: this.#session?.account.username }, "request failed");
    this.#write({ jsonrpc: "2.0", id, error: { code: errorCode.failed, message: "Request failed" } });
  }

  #write(message: Record<string, unknown>): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) return this.#socket.terminate();
    const voiceSdkId = this.#session?.voiceSdkId;
    this.#socket.send(JSON.stringify(voiceSdkId === undefined ? message : { ...message, voice_sdk_id: voiceSdkId }));
  }
}
