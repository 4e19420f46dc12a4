import { randomUUID } from "node:crypto";
import type { Call } from "../calls/call.ts";
import { newVoiceSdkId } from "../nodes/node-ids.ts";

/** The account that a socket's login token stands for. */
export interface VoiceAccount {
  readonly credentialId: string;
  /** The customer, who may have several credentials. Limits count by it. */
  readonly accountId: string;
  readonly username: string;
  /** No new call starts after this time; running calls continue. */
  readonly tokenExpiresAt: Date;
}

/** Where a session's frames go while it has a socket. */
export interface SessionSocket {
  /** Sends a request without waiting for its acknowledgement: the SDK does not answer for calls it does not know. */
  request(method: string, params: Record<string, unknown>): void;
  /** Checks now whether the browser answers: a dead socket can look open for a long time. */
  answers(timeoutMs: number): Promise<boolean>;
  end(): void;
}

/** One call as its session keeps it. */
export interface SessionCall {
  readonly call: Call;
  readonly line: SessionLine;
}

export interface SessionLine {
  held: boolean;
  /** The browser hung up, so it needs no bye. */
  hungUpByBrowser: boolean;
}

const REMEMBERED_CALL_IDS = 64;
/** A session without socket and calls is forgotten after this long; the SDK offers an old one for 90 s. */
const KEEP_IDLE_MS = 120_000;
const MAX_SESSIONS = 20_000;

/** One browser tab, across reconnects: its identity towards the SDK and its live calls by the SDK's callID. */
export class VoiceSession {
  readonly sessid = randomUUID();
  readonly voiceSdkId: string;
  readonly calls = new Map<string, SessionCall>();
  readonly #overCallIds = new Set<string>();
  #idleSince = Date.now();
  account: VoiceAccount;
  socket: SessionSocket | null = null;
  /** This socket replaces an earlier one: its calls resume as soon as the SDK listens. */
  #resumed = false;

  constructor(account: VoiceAccount, node: string) {
    this.account = account;
    this.voiceSdkId = newVoiceSdkId(node);
  }

  get idleMs(): number {
    return this.socket !== null || this.calls.size > 0 ? 0 : Date.now() - this.#idleSince;
  }

  /** Frames sent without a socket are lost; `registered` makes up for them. */
  send(method: string, params: Record<string, unknown>): void {
    this.socket?.request(method, params);
  }

  /** The SDK knows which calls are still alive and listens again. */
  registered(): void {
    if (!this.#resumed) return;
    this.#resumed = false;
    for (const { call } of this.calls.values()) call.resume();
  }

  attach(socket: SessionSocket): void {
    this.socket = socket;
    this.#resumed = this.calls.size > 0;
    for (const { call } of this.calls.values()) call.lineRestored();
  }

  detach(): void {
    this.socket = null;
    this.#idleSince = Date.now();
    for (const { call } of this.calls.values()) call.lineLost();
  }

  /** A callID that cannot start again: its call is over, or was hung up before its invite arrived. */
  callOver(callId: string): void {
    this.calls.delete(callId);
    this.#idleSince = Date.now();
    this.#overCallIds.add(callId);
    const oldest = this.#overCallIds.values().next();
    if (this.#overCallIds.size > REMEMBERED_CALL_IDS && oldest.value !== undefined) this.#overCallIds.delete(oldest.value);
  }

  wasOver(callId: string): boolean {
    return this.#overCallIds.has(callId);
  }
}

/** The sessions of all browsers. Only the account that owns a session can find it again. */
export class VoiceSessions {
  readonly #sessions = new Map<string, VoiceSession>();
  readonly #node: string;

  /** @param node the name of this exchange: it stands in the ids of its sessions */
  constructor(node: string) {
    this.#node = node;
  }

  /** Returns the claimed session if it belongs to this account, else a new one; null when there are too many. */
  async claim(account: VoiceAccount, claims: { sessid: string | null; voiceSdkId: string | null }): Promise<VoiceSession | null> {
    const claimed = this.#find(claims);
    if (claimed !== undefined && claimed.account.credentialId === account.credentialId) {
      const old = claimed.socket;
      // A copied tab brings the same ids as a reconnecting one; only a socket that has gone silent is taken over.
      if (old === null || !(await old.answers(1_000))) {
        old?.end();
        claimed.account = account;
        return claimed;
      }
    }
    this.forgetIdle();
    if (this.#sessions.size >= MAX_SESSIONS) return null;
    const session = new VoiceSession(account, this.#node);
    this.#sessions.set(session.sessid, session);
    return session;
  }

  of(credentialId: string): VoiceSession[] {
    return [...this.#sessions.values()].filter((session) => session.account.credentialId === credentialId);
  }

  /** How many sockets an account has, with all its credentials. */
  openSocketsOf(accountId: string): number {
    let count = 0;
    for (const { account, socket } of this.#sessions.values()) if (socket !== null && account.accountId === accountId) count += 1;
    return count;
  }

  /** Whether the tab with this id has a live call. */
  hasCall(voiceSdkId: string | null): boolean {
    const session = this.#find({ sessid: null, voiceSdkId });
    return session !== undefined && session.calls.size > 0;
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
    if (claims.voiceSdkId === null) return undefined;
    for (const session of this.#sessions.values()) if (session.voiceSdkId === claims.voiceSdkId) return session;
    return undefined;
  }
}
