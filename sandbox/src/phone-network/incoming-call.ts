import { randomInt } from "node:crypto";
import type { SipRequest } from "@farline/sip/message/message.ts";
import { hasForeignBody, sdpOf } from "@farline/sip/message/multipart.ts";
import type { SipEndpoint } from "@farline/sip/transport/sip-endpoint.ts";
import type { Logger } from "pino";
import { CallRecord } from "./call-record.ts";
import { ALLOW, type CallerRequest, CallSignalling, type ResponseMore } from "./call-signalling.ts";
import type { Quirks } from "./carrier-quirks.ts";
import { LineAudio } from "./line-audio.ts";
import { RtpSession } from "./rtp-session.ts";
import { readOffer, writeAnswer, type RemoteAudio } from "./sdp.ts";
import type { Answer, LineBehaviour } from "./line-behaviour.ts";

const MAX_RINGING_MS = 170_000; // below the three minutes after which proxies cancel a call (RFC 3261 §16.6 timer C)
const MAX_CALL_MS = 4 * 60 * 60_000;
/** A call without packets from the caller for this long is hung up. */
const MEDIA_TIMEOUT_MS = 60_000;
const MEDIA_CHECK_MS = 5000;
/** A reliable provisional response must be acknowledged within this time (RFC 3262 §3). */
const PRACK_WITHIN_MS = 32_000;
/** The shortest interval of session timers (RFC 4028 §4). */
const SESSION_SECONDS = 90;

export interface CallContext {
  endpoint: SipEndpoint;
  log: Logger;
  /** The SIP socket; audio sockets use the same host. */
  local: { host: string; port: number };
  usualRingMs: number;
  /** The line's timers run this many times faster. */
  timerSpeed: number;
  onEnd: (call: IncomingCall) => void;
}

/** One call to the network, which follows the behaviour of the called number. */
export class IncomingCall {
  readonly signalling: CallSignalling;
  readonly record: CallRecord;
  readonly quirks: Quirks;
  readonly #context: CallContext;
  readonly #behaviour: LineBehaviour;
  readonly #audio = new LineAudio();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** CSeq of each INVITE whose 2xx is not acknowledged yet. */
  readonly #unacknowledged = new Set<number>();
  #mustRefuseRefresh: boolean;
  readonly #sdpId = randomInt(1, 2 ** 31);
  #sdpVersion = 1;
  #sdp = "";
  /** Of a reliable 183 (RFC 3262). */
  #prackDue: "none" | "awaited" | "received" = "none";
  #remote: RemoteAudio;
  #rtp: RtpSession | null = null;

  constructor(
    context: CallContext,
    invite: CallerRequest,
    plan: { number: string; from: string; behaviour: LineBehaviour; remote: RemoteAudio },
  ) {
    this.#context = context;
    this.#behaviour = plan.behaviour;
    this.quirks = plan.behaviour.quirks ?? {};
    this.#mustRefuseRefresh = this.quirks.refusesFirstRefresh ?? false;
    this.#remote = plan.remote;
    const place = { ...context.local, number: plan.number };
    this.signalling = new CallSignalling(context.endpoint, invite, { place, quirks: this.quirks });
    this.record = new CallRecord({ id: this.signalling.localTag, number: plan.number, from: plan.from });
    this.record.codec = plan.remote.codec;
  }

  /** Sends 100, opens the audio socket and starts the number's behaviour. */
  async start(): Promise<void> {
    const { setupMs } = this.#behaviour;
    this.#progress(100, "Trying");
    this.#rtp = await RtpSession.open(this.#context.local.host, {
      nextFrame: () => this.#audio.nextFrame(),
      onAudio: (timestamp, samples) => this.#receiveAudio(timestamp, samples),
      onDigit: (digit) => this.#digit(digit),
    });
    if (this.#ended) return this.#rtp.close(); // the caller has cancelled in the meantime
    this.#setRemote(this.#remote);
    this.#sdp = this.#writeSdp();
    if (setupMs === undefined) this.#ring();
    else this.#after(setupMs, () => this.#ring());
  }

  /** The caller cancelled before the answer. */
  cancel(): void {
    this.#refuse(487, "Request Terminated", "caller");
  }

  /** Handles an in-dialog request. */
  receive(request: SipRequest): void {
    const { signalling } = this;
    const refusesRefresh = request.method === "INVITE" && this.#mustRefuseRefresh;
    if (!signalling.advance(request)) signalling.respond(request, 500, "Server Internal Error");
    else if (request.method === "BYE") this.#receiveBye(request);
    else if (refusesRefresh) this.#refuseRefresh(request);
    else if (request.method === "INVITE") this.#renegotiate(request);
    else if (request.method === "PRACK") this.#receivePrack(request);
    else if (request.method === "OPTIONS") signalling.respond(request, 200, "OK", { headers: { allow: ALLOW } });
    else signalling.respond(request, 405, "Method Not Allowed", { headers: { allow: ALLOW } });
  }

  receiveAck(ack: SipRequest): void {
    this.#unacknowledged.delete(ack.cseq.number);
  }

  /** Ends the call in any state. Resolves once the caller confirms or the BYE times out. */
  async hangUp(): Promise<void> {
    if (this.#ended) return;
    if (this.record.state !== "answered") return this.#refuse(480, "Temporarily Unavailable", "network");
    const confirmed = this.signalling.request("BYE");
    this.#end("network");
    await confirmed;
  }

  get #ended(): boolean {
    return this.record.state === "ended";
  }

  #ring(): void {
    const { ringing, ringMs } = this.#behaviour;
    this.record.state = "ringing";
    if (this.quirks.movesBeforeAnswer) return this.#ringReliably();
    if (ringing === "early-media") {
      this.#progress(183, "Session Progress", { sdp: this.#sdp });
      this.#rtp?.start();
    } else if (ringing === "signal-only") this.#progress(180, "Ringing");
    const waitMs = ringMs === "usual" ? this.#context.usualRingMs : ringMs === "forever" ? MAX_RINGING_MS : ringMs;
    this.#decideAfter(waitMs);
  }

  #decideAfter(waitMs: number): void {
    const { ringMs, outcome } = this.#behaviour;
    this.#after(waitMs, () => {
      if (ringMs === "forever" || outcome.kind === "no-reply") this.#refuse(480, "Temporarily Unavailable", "network");
      else if (outcome.kind === "refuse") this.#refuse(outcome.status, outcome.reason, "network", outcome.headers);
      else this.#answer(outcome);
    });
  }

  #answer(answer: Answer): void {
    this.record.state = "answered";
    this.record.answeredAt = new Date();
    this.record.sipStatus = 200;
    this.#audio.answer(answer.play);
    if (this.#rtp) this.#rtp.poorLine = answer.poorLine ?? false;
    this.#confirmInvite();
    this.#rtp?.start();
    if (answer.hangUpAfterMs !== undefined) this.#after(answer.hangUpAfterMs, () => void this.hangUp());
    for (const delayMs of this.quirks.movesAfterMs ?? []) this.#after(delayMs, () => void this.#rtp?.move());
    this.#after(MAX_CALL_MS, () => void this.hangUp());
    this.#watchMedia();
  }

  /** Sends 200 with our SDP. The transaction retransmits it until the ACK arrives (RFC 3261 §13.3.1.4). */
  #confirmInvite(): void {
    const { invite } = this.signalling;
    this.#unacknowledged.add(invite.cseq.number);
    // A reliable 183 has carried the answer, and the UPDATE the last offer.
    const sdp = this.#prackDue === "none" ? this.#sdp : undefined;
    this.signalling.respondToInvite(200, "OK", { headers: this.#sessionHeaders(invite), sdp });
  }

  #renegotiate(request: SipRequest): void {
    if (this.record.state !== "answered" || this.#unacknowledged.size > 0)
      return this.signalling.respond(request, 491, "Request Pending");
    const offer = sdpOf(request);
    const remote = offer === null ? (hasForeignBody(request) ? null : this.#remote) : readOffer(offer);
    if (!remote) return this.signalling.respond(request, 488, "Not Acceptable Here");
    this.#setRemote(remote);
    this.record.codec = remote.codec;
    const unchanged = this.#sdp;
    this.#sdpVersion += 1;
    this.#sdp = this.#writeSdp();
    if (withoutOrigin(this.#sdp) === withoutOrigin(unchanged)) {
      this.#sdpVersion -= 1;
      this.#sdp = unchanged;
    }
    this.#unacknowledged.add(request.cseq.number);
    const headers = { contact: [this.signalling.contact], allow: ALLOW, ...this.#sessionHeaders(request) };
    this.signalling.respond(request, 200, "OK", { headers, sdp: this.#sdp });
  }

  #receiveBye(request: SipRequest): void {
    this.signalling.respond(request, 200, "OK");
    if (this.record.state === "answered") this.#end("caller");
    else this.#refuse(487, "Request Terminated", "caller");
  }

  #refuse(status: number, reason: string, by: "caller" | "network", headers?: ResponseMore["headers"]): void {
    if (this.#ended || this.record.state === "answered") return;
    this.record.sipStatus = status;
    const later: ResponseMore["headers"] = status === 503 ? { "retry-after": ["5"] } : {};
    this.signalling.respondToInvite(status, reason, { headers: { ...later, ...headers } });
    this.#end(by);
  }

  #progress(status: number, reason: string, more: ResponseMore = {}): void {
    this.record.sipStatus = status;
    this.signalling.respondToInvite(status, reason, more);
  }

  /** Rings with a provisional response that must be acknowledged (RFC 3262), if the caller supports that. */
  #ringReliably(): void {
    const { headers } = this.signalling.invite;
    const supported = [...(headers.get("supported") ?? []), ...(headers.get("require") ?? [])];
    if (!supported.includes("100rel")) return this.#refuse(421, "Extension Required", "network", { require: ["100rel"] });
    this.#prackDue = "awaited";
    this.#progress(183, "Session Progress", { headers: { require: ["100rel"], rseq: ["1"] }, sdp: this.#sdp });
    this.#rtp?.start();
    this.#after(PRACK_WITHIN_MS, () => {
      if (this.#prackDue === "awaited") this.#refuse(504, "Server Time-out", "network");
    });
  }

  #receivePrack(request: SipRequest): void {
    if (this.#prackDue !== "awaited") return this.signalling.respond(request, 481, "Call/Transaction Does Not Exist");
    this.#prackDue = "received";
    this.signalling.respond(request, 200, "OK");
    void this.#moveBeforeAnswer();
  }

  /** Offers another port by UPDATE (RFC 3311 §5.1), then answers. A caller who refuses hears nothing from the new port. */
  async #moveBeforeAnswer(): Promise<void> {
    await this.#rtp?.move();
    this.#sdpVersion += 1;
    this.#sdp = this.#writeSdp();
    const response = await this.signalling.request("UPDATE", { sdp: this.#sdp });
    if (this.#ended) return;
    const answer = response === null || response.status >= 300 ? null : sdpOf(response);
    const remote = answer === null ? null : readOffer(answer);
    if (remote === null) return this.#refuse(500, "Server Internal Error", "network");
    this.#setRemote(remote);
    this.#decideAfter(this.#context.usualRingMs);
  }

  #refuseRefresh(request: SipRequest): void {
    this.#mustRefuseRefresh = false;
    this.signalling.respond(request, 491, "Request Pending");
  }

  /** Lets the caller refresh the session, if it can (RFC 4028 §9). */
  #sessionHeaders(request: SipRequest): Readonly<Record<string, readonly string[]>> {
    if (!this.quirks.refusesFirstRefresh || !request.headers.get("supported")?.includes("timer")) return {};
    return { require: ["timer"], "session-expires": [`${SESSION_SECONDS};refresher=uac`] };
  }

  #setRemote(remote: RemoteAudio): void {
    this.#remote = remote;
    const alaw = this.quirks.sendsAlaw && remote.offersAlaw ? ({ codec: "PCMA", payloadType: 8 } as const) : {};
    this.#rtp?.setRemote({ ...remote, ...alaw });
  }

  #receiveAudio(timestamp: number, samples: Int16Array): void {
    this.record.addAudio(samples);
    this.#audio.receive(timestamp, samples);
    this.#countPackets();
  }

  #digit(digit: string): void {
    this.record.addDigit(digit);
    this.#audio.playDigit(digit);
    this.#context.log.info({ call: this.record.id, digit }, "digit received");
  }

  #watchMedia(): void {
    this.#after(MEDIA_CHECK_MS, () => {
      this.#countPackets();
      const onHold = this.#remote.direction === "inactive" || this.#remote.direction === "sendonly";
      const silentMs = performance.now() - (this.#rtp?.lastReceivedAt ?? 0);
      if (!onHold && silentMs > MEDIA_TIMEOUT_MS) void this.hangUp();
      else this.#watchMedia();
    });
  }

  #countPackets(): void {
    if (this.#rtp) this.record.rtp = { sent: this.#rtp.sent, received: this.#rtp.received, lost: this.#rtp.lost };
  }

  #end(by: "caller" | "network"): void {
    if (this.#ended) return;
    this.#countPackets();
    this.record.end(by);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#rtp?.close();
    this.#context.onEnd(this);
  }

  #writeSdp(): string {
    const local = { id: this.#sdpId, version: this.#sdpVersion, host: this.#context.local.host, port: this.#rtp?.port ?? 0 };
    const sdp = writeAnswer(local, this.#remote);
    return this.quirks.sdp?.(sdp) ?? sdp;
  }

  #after(delayMs: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, delayMs / this.#context.timerSpeed);
    this.#timers.add(timer);
  }
}

/** SDP without the o= line, which carries the version. */
function withoutOrigin(sdp: string): string {
  return sdp.replace(/^o=.*$/m, "");
}
