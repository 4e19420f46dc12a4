import { randomUUID } from "node:crypto";
import type { Call } from "../calls/call.ts";
import { CallProblem } from "../calls/call-leg.ts";
import { dropOldest } from "../drop-oldest.ts";
import { newVoiceSdkId } from "../nodes/node-ids.ts";

export interface VoiceAccount {
  readonly credentialId: string;
  /** The customer, who may have several credentials. Limits apply per account. */
  readonly accountId: string;
  /** One session of the customer, whose credentials may change. */
  readonly sessionMark: string;
  readonly username: string;
  /** No new calls after this time; live calls continue. */
  readonly tokenExpiresAt: Date;
}

export interface SessionSocket {
  /** Does not wait for the response, because the SDK sends none for unknown calls. */
  request(method: string, params: Record<string, unknown>): void;
  /** Pings the browser, because a dead socket can look open for a long time. */
  isAlive(timeoutMs: number): Promise<boolean>;
  end(): void;
}

export interface SessionCall {
  readonly call: Call;
  readonly line: SessionLine;
}

export interface SessionLine {
  held: boolean;
  /** The browser hung up, so no bye is sent. */
  hungUpByBrowser: boolean;
  /** Tells the browser that its call goes on in another one, and follows that one. */
  moveTo(session: VoiceSession): void;
}

const REMEMBERED_CALL_IDS = 64;
/** A session without socket and calls is removed after this long. The SDK presents an old one for 90 s. */
const KEEP_IDLE_MS = 120_000;
const MAX_SESSIONS = 20_000;

/** One browser tab across reconnects, with its live calls by the SDK's callID. */
export class VoiceSession {
  readonly sessid = randomUUID();
  readonly voiceSdkId: string;
  readonly calls = new Map<string, SessionCall>();
  readonly #endedCallIds = new Set<string>();
  #idleSince = Date.now();
  account: VoiceAccount;
  socket: SessionSocket | null = null;
  /** The exchange is draining: without a call, the browser must connect to another one. */
  leaving = false;
  /** The socket replaces an earlier one: calls resume once the SDK is ready. */
  #resumed = false;

  constructor(account: VoiceAccount, node: string) {
    this.account = account;
    this.voiceSdkId = newVoiceSdkId(node);
  }

  get idleMs(): number {
    return this.socket !== null || this.calls.size > 0 ? 0 : Date.now() - this.#idleSince;
  }

  /** Without a socket the message is lost; `registered` resumes the calls later. */
  send(method: string, params: Record<string, unknown>): void {
    this.socket?.request(method, params);
  }

  /** The SDK knows its live calls and is ready for messages. */
  registered(): void {
    if (!this.#resumed) return;
    this.#resumed = false;
    for (const { call } of this.calls.values()) call.resume();
  }

  attach(socket: SessionSocket): void {
    this.socket = socket;
    this.#resumed = this.calls.size > 0;
    for (const { call } of this.calls.values()) call.connectionRestored();
  }

  /** A new token on the open socket keeps the session and its calls; false for another session's token. */
  renew(account: VoiceAccount): boolean {
    if (!isSameSession(this.account, account)) return false;
    this.account = account;
    return true;
  }

  detach(): void {
    this.socket = null;
    this.#idleSince = Date.now();
    for (const { call } of this.calls.values()) call.connectionLost();
  }

  /** Blocks a callID: its call is over, or was hung up before its invite arrived. */
  markEnded(callId: string): void {
    this.calls.delete(callId);
    this.#idleSince = Date.now();
    this.#endedCallIds.add(callId);
    dropOldest(this.#endedCallIds, REMEMBERED_CALL_IDS);
    this.endIfLeaving();
  }

  endIfLeaving(): void {
    if (this.leaving && this.calls.size === 0) this.socket?.end();
  }

  hasEnded(callId: string): boolean {
    return this.#endedCallIds.has(callId);
  }
}

/** Whether both are one session of one customer. Nothing of one may be used by another, not even of the same customer. */
function isSameSession(one: VoiceAccount, other: VoiceAccount): boolean {
  return one.accountId === other.accountId && one.sessionMark === other.sessionMark;
}

/** The sessions of all browsers. Only the session of the customer that opened one can claim it. */
export class VoiceSessions {
  readonly #sessions = new Map<string, VoiceSession>();
  readonly #node: string;
  readonly #most: number;
  #draining = false;

  /**
   * @param node this exchange's name, which session ids contain
   * @param most sessions at once
   */
  constructor(node: string, most = MAX_SESSIONS) {
    this.#node = node;
    this.#most = most;
  }

  /** Returns the claimed session if it belongs to this account and session, else a new one; null if there are too many. */
  async claim(account: VoiceAccount, claims: { sessid: string | null; voiceSdkId: string | null }): Promise<VoiceSession | null> {
    const claimed = this.#find(claims);
    if (claimed !== undefined && isSameSession(claimed.account, account)) {
      const old = claimed.socket;
      // A duplicated tab has the same ids as a reconnecting one, so take over only a dead socket.
      if (old === null || !(await old.isAlive(1_000))) {
        old?.end();
        claimed.account = account;
        return claimed;
      }
    }
    this.forgetIdle();
    if (this.#sessions.size >= this.#most) return null;
    const session = new VoiceSession(account, this.#node);
    session.leaving = this.#draining;
    this.#sessions.set(session.sessid, session);
    return session;
  }

  ofCredential(credentialId: string): VoiceSession[] {
    return [...this.#sessions.values()].filter((session) => session.account.credentialId === credentialId);
  }

  /** Counts the sockets of all credentials of an account. */
  openSocketsOf(accountId: string): number {
    let count = 0;
    for (const { account, socket } of this.#sessions.values()) if (socket !== null && account.accountId === accountId) count += 1;
    return count;
  }

  hasCall(voiceSdkId: string | null): boolean {
    const session = this.#find({ sessid: null, voiceSdkId });
    return session !== undefined && session.calls.size > 0;
  }

  /**
   * Moves a live call to another browser of its account, which is offered new media at once.
   * @param isOfMover whether a browser is one of the session that asks
   * @throws CallProblem `wrong_state` if this exchange has no such browser
   */
  move(call: Call, sessid: string, isOfMover: (account: VoiceAccount) => boolean): void {
    const known = this.#sessions.get(sessid);
    const target = known !== undefined && isOfMover(known.account) ? known : undefined;
    const source = [...this.#sessions.values()].flatMap((session) => [...session.calls]).find(([, one]) => one.call === call);
    if (target === undefined || target.socket === null || target.account.accountId !== call.accountId || source === undefined)
      throw new CallProblem("wrong_state", "There is no such browser of this account");
    const [callId, { line }] = source;
    if (target.calls.has(callId)) return;
    if (line.held) call.hold(false);
    line.moveTo(target);
    target.calls.set(callId, { call, line });
    call.connectionRestored();
    call.resume({ moved: true });
  }

  /** Closes each browser's socket once it has no call. */
  drain(): void {
    this.#draining = true;
    for (const session of this.#sessions.values()) session.leaving = true;
  }

  forget(session: VoiceSession): void {
    this.#sessions.delete(session.sessid);
  }

  forgetIdle(): void {
    for (const session of this.#sessions.values()) if (session.idleMs > KEEP_IDLE_MS) this.forget(session);
  }

  #find(claims: { sessid: string | null; voiceSdkId: string | null }): VoiceSession | undefined {
    if (claims.sessid !== null) {
      const bySessid = this.#sessions.get(claims.sessid);
      if (bySessid !== undefined) return bySessid;
    }
    for (const session of this.#sessions.values()) if (session.voiceSdkId === claims.voiceSdkId) return session;
    return undefined;
  }
}
