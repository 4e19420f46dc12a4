import type { CallCodec } from "../call-codec.ts";
import { BrowserPeer, type BrowserPeerEvents } from "./browser-peer.ts";
import { DigitSender } from "./digit-sender.ts";
import type { FrameClock } from "./audio/frame-clock.ts";
import { alawToUlaw, ulawToAlaw } from "./audio/g711.ts";
import { g711 } from "./audio/g711-format.ts";
import { opus } from "./audio/opus.ts";
import type { AudioFormat } from "./audio/audio-format.ts";
import type { MediaProcessSettings } from "./media-messages.ts";
import type { ProcessLoad } from "./load/process-load.ts";
import { type HeardChange, type LegStats, MediaError } from "./media-plane.ts";
import { PacketAge } from "./rtp/packet-age.ts";
import { ReceiveCounters } from "./rtp/receive-counters.ts";
import { RtcpReports } from "./rtp/rtcp-reports.ts";
import { type ReceivedRtp, readRtp, RTP_HEADER_BYTES, writeRtpHeader } from "./rtp/rtp-header.ts";
import { RtpSockets } from "./rtp/rtp-sockets.ts";
import { SendTimeline } from "./rtp/send-timeline.ts";
import type { Endpoint } from "./rtp/source-latch.ts";
import { hasOpus } from "./sdp/browser-sdp.ts";
import { LocalDescription } from "./sdp/local-description.ts";
import { readTrunkSdp, type TrunkSession } from "./sdp/trunk-sdp.ts";

/** RFC 3550 §6.2 suggests 5 s. */
const REPORT_INTERVAL_MS = 5_000;
/** A goodbye may be forged, so it counts only when the browser is silent for this long. */
const CLOSING_SILENCE_MS = 2_000;
/** Chrome sends 50 packets a second, muted or not, so a working line is never silent for this long. */
const HEARING_MS = 1_000;
/** How long the browser may take to answer our offer and connect. */
const OFFER_LIFE_MS = 20_000;
/** A browser comes back when its page or network changes; more often than this in one call is abuse. */
const MAX_OFFERS = 100;
const LATE_MS = 100;

export interface MediaLegOptions {
  readonly id: string;
  readonly settings: MediaProcessSettings;
  readonly clock: FrameClock;
  readonly load: Pick<ProcessLoad, "longestWait">;
  readonly webrtcPort: number | null;
  readonly failed: () => void;
  /** A packet was dropped because this process kept it waiting for too long. */
  readonly dropped: () => void;
  /** A packet was dropped unread, because too many came. */
  readonly refused: () => void;
  readonly hearing: (hearing: HeardChange) => void;
  readonly farSilent: (silentMs: number) => void;
}

/** A transport that was offered to the browser and is not connected yet. */
interface OfferedPeer {
  readonly peer: BrowserPeer;
  readonly sinceMs: number;
}

/** One call's audio: the browser's WebRTC leg, the RTP leg to the trunk, and the bridge between them. */
export class MediaLeg {
  readonly #options: MediaLegOptions;
  readonly #format: AudioFormat;
  readonly #fromBrowser: ReceiveCounters;
  readonly #toBrowser: SendTimeline;
  readonly #fromTrunk: ReceiveCounters;
  readonly #ageFromBrowser: PacketAge;
  readonly #ageFromTrunk: PacketAge;
  readonly #toTrunk: SendTimeline;
  readonly #trunkReports: RtcpReports;
  readonly #browserReports: RtcpReports;
  readonly #digits: DigitSender;
  readonly #local = new LocalDescription();
  #peer: BrowserPeer | null = null;
  #offered: OfferedPeer | null = null;
  #offers = 0;
  #echoing = false;
  /** As last reported; null: neither heard nor missed yet. */
  #silent: boolean | null = null;
  #opening: Promise<RtpSockets> | null = null;
  #rtp: RtpSockets | null = null;
  #trunk: TrunkSession | null = null;
  /** Of several descriptions that are being read at a time, the newest counts. */
  #newestSdp = 0;
  #farHeard = false;
  #farHeardAtMs = performance.now();
  #held = false;
  #stopRingback: (() => void) | null = null;
  readonly #openedAtMs = performance.now();
  #heardAtMs: number | null = null;
  #closingSinceMs: number | null = null;
  #reportAtMs = performance.now() + REPORT_INTERVAL_MS;
  #over = false;

  private constructor(format: AudioFormat, options: MediaLegOptions) {
    this.#options = options;
    this.#format = format;
    this.#fromBrowser = new ReceiveCounters(format);
    this.#toBrowser = new SendTimeline(format);
    this.#fromTrunk = new ReceiveCounters(format);
    this.#ageFromBrowser = new PacketAge(format);
    this.#ageFromTrunk = new PacketAge(format);
    this.#toTrunk = new SendTimeline(format);
    this.#digits = new DigitSender({
      format,
      clock: options.clock,
      timeline: this.#toTrunk,
      trunk: () => this.#trunk,
      send: (packet) => this.#rtp?.send(packet),
    });
    this.#trunkReports = new RtcpReports(this.#toTrunk, this.#fromTrunk, options.id);
    this.#browserReports = new RtcpReports(this.#toBrowser, this.#fromBrowser, options.id);
  }

  /**
   * @param wanted Opus is taken only if the browser has it
   * @throws MediaError `bad_sdp` or `no_capacity`
   */
  static async open(
    offerSdp: string,
    wanted: CallCodec,
    options: MediaLegOptions,
  ): Promise<{ leg: MediaLeg; answerSdp: string }> {
    const leg = new MediaLeg(wanted === "opus" && hasOpus(offerSdp) ? opus : g711, options);
    let own: BrowserPeer | null = null;
    const { peer, answerSdp } = await BrowserPeer.answer(
      offerSdp,
      leg.#peerSettings,
      leg.#eventsOf(() => own),
    );
    own = peer;
    leg.#peer = peer;
    leg.#toBrowser.ssrc = peer.ssrc;
    return { leg, answerSdp };
  }

  get codec(): CallCodec {
    return this.#format.codec;
  }

  async openRtp(): Promise<{ sdp: string }> {
    const { rtpAddress, rtpPorts } = this.#options.settings;
    this.#opening ??= RtpSockets.open(rtpAddress.bound, rtpPorts, {
      rtp: (packet, nowMs) => this.#onTrunkPacket(packet, nowMs),
      rtcp: (packet) => {
        this.#farHeardAtMs = performance.now();
        this.#trunkReports.read(packet);
      },
      refused: this.#options.refused,
    });
    const sockets = await this.#opening.catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    if (this.#over) {
      sockets.close();
      throw new MediaError("no_such_leg", "The leg has ended.");
    }
    this.#rtp = sockets;
    return { sdp: this.#local.offer(this.#endpoint(sockets), this.codec) };
  }

  /** Resolves to our side of the session, which answers a re-INVITE. */
  async connectRtp(remoteSdp: string): Promise<{ sdp: string }> {
    const turn = ++this.#newestSdp;
    const session = await readTrunkSdp(remoteSdp, this.#options.settings.rtpAddress.bound, this.codec);
    if (this.#rtp === null) await this.openRtp();
    const sockets = this.#rtp;
    if (sockets === null || this.#over) throw new MediaError("no_such_leg", "The leg has ended.");
    if (turn !== this.#newestSdp) return { sdp: this.#local.lastAnswer };
    if (session.rtp !== null && session.rtcp !== null) sockets.connect(session.rtp, session.rtcp);
    this.#trunk = session;
    return { sdp: this.#local.answer(this.#endpoint(sockets), session) };
  }

  tone(on: boolean): void {
    this.#playRingback(on && !this.#farHeard);
  }

  sendDigits(digits: string): Promise<void> {
    return this.#digits.add(digits);
  }

  hold(on: boolean): void {
    this.#held = on;
  }

  restart(offerSdp: string): Promise<string> {
    if (this.#peer === null) throw new MediaError("no_such_leg", "The leg has ended.");
    return this.#peer.restart(offerSdp);
  }

  /** @throws MediaError `bad_sdp` after too many offers, `no_capacity` */
  async reofferMedia(): Promise<{ offerSdp: string }> {
    this.#offers += 1;
    if (this.#offers > MAX_OFFERS) throw new MediaError("bad_sdp", "Too many offers.");
    await this.#withdrawOffer();
    let own: BrowserPeer | null = null;
    const { peer, offerSdp } = await BrowserPeer.offer(
      this.#peerSettings,
      this.#eventsOf(() => own),
    );
    own = peer;
    if (this.#over) {
      await peer.close();
      throw new MediaError("no_such_leg", "The leg has ended.");
    }
    await this.#withdrawOffer();
    this.#offered = { peer, sinceMs: performance.now() };
    return { offerSdp };
  }

  /** @throws MediaError `bad_sdp`, `no_offer` */
  async takeAnswer(answerSdp: string): Promise<void> {
    if (this.#offered === null) throw new MediaError("no_offer", "Nothing is offered.");
    await this.#offered.peer.accept(answerSdp);
  }

  echo(): void {
    this.#echoing = true;
  }

  /** Whether the browser is heard right now. */
  get hearing(): boolean {
    return this.#closingSinceMs === null && performance.now() - (this.#heardAtMs ?? this.#openedAtMs) < HEARING_MS;
  }

  stats(): LegStats {
    return {
      fromBrowser: this.#fromBrowser.stats,
      toBrowser: { packets: this.#toBrowser.packets, bytes: this.#toBrowser.octets },
      fromTrunk: this.#fromTrunk.stats,
      toTrunk: { packets: this.#toTrunk.packets, bytes: this.#toTrunk.octets },
      browserReport: this.#browserReports.farReport,
      trunkReport: this.#trunkReports.farReport,
    };
  }

  /** Runs about every second: sends reports and checks for a lost browser. */
  housekeep(nowMs: number): void {
    if (this.#offered !== null && nowMs - this.#offered.sinceMs > OFFER_LIFE_MS) void this.#withdrawOffer();
    if (nowMs >= this.#reportAtMs) {
      this.#reportAtMs = nowMs + REPORT_INTERVAL_MS;
      this.#peer?.sendReport(this.#browserReports.build(nowMs));
      if (this.#trunk !== null)
        this.#rtp?.sendReport(Buffer.concat(this.#trunkReports.build(nowMs).map((packet) => packet.serialize())));
    }
    this.#watchHearing(nowMs);
    this.#watchFarEnd(nowMs);
  }

  #watchFarEnd(nowMs: number): void {
    const trunk = this.#trunk;
    if (trunk === null) return;
    // A far end that holds the call need not send.
    if (trunk.direction === "recvonly" || trunk.direction === "inactive") this.#farHeardAtMs = nowMs;
    const silentMs = nowMs - this.#farHeardAtMs;
    if (silentMs > this.#options.settings.farSilenceMs) this.#options.farSilent(silentMs);
  }

  #watchHearing(nowMs: number): void {
    const silentMs = nowMs - (this.#heardAtMs ?? this.#openedAtMs);
    const closedForMs = this.#closingSinceMs === null ? 0 : nowMs - this.#closingSinceMs;
    // Ignore the old transport's goodbye while the browser moves to the offered one.
    const closed = closedForMs > CLOSING_SILENCE_MS && silentMs > CLOSING_SILENCE_MS && this.#offered === null;
    if (closedForMs > CLOSING_SILENCE_MS && silentMs <= CLOSING_SILENCE_MS) this.#closingSinceMs = null;
    const silent = closed || silentMs > this.#options.settings.silenceMs;
    if (silent === this.#silent || (!silent && this.#heardAtMs === null)) return;
    this.#silent = silent;
    this.#options.hearing(silent ? { heard: false, silentMs } : { heard: true });
  }

  async close(): Promise<void> {
    this.#over = true;
    this.#playRingback(false);
    this.#digits.close();
    this.#rtp?.close();
    await this.#withdrawOffer();
    await this.#peer?.close();
  }

  /** Handles a transport's events while it is current or offered; `own` is null until it is known. */
  #eventsOf(own: () => BrowserPeer | null): BrowserPeerEvents {
    const isCurrent = (): boolean => own() !== null && own() === this.#peer;
    return {
      rtp: (packet, nowMs) => {
        if (isCurrent()) this.#onBrowserPacket(packet, nowMs);
      },
      rtcp: (packet) => {
        if (isCurrent()) this.#onBrowserReport(packet);
      },
      connected: () => this.#onConnected(own()),
      failed: () => {
        if (isCurrent() && !this.#over) this.#options.failed();
        else if (own() === this.#offered?.peer) void this.#withdrawOffer();
      },
      closing: () => {
        if (isCurrent()) this.#closingSinceMs ??= performance.now();
      },
      refused: this.#options.refused,
    };
  }

  /** The offered transport is up: the call moves to it. */
  #onConnected(peer: BrowserPeer | null): void {
    if (peer === null || peer !== this.#offered?.peer || this.#over) return;
    const old = this.#peer;
    this.#offered = null;
    this.#peer = peer;
    this.#closingSinceMs = null;
    this.#toBrowser.restart(peer.ssrc);
    void old?.close();
  }

  async #withdrawOffer(): Promise<void> {
    const offered = this.#offered;
    this.#offered = null;
    await offered?.peer.close();
  }

  get #peerSettings() {
    return { address: this.#options.settings.mediaAddress, port: this.#options.webrtcPort, codec: this.codec };
  }

  #endpoint({ port }: RtpSockets): Endpoint {
    return { address: this.#options.settings.rtpAddress.announced, port };
  }

  #onBrowserReport(packet: Buffer): void {
    this.#heardAtMs = performance.now();
    this.#browserReports.read(packet);
  }

  #onBrowserPacket(packet: Buffer, nowMs: number): void {
    this.#heardAtMs = nowMs;
    const rtp = readRtp(packet);
    if (rtp === null || rtp.payloadType !== this.#peer?.payloadType || rtp.payload.length === 0) return;
    this.#fromBrowser.count(rtp, nowMs);
    if (this.#isLate(this.#ageFromBrowser.of(rtp, nowMs), nowMs)) return;
    if (this.#echoing) return this.#sendToBrowser(rtp, rtp.payload, nowMs);
    const trunk = this.#trunk;
    if (trunk === null) return;
    if (this.#digits.speaking || trunk.direction === "sendonly" || trunk.direction === "inactive") return this.#toTrunk.pause();
    const payload = this.#held ? this.#format.silence(rtp.payload) : rtp.payload;
    if (trunk.codec === "PCMA") ulawToAlaw(payload);
    const position = this.#toTrunk.forward(rtp, nowMs);
    // The header goes into the bytes before the payload: the packet is ours and its old header is spent.
    const start = rtp.payloadOffset - RTP_HEADER_BYTES;
    const outgoing = packet.subarray(start, rtp.payloadOffset + payload.length);
    writeRtpHeader(outgoing, { ...position, payloadType: trunk.payloadType, ssrc: this.#toTrunk.ssrc });
    this.#toTrunk.sent(payload.length);
    this.#rtp?.send(outgoing);
  }

  /** Sound that we kept waiting for so long is heard better as a gap than as a delay for the rest of the call; the network's delays are not ours. */
  #isLate(ageMs: number, nowMs: number): boolean {
    const late = Math.min(ageMs, this.#options.load.longestWait(nowMs)) > LATE_MS;
    if (late) this.#options.dropped();
    return late;
  }

  #sendToBrowser(rtp: ReceivedRtp, payload: Buffer, nowMs: number): void {
    const peer = this.#peer;
    if (peer === null || !peer.connected) return;
    const position = this.#toBrowser.forward(rtp, nowMs);
    this.#toBrowser.sent(payload.length);
    peer.send(payload, position);
  }

  #onTrunkPacket(packet: Buffer, nowMs: number): void {
    const rtp = readRtp(packet);
    const trunk = this.#trunk;
    this.#farHeardAtMs = nowMs;
    if (rtp === null || trunk === null || rtp.payloadType !== trunk.payloadType || rtp.payload.length === 0) return;
    this.#fromTrunk.count(rtp, nowMs);
    if (this.#isLate(this.#ageFromTrunk.of(rtp, nowMs), nowMs)) return;
    this.#farHeard = true;
    this.#playRingback(false);
    // Silence of a lost caller may be free of charge, so nobody may listen meanwhile.
    if (this.#silent === true && !this.hearing) return this.#toBrowser.pause();
    if (trunk.codec === "PCMA") alawToUlaw(rtp.payload);
    this.#sendToBrowser(rtp, this.#held ? this.#format.silence(rtp.payload) : rtp.payload, nowMs);
  }

  #playRingback(on: boolean): void {
    if (on === (this.#stopRingback !== null)) return;
    this.#stopRingback?.();
    this.#stopRingback = null;
    if (!on) return;
    let frame = 0;
    this.#stopRingback = this.#options.clock.every((nowMs) => {
      const payload = this.#format.ringback(frame);
      frame += 1;
      if (this.#peer === null || !this.#peer.connected) return;
      this.#toBrowser.sent(payload.length);
      this.#peer.send(payload, this.#toBrowser.continue(nowMs));
    });
  }
}
