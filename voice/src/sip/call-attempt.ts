import { randomUUID } from "node:crypto";
import {
  type IncomingResponseMessage,
  type OutgoingInviteRequest,
  type Session,
  URI,
  type UserAgentCore,
} from "sip.js/lib/core/index.js";
import { answerRenegotiation } from "./answer-renegotiation.ts";
import { callerIdentity } from "./caller-identity.ts";
import { ALLOWED_METHODS, isReal } from "./sip-core.ts";
import { readReason } from "./sip-text.ts";
import type { CallEnd, DialRequest, OutboundEvents, TrunkConfig } from "./trunk.ts";

/** How long a CANCEL or BYE may stay without its answer before the call counts as over. */
const CONFIRM_TIMEOUT_MS = 4_000;
const SDP_TYPE = "application/sdp";

/** What can happen to one INVITE. */
export interface AttemptEvents extends OutboundEvents {
  /** Any response arrived, even 100. */
  onHeard(): void;
}

export interface AttemptOptions {
  readonly core: UserAgentCore;
  readonly trunk: TrunkConfig;
  readonly request: DialRequest;
  /** E.164 of the exchange itself. */
  readonly ownNumber: string;
  readonly events: AttemptEvents;
}

/** One INVITE over one trunk, and the dialog that comes of it. */
export class CallAttempt {
  readonly callId = randomUUID();
  /** A provisional response other than 100 arrived: no fail-over from here on. */
  progressed = false;
  readonly #options: AttemptOptions;
  /** The number that the far end is shown. */
  readonly #shown: string;
  readonly #invite: OutgoingInviteRequest;
  #session: Session | null = null;
  #earlySdp: string | null = null;
  #ended = false;
  #cancelledBy: "us" | "timeout" | null = null;
  #hangingUp: Promise<void> | null = null;
  #confirmCancel: (() => void) | null = null;

  constructor(options: AttemptOptions) {
    this.#options = options;
    const { core, trunk, request } = options;
    const identity = callerIdentity(trunk, request.from, options.ownNumber);
    this.#shown = identity.shown;
    const target = new URI("sip", request.to, trunk.host, trunk.port);
    const message = core.makeOutgoingRequestMessage(
      "INVITE",
      target,
      new URI("sip", identity.from, trunk.host, undefined),
      new URI("sip", request.to, trunk.host, undefined),
      { callId: this.callId, fromDisplayName: request.displayName ?? "" },
      [
        `Contact: ${core.configuration.contact.toString()}`,
        `Allow: ${ALLOWED_METHODS.join(", ")}`,
        `Accept: ${SDP_TYPE}`,
        ...identity.headers,
        ...Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
      ],
      { contentDisposition: "session", contentType: SDP_TYPE, content: request.sdp },
    );
    this.#invite = core.invite(message, {
      onProgress: ({ message: response }) => this.#onProgress(response),
      onAccept: ({ message: response, session, ack }) => this.#onAccept(response, session, ack),
      onRedirect: ({ message: response }) => this.#onRefused(response),
      onReject: ({ message: response }) => this.#onRefused(response),
    });
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

  #onProgress(response: IncomingResponseMessage): void {
    if (this.#ended) return;
    this.progressed = true;
    const sdp = sdpOf(response);
    this.#earlySdp = sdp ?? this.#earlySdp;
    const status = ([180, 181, 182, 183] as const).find((known) => known === response.statusCode) ?? 183;
    if (this.#cancelledBy === null) this.#options.events.onProgress({ status, sdp });
  }

  #onAccept(response: IncomingResponseMessage, session: Session, ack: () => unknown): void {
    ack();
    const sdp = sdpOf(response) ?? this.#earlySdp;
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
    session.delegate = {
      onBye: (bye) => {
        bye.accept();
        const reason = readReason(bye.message.getHeaders("reason"));
        this.#end({ sipStatus: 200, reason: reason.text ?? "BYE", by: "callee", q850Cause: reason.q850Cause });
      },
      ...answerRenegotiation(this.#options.request.sdp, (offer) => this.#options.events.onRenegotiate(offer)),
    };
    this.#options.events.onAnswer({ sdp, from: this.#shown });
  }

  #onRefused(response: IncomingResponseMessage): void {
    if (this.#ended) return;
    const real = isReal(response);
    const reason = readReason(real ? response.getHeaders("reason") : []);
    this.#end({
      sipStatus: response.statusCode ?? 500,
      reason: reason.text ?? response.reasonPhrase ?? "",
      by: this.#cancelledBy ?? (real ? "callee" : "failure"),
      q850Cause: reason.q850Cause,
    });
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

  #end(end: Omit<CallEnd, "answered" | "trunk" | "q850Cause"> & { q850Cause?: number | null }): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.events.onEnd({ q850Cause: null, ...end, answered: this.#session !== null, trunk: this.#options.trunk.name });
    this.#confirmCancel?.();
  }
}

function sdpOf(response: IncomingResponseMessage): string | null {
  const type = response.getHeader("content-type") ?? "";
  return response.body && type.toLowerCase().startsWith(SDP_TYPE) ? response.body : null;
}
