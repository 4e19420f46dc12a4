import {
  ackInDialog,
  confirmDialog,
  type Dialog,
  dialogOfResponse,
  hopOf,
  isOfDialog,
  receiveInDialog,
  refreshTarget,
  requestInDialog,
} from "@farline/sip/dialog/dialog.ts";
import type { SipRequest, SipResponse, Via } from "@farline/sip/message/message.ts";
import type { FailureCause } from "@farline/sip/transaction/step.ts";
import { sdpOf } from "@farline/sip/message/multipart.ts";
import { header } from "@farline/sip/message/response.ts";
import {
  answerOffer,
  awaitsAnswer,
  mayOffer,
  nextDescription,
  offer,
  offerAgain,
  type OfferAnswer,
  offeredInInvite,
  onRequest,
  onResponse,
} from "@farline/sip/offer-answer/offer-answer.ts";
import { orderOf, rackHeaders, rseqOf } from "@farline/sip/offer-answer/reliable-responses.ts";
import {
  demandedSeconds,
  parseSessionExpires,
  supportsTimer,
  writeSessionExpires,
} from "@farline/sip/session-timer/session-expires.ts";
import type { RequestUser, TrunkLine } from "../trunk-line.ts";
import type { NextHop } from "../transport/trunk-ways.ts";
import { reasonHeader, refusalOfUpdate, sdpContents, supportedTags } from "../trunk-requests.ts";
import { sessionHeaders } from "./invite-message.ts";
import type { InviteTerms } from "./retry-invite.ts";
import { type RefreshOutcome, SessionRefresh } from "./session-refresh.ts";

interface CallDialogOptions {
  readonly line: TrunkLine;
  readonly invite: SipRequest;
  /** The response that creates the dialog. */
  readonly response: SipResponse;
  /** Our offer. */
  readonly sdp: string;
  readonly terms: InviteTerms;
  readonly events: CallDialogEvents;
}

interface CallDialogEvents {
  /** Answers an offer of the far end; rejects to refuse it. */
  onRenegotiate(sdp: string): Promise<string>;
  /** The far end hung up. */
  onBye(bye: SipRequest): void;
  /** The session timer expired, or the far end no longer knows the dialog. */
  onExpired(): void;
  /** The far end has another address. */
  onMoved(): void;
  /** Whether the call goes on in this dialog, or may yet. */
  isLive(): boolean;
}

/** So many answers arrive again only if our ACKs do not. */
const LOST_ACKS = 2;

/** Refusals of a re-INVITE that an UPDATE without a description may not get. */
const CANNOT_REINVITE: ReadonlySet<number> = new Set([405, 415, 488, 501, 606]);

type Headers = Iterable<readonly [string, readonly string[]]>;

/** A request, as far as its response does not matter. */
const IGNORED = { onResponse: () => undefined, onFailed: () => undefined };

/** One dialog of a call: that of a fork that rings, or of the one that answered. */
export class CallDialog {
  readonly #options: CallDialogOptions;
  readonly #refresh: SessionRefresh;
  #dialog: Dialog;
  #exchange: OfferAnswer;
  #rseq: number | null = null;
  /** Of our last answered INVITE; sent again for each retransmission of the 2xx. */
  #ack: SipRequest | null = null;
  #answered = false;
  #repeatedAnswers = 0;
  /** The far end's minimum for the session timer. */
  #minSeconds: number;
  #allowsUpdate = false;
  #refreshesByUpdate = false;
  #localSdp: string;
  #farSdp: string | null = null;

  constructor(options: CallDialogOptions) {
    const { line, invite, response, sdp } = options;
    this.#options = options;
    this.#dialog = dialogOfResponse(invite, response, line.address);
    this.#exchange = offeredInInvite(invite.cseq.number);
    this.#localSdp = sdp;
    this.#minSeconds = options.terms.minSessionSeconds;
    this.#refresh = new SessionRefresh({ refresh: () => this.#sendRefresh(), onExpired: () => options.events.onExpired() });
  }

  get state(): Dialog {
    return this.#dialog;
  }

  get invite(): SipRequest {
    return this.#options.invite;
  }

  /** The far end's last SDP, early media included. */
  get farSdp(): string | null {
    return this.#farSdp;
  }

  get answered(): boolean {
    return this.#answered;
  }

  has(request: SipRequest): boolean {
    return isOfDialog(this.#dialog, request);
  }

  /** Takes an 18x. Returns its SDP, if that is new; undefined if the response must be dropped. */
  ring(response: SipResponse): string | null | undefined {
    const order = orderOf(this.#rseq, response);
    if (order === "dropped") return undefined;
    if (order === "next") {
      this.#rseq = rseqOf(response);
      this.#send("PRACK", rackHeaders(response), null, IGNORED);
    }
    return this.#takeSdp(response, order === "next");
  }

  /** Takes the 2xx to the call's INVITE, and each retransmission of it. */
  answer(invite: SipRequest, response: SipResponse): void {
    if (this.#answered) this.#repeatedAnswers += 1;
    else {
      this.#answered = true;
      this.#dialog = confirmDialog(this.#dialog, response);
      this.#takeSdp(response, false);
      this.#allowsUpdate = (response.headers.get("allow") ?? []).some((method) => method.toUpperCase() === "UPDATE");
      this.#options.line.admit(this.#dialog, this.#options.invite);
    }
    this.#acknowledge(invite, response);
  }

  /** The call goes on in this dialog. */
  startTimer(response: SipResponse): void {
    this.#refresh.agreed(parseSessionExpires(header(response, "session-expires")));
  }

  /** Sends BYE. Resolves when the far end has confirmed, or will not. */
  bye(reason?: string): Promise<void> {
    this.#refresh.stop();
    const headers = reason === undefined ? [] : reasonHeader("Q.850", 16, reason);
    return new Promise((resolve) => {
      const onResponse = ({ status }: SipResponse): void => {
        if (status >= 200) resolve();
      };
      this.#send("BYE", headers, null, { onResponse, onFailed: () => resolve() });
    });
  }

  stop(): void {
    this.#refresh.stop();
  }

  /** Asks whether the far end still knows the dialog: its hang-up may be lost. Any other response shows that it does (RFC 3261 §11). */
  probe(): void {
    const onResponse = ({ status }: SipResponse): void => {
      if (status === 481) this.#options.events.onExpired();
    };
    this.#send("OPTIONS", [], null, { onResponse, onFailed: () => undefined });
  }

  /** Handles a request of the far end in this dialog. */
  receive(request: SipRequest): void {
    const { line, events } = this.#options;
    const received = receiveInDialog(this.#dialog, request);
    if (received === null) return line.respond(request, 500, "Server Internal Error");
    this.#dialog = received;
    if (request.method === "BYE") {
      line.respond(request, 200, "OK");
      events.onBye(request);
    } else if (!events.isLive()) line.respond(request, 481, "Call/Transaction Does Not Exist");
    else if (request.method === "INVITE" || request.method === "UPDATE") void this.#renegotiate(request);
    else line.respond(request, 200, "OK");
  }

  /** The ACK of our 2xx to a re-INVITE. */
  receiveAck(ack: SipRequest): void {
    const sdp = sdpOf(ack);
    const { state, verdict } = onRequest(this.#exchange, { method: "ACK", number: ack.cseq.number, hasSdp: sdp !== null }, 0);
    this.#exchange = state;
    if (verdict.kind !== "answer" || sdp === null) return;
    this.#farSdp = sdp;
    void this.#apply(sdp);
  }

  /** The far end gave up its re-INVITE. The media stays where it is, or goes back, whether or not the offer has been read. */
  receiveCancel(invite: SipRequest): void {
    if (!awaitsAnswer(this.#exchange, invite)) return;
    this.#exchange = answerOffer(this.#exchange);
    if (this.#farSdp !== null) void this.#apply(this.#farSdp);
  }

  /** RFC 3261 §14.2, RFC 3311 §5.2, RFC 4028 §9. */
  async #renegotiate(request: SipRequest): Promise<void> {
    const [{ line, sdp: first }, { method, cseq }] = [this.#options, request];
    const sdp = sdpOf(request);
    const refusal = refusalOfUpdate(request);
    if (refusal !== null) return line.respond(request, ...refusal);
    const { state, verdict } = onRequest(this.#exchange, { method, number: cseq.number, hasSdp: sdp !== null }, Math.random());
    this.#exchange = state;
    if (verdict.kind === "refuse") {
      if (verdict.status === 491) return line.respond(request, 491, "Request Pending");
      const headers = new Map([["retry-after", [String(verdict.retryAfterSeconds)]]]);
      return line.respond(request, 500, "Server Internal Error", { headers });
    }
    if (verdict.kind === "offer" && sdp !== null) return this.#answerOffer(request, sdp);
    if (method !== "INVITE") return this.#accept(request, null);
    this.#exchange = offer(this.#exchange, "ACK", cseq.number);
    this.#localSdp = offerAgain(this.#localSdp, first);
    this.#accept(request, this.#localSdp);
  }

  async #answerOffer(request: SipRequest, sdp: string): Promise<void> {
    const answer = await this.#apply(sdp);
    // Cancelled meanwhile.
    if (!awaitsAnswer(this.#exchange, request)) return;
    this.#exchange = answerOffer(this.#exchange);
    const { line, events } = this.#options;
    if (!events.isLive()) return line.respond(request, 487, "Request Terminated");
    if (answer === null) return line.respond(request, 488, "Not Acceptable Here");
    this.#farSdp = sdp;
    this.#localSdp = nextDescription(this.#localSdp, answer);
    this.#accept(request, this.#localSdp);
  }

  /** Accepts a request, which refreshes target and session. */
  #accept(request: SipRequest, sdp: string | null): void {
    const { line } = this.#options;
    this.#refreshTarget(request);
    const isTimed = supportsTimer(request);
    if (this.#dialog.state === "confirmed")
      this.#refresh.refreshed(parseSessionExpires(header(request, "session-expires")), isTimed);
    const { terms } = this.#refresh;
    const contents = sdp === null ? null : sdpContents(sdp);
    const headers = new Map<string, readonly string[]>([
      ["contact", [line.contact]],
      ...(line.trunk.sessionTimers ? [["supported", ["timer"]] as const] : []),
      ...(terms === null ? [] : [["session-expires", [writeSessionExpires(terms)]] as const]),
      ...(terms === null || !isTimed ? [] : [["require", ["timer"]] as const]),
      ...(contents?.headers ?? []),
    ]);
    line.respond(request, 200, "OK", { headers, ...(contents === null ? {} : { body: contents.body }) });
  }

  /** Uses SDP of the far end. Returns our SDP; null if it is refused. */
  async #apply(sdp: string): Promise<string | null> {
    try {
      return await this.#options.events.onRenegotiate(sdp);
    } catch {
      return null;
    }
  }

  #takeSdp(response: SipResponse, reliable: boolean): string | null {
    const sdp = sdpOf(response);
    const carrier = { method: "INVITE", number: response.cseq.number, hasSdp: sdp !== null };
    const { state, meaning } = onResponse(this.#exchange, carrier, response.status, reliable);
    this.#exchange = state;
    if (meaning === "none" || sdp === null) return null;
    this.#farSdp = sdp;
    return sdp;
  }

  #refreshTarget(message: SipRequest | SipResponse): void {
    const before = this.#dialog.remoteTarget;
    this.#dialog = refreshTarget(this.#dialog, message);
    if (this.#dialog.remoteTarget === before) return;
    this.#options.line.admit(this.#dialog, this.#options.invite);
    this.#options.events.onMoved();
  }

  #acknowledge(invite: SipRequest, response: SipResponse): void {
    const acknowledge = (via: Via): SipRequest => {
      if (this.#ack?.cseq.number === response.cseq.number) return this.#ack;
      return (this.#ack = ackInDialog(this.#dialog, invite, { via }));
    };
    void this.#options.line.acknowledge(acknowledge, this.#nextHop);
  }

  get #nextHop(): NextHop {
    return { uri: hopOf(this.#dialog), invite: this.#options.invite, isDeaf: this.#repeatedAnswers >= LOST_ACKS };
  }

  /** Refreshes the session (RFC 4028 §7.4). 408 and 481 end the call (RFC 3261 §12.2.1.2). */
  async #sendRefresh(): Promise<RefreshOutcome> {
    if (!mayOffer(this.#exchange)) return { kind: "glare" };
    const refresh = this.#refreshesByUpdate ? () => this.#update() : () => this.#reinvite();
    const response = await refresh();
    if (response === null) return { kind: "failed" };
    const { status } = response;
    if (status < 300) return { kind: "accepted", terms: parseSessionExpires(header(response, "session-expires")) };
    if (status === 408 || status === 481) this.#options.events.onExpired();
    const demanded = status === 422 ? demandedSeconds(header(response, "min-se"), this.#minSeconds) : null;
    if (demanded !== null) {
      this.#minSeconds = demanded;
      return this.#sendRefresh();
    }
    // The far end does not take our description again; UPDATE needs none (RFC 4028 §7.4).
    if (!this.#refreshesByUpdate && this.#allowsUpdate && CANNOT_REINVITE.has(status)) {
      this.#refreshesByUpdate = true;
      return this.#sendRefresh();
    }
    return { kind: status === 491 ? "glare" : "failed" };
  }

  /** The agreed interval, so that a refresh does not renegotiate it, but for what the far end demands. */
  get #proposal(): readonly (readonly [string, readonly string[]])[] {
    const { terms } = this.#options;
    const seconds = this.#refresh.terms?.seconds ?? terms.sessionSeconds;
    return sessionHeaders({ sessionSeconds: Math.max(seconds, this.#minSeconds), minSessionSeconds: this.#minSeconds }, "uac");
  }

  /** Resolves to the final response; null if there is none. */
  #update(): Promise<SipResponse | null> {
    const { line } = this.#options;
    return new Promise((resolve) => {
      this.#send("UPDATE", [["contact", [line.contact]], ...this.#proposal], null, {
        onResponse: (response) => {
          if (response.status < 200) return;
          if (response.status < 300) this.#refreshTarget(response);
          resolve(response);
        },
        onFailed: (cause) => this.#refreshFailed(cause, resolve),
      });
    });
  }

  /** Sends our unchanged SDP. Resolves as `#update`. */
  #reinvite(): Promise<SipResponse | null> {
    const { line } = this.#options;
    const { headers, body } = sdpContents(this.#localSdp);
    let invite: SipRequest | null = null;
    return new Promise((resolve) => {
      this.#send("INVITE", [["contact", [line.contact]], ...this.#proposal, ...headers], body, {
        onSend: (request) => {
          invite = request;
          this.#exchange = offer(this.#exchange, "INVITE", request.cseq.number);
        },
        onResponse: (response) => {
          if (response.status < 200 || invite === null) return;
          if (response.status < 300) this.#acceptRefresh(invite, response);
          else this.#takeSdp(response, false);
          resolve(response);
        },
        onFailed: (cause) => {
          this.#exchange = { ...this.#exchange, pending: null };
          this.#refreshFailed(cause, resolve);
        },
      });
    });
  }

  #refreshFailed(cause: FailureCause, resolve: (response: null) => void): void {
    if (cause === "timeout") this.#options.events.onExpired();
    resolve(null);
  }

  #acceptRefresh(invite: SipRequest, response: SipResponse): void {
    const before = this.#farSdp;
    this.#refreshTarget(response);
    const sdp = this.#takeSdp(response, false);
    if (sdp !== null && sdp !== before) void this.#apply(sdp);
    this.#acknowledge(invite, response);
  }

  #send(method: string, headers: Headers, body: Uint8Array | null, user: RequestUser): void {
    const { line } = this.#options;
    line.send(
      (via) => {
        const { dialog, request } = requestInDialog(this.#dialog, {
          method,
          via,
          headers: new Map<string, readonly string[]>([["supported", supportedTags(line.trunk.sessionTimers)], ...headers]),
          ...(body === null ? {} : { body }),
        });
        this.#dialog = dialog;
        return request;
      },
      this.#nextHop,
      user,
    );
  }
}
