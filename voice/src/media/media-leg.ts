import type { CallCodec } from "../call-codec.ts";
import { BrowserPeer, type BrowserPeerEvents } from "./browser-peer.ts";
import { FarKeyTone, RingbackTone } from "./audio/caller-tones.ts";
import { FarSender } from "./far-sender.ts";
import { formatOf, g711 } from "./audio/audio-formats.ts";
import type { FrameClock } from "./audio/frame-clock.ts";
import { alawToUlaw } from "./audio/g711.ts";
import { opus } from "./audio/opus.ts";
import type { AudioFormat } from "./audio/audio-format.ts";
import type { MediaProcessSettings } from "./media-messages.ts";
import type { ProcessLoad } from "./load/process-load.ts";
import { type HeardChange, type LegStats, MAX_OFFERS, MediaError, OFFER_LIFE_MS } from "./media-plane.ts";
import { PacketAge } from "./rtp/packet-age.ts";
import { ReceiveCounters } from "./rtp/receive-counters.ts";
import { RtcpReports } from "./rtp/rtcp-reports.ts";
import { type ReceivedRtp, readRtp } from "./rtp/rtp-header.ts";
import { RtpSockets } from "./rtp/rtp-sockets.ts";
import { SendTimeline } from "./rtp/send-timeline.ts";
import type { Endpoint } from "./rtp/source-latch.ts";
import { offersOpus } from "./sdp/browser-sdp.ts";
import { LocalDescription } from "./sdp/local-description.ts";
import { holds, readTrunkSdp } from "./sdp/trunk-sdp.ts";

/** RFC 3550 §6.2 suggests 5 s. */
const REPORT_INTERVAL_MS = 5_000;
/** A DTLS close may be forged, so it counts only if the browser has been silent for this long. */
const CLOSING_SILENCE_MS = 2_000;
/** Chrome sends 50 packets a second, even if muted, so a working browser is never silent for this long. */
const HEARD_WITHIN_MS = 1_000;
const LATE_MS = 100;

interface MediaLegOptions {
  readonly id: string;
  readonly settings: MediaProcessSettings;
  readonly clock: FrameClock;
  readonly load: Pick<ProcessLoad, "longestWait">;
  readonly webrtcPort: number | null;
  readonly failed: () => void;
  /** A packet was dropped because this process delayed it too long. */
  readonly dropped: () => void;
  /** A packet was dropped by a rate limit. */
  readonly refused: () => void;
  readonly heardChange: (change: HeardChange) => void;
  readonly farSilent: (silentMs: number) => void;
}

/** A transport offered to the browser, not yet connected. */
interface OfferedPeer {
  readonly peer: BrowserPeer;
  readonly sinceMs: number;
}

/** One call's audio: the browser's WebRTC transport, RTP to the trunk, and the bridge between them. */
export class MediaLeg {
  readonly #options: MediaLegOptions;
  /** What the browser sends. */
  readonly #format: AudioFormat;
  readonly #fromBrowser: ReceiveCounters;
  readonly #toBrowser: SendTimeline;
  readonly #fromFar: ReceiveCounters;
  readonly #ageFromBrowser: PacketAge;
  readonly #ageFromFar: PacketAge;
  readonly #toFar: FarSender;
  readonly #farReports: RtcpReports;
  readonly #browserReports: RtcpReports;
  readonly #ringback: RingbackTone;
  readonly #farKey: FarKeyTone;
  readonly #local = new LocalDescription();
  #peer: BrowserPeer | null = null;
  #offered: OfferedPeer | null = null;
  #offers = 0;
  #echoing = false;
  /** As last reported; null before the first report. */
  #silent: boolean | null = null;
  #opening: Promise<RtpSockets> | null = null;
  #rtp: RtpSockets | null = null;
  /** Numbers the far end's descriptions: parsing is asynchronous, and the newest wins. */
  #newestSdp = 0;
  #farHeard = false;
  #farHeardAtMs = performance.now();
  #held = false;
  readonly #openedAtMs = performance.now();
  #heardAtMs: number | null = null;
  #hasSpoken = false;
  #closingSinceMs: number | null = null;
  #reportAtMs = performance.now() + REPORT_INTERVAL_MS;
  #over = false;

  private constructor(format: AudioFormat, options: MediaLegOptions) {
    this.#options = options;
    this.#format = format;
    this.#fromBrowser = new ReceiveCounters(format);
    this.#toBrowser = new SendTimeline(format);
    this.#fromFar = new ReceiveCounters(format);
    this.#ageFromBrowser = new PacketAge(format);
    this.#ageFromFar = new PacketAge(format);
    this.#toFar = new FarSender({ format, clock: options.clock, send: (packet) => this.#rtp?.send(packet) });
    const play = (frame: Buffer, nowMs: number): void => this.#sendTone(frame, nowMs);
    this.#ringback = new RingbackTone(options.clock, format, play);
    this.#farKey = new FarKeyTone(options.clock, format, play);
    this.#farReports = new RtcpReports(this.#toFar.timeline, this.#fromFar, options.id);
    this.#browserReports = new RtcpReports(this.#toBrowser, this.#fromBrowser, options.id);
  }

  /**
   * @param wanted Opus is used only if the browser offers it beside PCMU
   * @throws MediaError `bad_sdp` or `no_capacity`
   */
  static async open(
    offerSdp: string,
    wanted: CallCodec,
    options: MediaLegOptions,
  ): Promise<{ leg: MediaLeg; answerSdp: string }> {
    const leg = new MediaLeg(wanted === "opus" && offersOpus(offerSdp) ? opus : g711, options);
    let current: BrowserPeer | null = null;
    const { peer, answerSdp } = await BrowserPeer.answer(
      offerSdp,
      leg.#peerSettings,
      leg.#eventsOf(() => current),
    );
    current = peer;
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
        this.#farReports.read(packet);
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

  /** Resolves to our SDP, which answers a re-INVITE. */
  async connectRtp(remoteSdp: string, trunkAddresses: readonly string[] = []): Promise<{ sdp: string }> {
    const turn = ++this.#newestSdp;
    const session = await readTrunkSdp(remoteSdp, this.#options.settings.rtpAddress.bound, this.codec);
    if (this.#rtp === null) await this.openRtp();
    await this.#toFar.prepare(session);
    const sockets = this.#rtp;
    if (sockets === null || this.#over) throw new MediaError("no_such_leg", "The leg has ended.");
    if (turn !== this.#newestSdp) return { sdp: this.#local.lastAnswer };
    if (session.rtp !== null && session.rtcp !== null) sockets.connect(session.rtp, session.rtcp, trunkAddresses);
    this.#toFar.use(session);
    return { sdp: this.#local.answer(this.#endpoint(sockets), session) };
  }

  tone(on: boolean): void {
    if (on && !this.#farHeard) this.#ringback.start();
    else this.#ringback.stop();
  }

  sendDigits(digits: string): Promise<void> {
    return this.#toFar.addDigits(digits);
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
    let offered: BrowserPeer | null = null;
    const { peer, offerSdp } = await BrowserPeer.offer(
      this.#peerSettings,
      this.#eventsOf(() => offered),
    );
    offered = peer;
    if (this.#over) {
      await peer.close();
      throw new MediaError("no_such_leg", "The leg has ended.");
    }
    await this.#withdrawOffer();
    this.#offered = { peer, sinceMs: performance.now() };
    return { offerSdp };
  }

  /** @throws MediaError `bad_sdp`, `no_offer` */
  async acceptAnswer(answerSdp: string): Promise<void> {
    if (this.#offered === null) throw new MediaError("no_offer", "Nothing is offered.");
    await this.#offered.peer.accept(answerSdp);
  }

  echo(): void {
    this.#echoing = true;
  }

  get isHeard(): boolean {
    return this.#closingSinceMs === null && performance.now() - (this.#heardAtMs ?? this.#openedAtMs) < HEARD_WITHIN_MS;
  }

  stats(): LegStats {
    return {
      fromBrowser: this.#fromBrowser.stats,
      toBrowser: { packets: this.#toBrowser.packets, bytes: this.#toBrowser.octets },
      fromFar: this.#fromFar.stats,
      toFar: { packets: this.#toFar.timeline.packets, bytes: this.#toFar.timeline.octets },
      browserReport: this.#browserReports.peerReport,
      farReport: this.#farReports.peerReport,
    };
  }

  /** Called every second: sends RTCP reports and detects silence. */
  housekeep(nowMs: number): void {
    if (this.#offered !== null && nowMs - this.#offered.sinceMs > OFFER_LIFE_MS) void this.#withdrawOffer();
    if (nowMs >= this.#reportAtMs) {
      this.#reportAtMs = nowMs + REPORT_INTERVAL_MS;
      this.#peer?.sendReport(this.#browserReports.build(nowMs));
      if (this.#toFar.trunk !== null)
        this.#rtp?.sendReport(Buffer.concat(this.#farReports.build(nowMs).map((packet) => packet.serialize())));
    }
    this.#watchBrowser(nowMs);
    this.#watchFarEnd(nowMs);
  }

  #watchFarEnd(nowMs: number): void {
    const { trunk } = this.#toFar;
    if (trunk === null) return;
    if (holds(trunk)) this.#farHeardAtMs = nowMs;
    const silentMs = nowMs - this.#farHeardAtMs;
    if (silentMs > this.#options.settings.farSilenceMs) this.#options.farSilent(silentMs);
  }

  #watchBrowser(nowMs: number): void {
    const silentMs = nowMs - (this.#heardAtMs ?? this.#openedAtMs);
    const closedForMs = this.#closingSinceMs === null ? 0 : nowMs - this.#closingSinceMs;
    // Ignore the close of the old transport while the browser moves to the offered one.
    const closed = closedForMs > CLOSING_SILENCE_MS && silentMs > CLOSING_SILENCE_MS && this.#offered === null;
    if (closedForMs > CLOSING_SILENCE_MS && silentMs <= CLOSING_SILENCE_MS) this.#closingSinceMs = null;
    const silent = closed || silentMs > this.#options.settings.silenceMs;
    if (silent === this.#silent || (!silent && this.#heardAtMs === null)) return;
    this.#silent = silent;
    this.#options.heardChange(silent ? { heard: false, silentMs } : { heard: true, hasSpoken: this.#hasSpoken });
  }

  async close(): Promise<void> {
    this.#over = true;
    this.#ringback.stop();
    this.#farKey.stop();
    this.#toFar.close();
    this.#rtp?.close();
    await this.#withdrawOffer();
    await this.#peer?.close();
  }

  /** Handles a transport's events while it is current or offered. `peer` returns null until it is known. */
  #eventsOf(peer: () => BrowserPeer | null): BrowserPeerEvents {
    const isCurrent = (): boolean => peer() !== null && peer() === this.#peer;
    return {
      rtp: (packet, nowMs) => {
        if (isCurrent()) this.#onBrowserPacket(packet, nowMs);
      },
      rtcp: (packet) => void (isCurrent() && this.#onBrowserReport(packet)),
      // Waiting for keys and audio would delay the call by a handshake and a frame.
      reached: () => void (isCurrent() && this.#markHeard(performance.now())),
      connected: () => this.#onConnected(peer()),
      failed: () => {
        if (isCurrent() && !this.#over) this.#options.failed();
        else if (peer() === this.#offered?.peer) void this.#withdrawOffer();
      },
      closing: () => {
        if (isCurrent()) this.#closingSinceMs ??= performance.now();
      },
      refused: this.#options.refused,
    };
  }

  /** Moves the call to the offered transport once it is connected. */
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
    this.#markHeard(performance.now());
    this.#browserReports.read(packet);
  }

  /** The first time is reported at once, because the far end is dialled only then. */
  #markHeard(nowMs: number): void {
    const isFirst = this.#heardAtMs === null;
    this.#heardAtMs = nowMs;
    if (isFirst) this.#watchBrowser(nowMs);
  }

  /** Reported at once, like the first sign of the browser. */
  #markSpoken(): void {
    if (this.#hasSpoken) return;
    this.#hasSpoken = true;
    if (this.#silent === false) this.#options.heardChange({ heard: true, hasSpoken: true });
  }

  #onBrowserPacket(packet: Buffer, nowMs: number): void {
    this.#markHeard(nowMs);
    const rtp = readRtp(packet);
    if (rtp === null || rtp.payloadType !== this.#peer?.payloadTypes[this.codec] || rtp.payload.length === 0) return;
    this.#markSpoken();
    this.#fromBrowser.count(rtp, nowMs);
    if (this.#isLate(this.#ageFromBrowser.of(rtp, nowMs), nowMs)) return;
    if (this.#echoing) this.#sendToBrowser(rtp, rtp.payload, nowMs);
    else this.#toFar.forward(rtp, this.#held, nowMs);
  }

  /** Drop packets that we delayed: a gap beats a permanent delay. Delays of the network are passed on. */
  #isLate(ageMs: number, nowMs: number): boolean {
    const late = Math.min(ageMs, this.#options.load.longestWait(nowMs)) > LATE_MS;
    if (late) this.#options.dropped();
    return late;
  }

  #sendToBrowser(rtp: ReceivedRtp, payload: Buffer, nowMs: number, format = this.#format): void {
    const peer = this.#peer;
    this.#toBrowser.useClock(format);
    if (peer === null || !peer.connected || this.#toBrowser.isTooLate(rtp)) return;
    const position = this.#toBrowser.forward(rtp, nowMs);
    this.#toBrowser.sent(payload.length);
    peer.send(payload, format.codec, position);
  }

  #onTrunkPacket(packet: Buffer, nowMs: number): void {
    const rtp = readRtp(packet);
    this.#farHeardAtMs = nowMs;
    if (rtp === null) return;
    // A lost caller may not be charged for silence, so they must not hear the far end meanwhile.
    const isMute = this.#silent === true && !this.isHeard;
    const codec = this.#toFar.trunk?.received.get(rtp.payloadType);
    if (codec === undefined || rtp.payload.length === 0) {
      this.#fromFar.countOther(rtp);
      if (rtp.payloadType === this.#toFar.trunk?.eventPayloadType && !isMute && !this.#held) this.#farKey.hear(rtp);
      return this.#toBrowser.skip(rtp);
    }
    const format = formatOf(codec);
    for (const clocked of [this.#fromFar, this.#ageFromFar]) clocked.useClock(format);
    this.#fromFar.count(rtp, nowMs);
    if (this.#isLate(this.#ageFromFar.of(rtp, nowMs), nowMs)) return;
    this.#farHeard = true;
    this.#ringback.stop();
    if (isMute) return this.#toBrowser.pause();
    if (this.#farKey.playing) return;
    if (codec === "PCMA") alawToUlaw(rtp.payload);
    this.#sendToBrowser(rtp, this.#held ? format.silence(rtp.payload) : rtp.payload, nowMs, format);
  }

  #sendTone(payload: Buffer, nowMs: number): void {
    if (this.#peer === null || !this.#peer.connected) return;
    this.#toBrowser.useClock(this.#format);
    this.#toBrowser.sent(payload.length);
    this.#peer.send(payload, this.codec, this.#toBrowser.continue(nowMs));
  }
}
