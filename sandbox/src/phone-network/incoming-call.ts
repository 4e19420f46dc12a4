import { randomInt } from "node:crypto";
import type { Logger } from "pino";
import { CallRecord } from "./call-record.ts";
import { Dialog } from "./dialog.ts";
import { LineAudio } from "./line-audio.ts";
import { transactionTimeoutMs, retransmit, type SipTimers } from "./retransmission.ts";
import { RtpSession } from "./rtp-session.ts";
import { readOffer, writeAnswer, type RemoteAudio } from "./sdp.ts";
import type { ServerTransaction, SipHeaders } from "./server-transaction.ts";
import type { SipEndpoint } from "./sip-endpoint.ts";
import type { SipRequest } from "./sip-message.ts";
import type { Answer, LineBehaviour } from "./test-numbers.ts";

export const ALLOW: SipHeaders[number] = ["Allow", "INVITE, ACK, CANCEL, BYE, OPTIONS"];
const MAX_RINGING_MS = 170_000; // below the three minutes after which proxies cancel a call (RFC 3261 §16.6 timer C)
const MAX_CALL_MS = 4 * 60 * 60_000;
/** A call without packets from the caller for this long is hung up. */
const MEDIA_TIMEOUT_MS = 60_000;
const MEDIA_CHECK_MS = 5000;

export interface CallContext {
  endpoint: SipEndpoint;
  timers: SipTimers;
  log: Logger;
  /** The SIP socket; audio sockets use the same host. */
  local: { host: string; port: number };
  usualRingMs: number;
  onEnd: (call: IncomingCall) => void;
}

/** One call to the network, which follows the behaviour of the called number. */
export class IncomingCall {
  readonly dialog: Dialog;
  readonly record: CallRecord;
  readonly #context: CallContext;
  readonly #invite: ServerTransaction;
  readonly #behaviour: LineBehaviour;
  readonly #audio = new LineAudio();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Functions that stop the retransmission of a 2xx, by the CSeq of its INVITE. */
  readonly #unacknowledged = new Map<number, () => void>();
  readonly #sdpId = randomInt(1, 2 ** 31);
  #sdpVersion = 1;
  #sdp = "";
  #remote: RemoteAudio;
  #rtp: RtpSession | null = null;

  constructor(
    context: CallContext,
    invite: ServerTransaction,
    plan: { number: string; from: string; behaviour: LineBehaviour; remote: RemoteAudio },
  ) {
    this.#context = context;
    this.#invite = invite;
    this.#behaviour = plan.behaviour;
    this.#remote = plan.remote;
    this.dialog = new Dialog(invite);
    this.record = new CallRecord({ id: this.dialog.localTag, number: plan.number, from: plan.from });
    this.record.codec = plan.remote.codec;
  }

  /** Sends 100, opens the audio socket and starts the number's behaviour. */
  async start(): Promise<void> {
    const { outcome, setupMs } = this.#behaviour;
    if (outcome.kind === "no-reply") return this.#after(transactionTimeoutMs(this.#context.timers), () => this.#end("network"));
    this.#progress(100, "Trying");
    this.#rtp = await RtpSession.open(this.#context.local.host, {
      nextFrame: () => this.#audio.nextFrame(),
      onAudio: (timestamp, samples) => this.#receiveAudio(timestamp, samples),
      onDigit: (digit) => this.#digit(digit),
    });
    if (this.#ended) return this.#rtp.close(); // the caller has cancelled in the meantime
    this.#rtp.setRemote(this.#remote);
    this.#sdp = this.#writeSdp();
    if (setupMs === undefined) this.#ring();
    else this.#after(setupMs, () => this.#ring());
  }

  /** The caller cancelled before the answer. */
  cancel(): void {
    this.#refuse(487, "Request Terminated", "caller");
  }

  /** Handles an in-dialog request. */
  receive(transaction: ServerTransaction): void {
    const { request } = transaction;
    if (!this.dialog.advance(request)) transaction.respond(500, "Server Internal Error");
    else if (request.method === "BYE") this.#receiveBye(transaction);
    else if (request.method === "INVITE") this.#renegotiate(transaction);
    else if (request.method === "OPTIONS") transaction.respond(200, "OK", { headers: [ALLOW] });
    else transaction.respond(405, "Method Not Allowed", { headers: [ALLOW] });
  }

  receiveAck(ack: SipRequest): void {
    this.#unacknowledged.get(ack.cseq.number)?.();
    this.#unacknowledged.delete(ack.cseq.number);
  }

  /** Ends the call in any state. Resolves once the caller confirms or the BYE times out. */
  async hangUp(): Promise<void> {
    if (this.#ended) return;
    if (this.record.state !== "answered") return this.#refuse(480, "Temporarily Unavailable", "network");
    const bye = this.dialog.request("BYE", this.#context.local);
    this.#end("network");
    await this.#context.endpoint.request(bye.branch, bye.datagram, bye.to);
  }

  get #ended(): boolean {
    return this.record.state === "ended";
  }

  #ring(): void {
    const { ringing, ringMs, outcome } = this.#behaviour;
    this.record.state = "ringing";
    if (ringing === "early-media") {
      this.#progress(183, "Session Progress", this.#sdp);
      this.#rtp?.start();
    } else if (ringing === "signal-only") this.#progress(180, "Ringing");
    const waitMs = ringMs === "usual" ? this.#context.usualRingMs : ringMs === "forever" ? MAX_RINGING_MS : ringMs;
    this.#after(waitMs, () => {
      if (ringMs === "forever" || outcome.kind === "no-reply") this.#refuse(480, "Temporarily Unavailable", "network");
      else if (outcome.kind === "refuse") this.#refuse(outcome.status, outcome.reason, "network");
      else this.#answer(outcome);
    });
  }

  #answer(answer: Answer): void {
    this.record.state = "answered";
    this.record.answeredAt = new Date();
    this.record.sipStatus = 200;
    this.#audio.answer(answer.play);
    if (this.#rtp) this.#rtp.poorLine = answer.poorLine ?? false;
    this.#confirm(this.#invite);
    this.#rtp?.start();
    if (answer.hangUpAfterMs !== undefined) this.#after(answer.hangUpAfterMs, () => void this.hangUp());
    this.#after(MAX_CALL_MS, () => void this.hangUp());
    this.#watchMedia();
  }

  /** Sends 200 with our SDP and retransmits it until the ACK arrives (RFC 3261 §13.3.1.4). */
  #confirm(transaction: ServerTransaction): void {
    const headers: SipHeaders = [this.#contact(), ALLOW, ["Content-Type", "application/sdp"]];
    let first = true;
    const send = () => {
      if (first) transaction.respond(200, "OK", { headers, body: this.#sdp });
      else transaction.resend();
      first = false;
    };
    const stop = retransmit(this.#context.timers, send, () => void this.hangUp());
    this.#unacknowledged.set(transaction.request.cseq.number, stop);
  }

  #renegotiate(transaction: ServerTransaction): void {
    if (this.record.state !== "answered" || this.#unacknowledged.size > 0) {
      transaction.respond(491, "Request Pending");
      return;
    }
    const { body } = transaction.request;
    const remote = body === "" ? this.#remote : readOffer(body);
    if (!remote) {
      transaction.respond(488, "Not Acceptable Here");
      return;
    }
    this.#remote = remote;
    this.#rtp?.setRemote(remote);
    this.record.codec = remote.codec;
    const unchanged = this.#sdp;
    this.#sdpVersion += 1;
    this.#sdp = this.#writeSdp();
    if (withoutOrigin(this.#sdp) === withoutOrigin(unchanged)) {
      this.#sdpVersion -= 1;
      this.#sdp = unchanged;
    }
    this.#confirm(transaction);
  }

  #receiveBye(transaction: ServerTransaction): void {
    transaction.respond(200, "OK");
    if (this.record.state === "answered") this.#end("caller");
    else this.#refuse(487, "Request Terminated", "caller");
  }

  #refuse(status: number, reason: string, by: "caller" | "network"): void {
    if (this.#ended || this.record.state === "answered") return;
    this.record.sipStatus = status;
    this.#invite.respond(status, reason, { headers: status === 503 ? [["Retry-After", "5"]] : [] });
    this.#end(by);
  }

  #progress(status: number, reason: string, body?: string): void {
    this.record.sipStatus = status;
    const headers: SipHeaders = status === 100 ? [] : [this.#contact(), ALLOW];
    this.#invite.respond(
      status,
      reason,
      body ? { headers: [...headers, ["Content-Type", "application/sdp"]], body } : { headers },
    );
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
    this.record.state = "ended";
    this.record.endedBy = by;
    this.record.endedAt = new Date();
    for (const timer of this.#timers) clearTimeout(timer);
    for (const stop of this.#unacknowledged.values()) stop();
    this.#rtp?.close();
    this.#context.onEnd(this);
  }

  #writeSdp(): string {
    const local = { id: this.#sdpId, version: this.#sdpVersion, host: this.#context.local.host, port: this.#rtp?.port ?? 0 };
    return writeAnswer(local, this.#remote);
  }

  #contact(): SipHeaders[number] {
    const { host, port } = this.#context.local;
    return ["Contact", `<sip:${this.record.number}@${host}:${port}>`];
  }

  #after(delayMs: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, delayMs);
    this.#timers.add(timer);
  }
}

/** SDP without the o= line, which carries the version. */
function withoutOrigin(sdp: string): string {
  return sdp.replace(/^o=.*$/m, "");
}
