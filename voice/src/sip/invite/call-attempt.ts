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
import { contactOf, isReal, SDP_TYPE } from "../sip-core.ts";
import { readReason } from "../transport/sip-text.ts";
import { storeDialog } from "../stored-dialog.ts";
import type { FarEnd, DialRequest, FarEvents, TrunkConfig } from "../trunk.ts";

/** How long a CANCEL or BYE may stay without its answer before the call counts as over. */
const CONFIRM_TIMEOUT_MS = 4_000;

/** What can happen to one INVITE. */
export interface AttemptEvents extends FarEvents {
  /** Any response arrived, even 100. */
  onHeard(): void;
}

export interface AttemptOptions {
  readonly core: UserAgentCore;
  readonly trunk: TrunkConfig;
  readonly request: DialRequest;
  /** E.164 of the exchange itself. */
  readonly exchangeNumber: string;
  readonly events: AttemptEvents;
}

/** RFC 3311 §5.2: up to ten seconds, at random. */
const MAX_RETRY_SECONDS = 10;

/** Our answer to an UPDATE. */
export interface UpdateAnswer {
  readonly statusCode: number;
  readonly extraHeaders: string[];
  readonly content: string | null;
}

/** One call over one trunk: its INVITE, sent again where the carrier asks for it, and the dialog that comes of it. */
export class CallAttempt implements LocalSession {
  readonly callId = randomUUID();
  /** A provisional response other than 100 arrived: no fail-over from here on. */
  progressed = false;
  present: string;
  readonly #options: AttemptOptions;
  readonly #identity: CallerIdentity;
  readonly #timer: SessionTimer;
  #terms: InviteTerms;
  #invite: OutgoingInviteRequest;
  #session: Session | null = null;
  readonly #early = new EarlyMedia();
  #farSdp = "";
  /** Offers of the far end that have no answer yet. */
  #offers = 0;
  /** CSeq of the UPDATE that has no answer yet. */
  #updating: number | null = null;
  #refreshing = false;
  #ended = false;
  #cancelledBy: "us" | "timeout" | null = null;
  #hangingUp: Promise<void> | null = null;
  #confirmCancel: (() => void) | null = null;

  constructor(options: AttemptOptions) {
    this.#options = options;
    const { trunk, request } = options;
    this.present = request.sdp;
    this.#identity = callerIdentity(trunk, request.from, options.exchangeNumber);
    this.#timer = new SessionTimer({ refresh: () => this.#refresh(), expired: () => this.#expire() });
    this.#terms = firstTerms(new URI("sip", dialledUser(trunk, request.to), trunk.host, trunk.port, phoneParameters(trunk)));
    this.#invite = this.#send(null);
  }

  /** Of the trunk that carries it. */
  get core(): UserAgentCore {
    return this.#options.core;
  }

  /** The attempt and its dialog are over: no further events. */
  get ended(): boolean {
    return this.#ended;
  }

  /** CANCEL or BYE. Resolves when the far end has confirmed or after 4 s. */
  hangUp(by: "us" | "timeout", reason?: string): Promise<void> {
    if (this.#hangingUp === null)
      this.#hangingUp = this.#ended
        ? Promise.resolve()
        : this.#session === null
          ? this.#cancel(by, reason)
          : this.#bye(this.#session, reason);
    return this.#hangingUp;
  }

  /** Gives up on a silent trunk: no further events; a late answer is hung up. */
  abandon(): void {
    this.#ended = true;
    this.#invite.cancel();
  }

  /** The trunk's connection broke. An answered call goes on over the next one; an unanswered one is given up, since its answer may be lost. */
  connectionLost(): void {
    if (this.#ended || this.#session !== null) return;
    if (this.#cancelledBy === null) this.#invite.cancel();
    this.#end({ sipStatus: 503, reason: "Connection lost", by: this.#cancelledBy ?? "failure" });
  }

  /** Any response came, readable or not. */
  heard(): void {
    if (!this.#ended) this.#options.events.onHeard();
  }

  /** Forgets the attempt: a far end that never ends a cancelled INVITE would keep it forever (the library has no timer for it). */
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

  /** The far end's UPDATE: a refresh, or a change of an answered session. Null for a repeated one whose first is still being answered. */
  async update(request: IncomingRequestMessage): Promise<UpdateAnswer | null> {
    const refuse = (statusCode: number, ...extraHeaders: string[]): UpdateAnswer => ({ statusCode, extraHeaders, content: null });
    const session = this.#session;
    if (this.#ended || (session !== null && session.id !== `${request.callId}${request.toTag}${request.fromTag}`))
      return refuse(481);
    if (request.cseq === this.#updating) return null;
    // RFC 3311 §5.2: one offer at a time, of ours and of theirs.
    if (request.body && (session === null || this.#refreshing)) return refuse(491);
    if (request.body && this.#offers > 0) return refuse(500, `Retry-After: ${randomInt(MAX_RETRY_SECONDS + 1)}`);
    this.#updating = request.cseq;
    const content = request.body ? await this.answer(request.body).catch(() => null) : null;
    this.#updating = null;
    if (request.body && content === null) return refuse(488);
    this.present = content ?? this.present;
    const extraHeaders = [`Contact: ${contactOf(this.#options.core)}`, ...this.accepted(request.getHeader("session-expires"))];
    return { statusCode: 200, extraHeaders, content };
  }

  #send(before: OutgoingInviteRequest | null): OutgoingInviteRequest {
    const { core, trunk, request } = this.#options;
    const options = { core, trunk, request, identity: this.#identity, callId: this.callId, terms: this.#terms };
    return core.invite(inviteMessage({ ...options, before: before?.message ?? null }), {
      onProgress: ({ message, prack }) => {
        // RFC 3262 §4: what cannot be acknowledged would be repeated for 32 s, and the call refused.
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
    const sdp = this.#early.heard(response.toTag ?? "", sdpOf(response));
    const status = ([180, 181, 182, 183] as const).find((known) => known === response.statusCode) ?? 183;
    if (this.#cancelledBy === null) this.#options.events.onProgress({ status, sdp });
  }

  #onAccept(response: IncomingResponseMessage, session: Session, ack: () => unknown): void {
    ack();
    const sdp = sdpOf(response) ?? this.#early.of(response.toTag ?? "");
    // A second answer of a forked call, an answer that crossed our CANCEL or came after we gave up, or one without media: end that dialog.
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
    const real = isReal(response);
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

  /** Re-INVITE with our unchanged description (RFC 4028 §7.4). Rejects when it failed; a far end that knows no such call ends it. */
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
          body: { contentDisposition: "session", contentType: SDP_TYPE, content: this.present },
        },
      );
    }).finally(() => {
      this.#refreshing = false;
    });
  }

  /** Nobody keeps the session alive any more: it ends for both sides. */
  #expire(): void {
    if (this.#ended) return;
    this.#session?.bye();
    this.#end({ sipStatus: 408, reason: "Session not refreshed", by: "failure" });
  }

  /** The library holds the CANCEL back until the first provisional response. */
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
