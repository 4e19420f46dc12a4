import { randomInt, randomUUID } from "node:crypto";
import {
  type IncomingRequestMessage,
  type IncomingResponseMessage,
  type OutgoingInviteRequest,
  type Session,
  URI,
  type UserAgentCore,
} from "sip.js/lib/core/index.js";
import { answerRenegotiation, type LocalSession } from "./answer-renegotiation.ts";
import { EarlyMedia } from "./early-media.ts";
import { type CallerIdentity, callerIdentity } from "../caller-identity.ts";
import { dialledUser, phoneParameters } from "../dialled-user.ts";
import { inviteMessage } from "./invite-message.ts";
import { firstTerms, type InviteTerms, termsAfter } from "./retry-invite.ts";
import { readSessionExpires, type SessionExpires, SessionTimer } from "./session-timer.ts";
import { contactOf, isFromWire, SDP_TYPE } from "../sip-core.ts";
import { readReason } from "../transport/sip-text.ts";
import { storeDialog } from "../stored-dialog.ts";
import type { FarEnd, DialRequest, FarEvents, TrunkConfig } from "../trunk.ts";

/** The call counts as over if a CANCEL or BYE is not confirmed within this time. */
const CONFIRM_TIMEOUT_MS = 4_000;

/** Events of one INVITE. */
export interface AttemptEvents extends FarEvents {
  /** A response arrived, even 100. */
  onResponse(): void;
}

export interface AttemptOptions {
  readonly core: UserAgentCore;
  readonly trunk: TrunkConfig;
  readonly request: DialRequest;
  /** The exchange's own number, E.164. */
  readonly exchangeNumber: string;
  readonly events: AttemptEvents;
}

/** RFC 3311 §5.2: a random Retry-After of up to ten seconds. */
const MAX_RETRY_AFTER_SECONDS = 10;

/** Our response to an UPDATE. */
export interface UpdateAnswer {
  readonly statusCode: number;
  readonly extraHeaders: string[];
  readonly content: string | null;
}

/** One call over one trunk: its INVITE, resent if the carrier requires it, and the resulting dialog. */
export class CallAttempt implements LocalSession {
  readonly callId = randomUUID();
  /** A provisional response other than 100 has arrived: no fail-over from now on. */
  progressed = false;
  localSdp: string;
  readonly #options: AttemptOptions;
  readonly #identity: CallerIdentity;
  readonly #timer: SessionTimer;
  #terms: InviteTerms;
  #invite: OutgoingInviteRequest;
  #session: Session | null = null;
  readonly #early = new EarlyMedia();
  #farSdp = "";
  /** Unanswered offers of the far end. */
  #offers = 0;
  /** CSeq of the unanswered UPDATE. */
  #updating: number | null = null;
  #refreshing = false;
  #ended = false;
  #cancelledBy: "us" | "timeout" | null = null;
  #hangingUp: Promise<void> | null = null;
  #confirmCancel: (() => void) | null = null;

  constructor(options: AttemptOptions) {
    this.#options = options;
    const { trunk, request } = options;
    this.localSdp = request.sdp;
    this.#identity = callerIdentity(trunk, request.from, options.exchangeNumber);
    this.#timer = new SessionTimer({ refresh: () => this.#refresh(), onExpired: () => this.#expire() });
    this.#terms = firstTerms(new URI("sip", dialledUser(trunk, request.to), trunk.host, trunk.port, phoneParameters(trunk)));
    this.#invite = this.#send(null);
  }

  get core(): UserAgentCore {
    return this.#options.core;
  }

  /** The attempt and its dialog are over: no further events. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Sends CANCEL or BYE. Resolves when the far end has confirmed or after 4 s. */
  hangUp(by: "us" | "timeout", reason?: string): Promise<void> {
    if (this.#hangingUp === null)
      this.#hangingUp = this.#ended
        ? Promise.resolve()
        : this.#session === null
          ? this.#cancel(by, reason)
          : this.#bye(this.#session, reason);
    return this.#hangingUp;
  }

  /** Gives up on a trunk that does not respond: no further events, and a late answer is hung up. */
  abandon(): void {
    this.#ended = true;
    this.#invite.cancel();
  }

  /** The trunk's connection broke. An answered call continues over the next connection; an unanswered one ends, because its answer may be lost. */
  connectionLost(): void {
    if (this.#ended || this.#session !== null) return;
    if (this.#cancelledBy === null) this.#invite.cancel();
    this.#end({ sipStatus: 503, reason: "Connection lost", by: this.#cancelledBy ?? "failure" });
  }

  responseReceived(): void {
    if (!this.#ended) this.#options.events.onResponse();
  }

  /** Frees the transaction: sip.js has no timer for a cancelled INVITE that never gets a final response. */
  release(): void {
    const { userAgentClients } = this.#options.core;
    for (const [id, client] of userAgentClients) if (client === this.#invite) userAgentClients.delete(id);
    this.#invite.dispose();
  }

  async answer(offer: string): Promise<string> {
    this.#offers += 1;
    try {
      return await this.#options.events.onRenegotiate(offer);
    } finally {
      this.#offers -= 1;
    }
  }

  accepted(refresh: string | undefined): string[] {
    this.#timer.refreshed(readSessionExpires(refresh));
    return this.#timer.headers;
  }

  /** Handles an UPDATE: a refresh, or a change of the session. Null for a retransmission while the first is still being answered. */
  async update(request: IncomingRequestMessage): Promise<UpdateAnswer | null> {
    const refuse = (statusCode: number, ...extraHeaders: string[]): UpdateAnswer => ({ statusCode, extraHeaders, content: null });
    const session = this.#session;
    if (this.#ended || (session !== null && session.id !== `${request.callId}${request.toTag}${request.fromTag}`))
      return refuse(481);
    if (request.cseq === this.#updating) return null;
    // RFC 3311 §5.2: one offer at a time, in either direction.
    if (request.body && (session === null || this.#refreshing)) return refuse(491);
    if (request.body && this.#offers > 0) return refuse(500, `Retry-After: ${randomInt(MAX_RETRY_AFTER_SECONDS + 1)}`);
    this.#updating = request.cseq;
    const content = request.body ? await this.answer(request.body).catch(() => null) : null;
    this.#updating = null;
    if (request.body && content === null) return refuse(488);
    this.localSdp = content ?? this.localSdp;
    const extraHeaders = [`Contact: ${contactOf(this.#options.core)}`, ...this.accepted(request.getHeader("session-expires"))];
    return { statusCode: 200, extraHeaders, content };
  }

  #send(before: OutgoingInviteRequest | null): OutgoingInviteRequest {
    const { core, trunk, request } = this.#options;
    const options = { core, trunk, request, identity: this.#identity, callId: this.callId, terms: this.#terms };
    return core.invite(inviteMessage({ ...options, before: before?.message ?? null }), {
      onProgress: ({ message, prack }) => {
        // RFC 3262 §4: without PRACK the carrier would retransmit for 32 s and then refuse the call.
        const rseq = message.getHeader("rseq");
        if (rseq !== undefined) prack({ extraHeaders: [`RAck: ${rseq} ${message.cseq} INVITE`] });
        this.#onProgress(message);
      },
      onAccept: ({ message, session, ack }) => this.#onAccept(message, session, ack),
      onRedirect: ({ message }) => this.#onRefused(message),
      onReject: ({ message }) => this.#onRefused(message),
    });
  }

  #onProgress(response: IncomingResponseMessage): void {
    if (this.#ended) return;
    this.progressed = true;
    const sdp = this.#early.add(response.toTag ?? "", sdpOf(response));
    const status = ([180, 181, 182, 183] as const).find((known) => known === response.statusCode) ?? 183;
    if (this.#cancelledBy === null) this.#options.events.onProgress({ status, sdp });
  }

  #onAccept(response: IncomingResponseMessage, session: Session, ack: () => unknown): void {
    ack();
    const sdp = sdpOf(response) ?? this.#early.forAnswer(response.toTag ?? "");
    // End the dialog of a second fork, of an answer that crossed our CANCEL or came after we gave up, and of an answer without SDP.
    if (this.#ended || this.#session !== null || this.#cancelledBy !== null || sdp === null) {
      session.bye();
      if (!this.#ended && this.#session === null) {
        this.#end({
          sipStatus: this.#cancelledBy === null ? 488 : 487,
          reason: "Request Terminated",
          by: this.#cancelledBy ?? "failure",
        });
      }
      return;
    }
    this.#session = session;
    this.#farSdp = sdp;
    session.delegate = {
      onBye: (bye) => {
        bye.accept();
        const reason = readReason(bye.message.getHeaders("reason"));
        this.#end({ sipStatus: 200, reason: reason.text ?? "BYE", by: "callee", q850Cause: reason.q850Cause });
      },
      ...answerRenegotiation(this),
    };
    this.#timer.agreed(readSessionExpires(response.getHeader("session-expires")));
    this.#options.events.onAnswer({
      sdp,
      from: this.#identity.shown,
      dialog: storeDialog(session, this.#options.trunk.name),
    });
  }

  #onRefused(response: IncomingResponseMessage): void {
    if (this.#ended) return;
    const real = isFromWire(response);
    const { trunk, request } = this.#options;
    const terms = real && this.#cancelledBy === null ? termsAfter(response, this.#terms, { trunk, number: request.to }) : null;
    if (terms !== null) {
      this.#terms = terms;
      this.#invite = this.#send(this.#invite);
      return;
    }
    const reason = readReason(real ? response.getHeaders("reason") : []);
    this.#end({
      sipStatus: response.statusCode ?? 500,
      reason: reason.text ?? response.reasonPhrase ?? "",
      by: this.#cancelledBy ?? (real ? "callee" : "failure"),
      q850Cause: reason.q850Cause,
    });
  }

  /** Sends a re-INVITE with our unchanged SDP (RFC 4028 §7.4). Rejects if it failed; 481 and 408 end the call. */
  #refresh(): Promise<SessionExpires | null> {
    const { core } = this.#options;
    const session = this.#session;
    if (session === null || this.#ended) return Promise.reject(new Error("There is no session to refresh."));
    this.#refreshing = true;
    return new Promise<SessionExpires | null>((resolve, reject) => {
      const refused = (message: IncomingResponseMessage): void => {
        if (message.statusCode === 481 || message.statusCode === 408) this.#expire();
        reject(new Error(`The session was not refreshed: ${message.statusCode}.`));
      };
      session.invite(
        {
          onAccept: ({ message, ack }) => {
            ack();
            const sdp = sdpOf(message);
            if (sdp !== null && sdp !== this.#farSdp) this.answer(sdp).catch(() => undefined);
            this.#farSdp = sdp ?? this.#farSdp;
            resolve(readSessionExpires(message.getHeader("session-expires")));
          },
          onRedirect: ({ message }) => refused(message),
          onReject: ({ message }) => refused(message),
        },
        {
          extraHeaders: [
            `Contact: ${contactOf(core)}`,
            `Session-Expires: ${this.#terms.sessionSeconds};refresher=uac`,
            `Min-SE: ${this.#terms.minSessionSeconds}`,
          ],
          body: { contentDisposition: "session", contentType: SDP_TYPE, content: this.localSdp },
        },
      );
    }).finally(() => {
      this.#refreshing = false;
    });
  }

  #expire(): void {
    if (this.#ended) return;
    this.#session?.bye();
    this.#end({ sipStatus: 408, reason: "Session not refreshed", by: "failure" });
  }

  /** sip.js delays the CANCEL until the first provisional response. */
  #cancel(by: "us" | "timeout", reason?: string): Promise<void> {
    this.#cancelledBy = by;
    this.#invite.cancel(reason === undefined ? undefined : `SIP;cause=487;text="${reason.replace(/["\\\r\n]/g, "")}"`);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end({ sipStatus: 487, reason: "Request Terminated", by }), CONFIRM_TIMEOUT_MS);
      this.#confirmCancel = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #bye(session: Session, reason?: string): Promise<void> {
    const extraHeaders = reason === undefined ? [] : [`Reason: Q.850;cause=16;text="${reason.replace(/["\\\r\n]/g, "")}"`];
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, CONFIRM_TIMEOUT_MS);
      const confirmed = (): void => {
        clearTimeout(timer);
        resolve();
      };
      session.bye({ onAccept: confirmed, onReject: confirmed, onRedirect: confirmed }, { extraHeaders });
      this.#end({ sipStatus: 200, reason: reason ?? "BYE", by: "us" });
    });
  }

  #end(end: Omit<FarEnd, "answered" | "trunk" | "q850Cause"> & { q850Cause?: number | null }): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer.stop();
    this.#options.events.onEnd({ q850Cause: null, ...end, answered: this.#session !== null, trunk: this.#options.trunk.name });
    this.#confirmCancel?.();
  }
}

function sdpOf(response: IncomingResponseMessage): string | null {
  const type = response.getHeader("content-type") ?? "";
  return response.body && type.toLowerCase().startsWith(SDP_TYPE) ? response.body : null;
}
