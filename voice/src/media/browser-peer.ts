import type { Address } from "../address.ts";
import {
  type Connection,
  isRtcp,
  Message,
  parseMessage,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  type RTCDtlsTransport,
  type RTCRtpTransceiver,
  type RTCSessionDescription,
  type RtcpPacket,
  RtpHeader,
  SrtpAuthenticationError,
  type StunProtocol,
} from "werift";
import type { CallCodec } from "../call-codec.ts";
import { sanitizeSdp } from "./sdp/browser-sdp.ts";
import { MediaError } from "./media-plane.ts";
import { ownAddress } from "../own-address.ts";
import type { SendPosition } from "./rtp/send-timeline.ts";
import { SrtpReceiver } from "./rtp/srtp-session.ts";
import { localUfragOf, WebrtcLimits } from "./webrtc-limits.ts";

/** Payload types of our offers: PCMU is always 0 (RFC 3551), Opus uses the browsers' usual number. A browser's offer names its own. */
const PCMU = new RTCRtpCodecParameters({ mimeType: "audio/PCMU", clockRate: 8_000, channels: 1, payloadType: 0 });
const OPUS = new RTCRtpCodecParameters({
  mimeType: "audio/opus",
  clockRate: 48_000,
  channels: 2,
  payloadType: 111,
  parameters: "minptime=10;useinbandfec=1",
});
/** By the codec of the call. A browser sends the first, and plays both. */
const CODECS: Readonly<Record<CallCodec, readonly RTCRtpCodecParameters[]>> = { g711: [PCMU], opus: [OPUS, PCMU] };
/** A browser restarts ICE when its network changes. More restarts in one call are abuse. */
const MAX_RESTARTS = 100;
/** Addresses per browser: Wi-Fi, Ethernet, VPN, each with IPv4 and IPv6, and a relay. */
const MAX_PATHS = 16;
/** Between the local preferences of a host's addresses (RFC 8445 §5.1.2.1). */
const PREFERENCE_STEP = 256;

export interface BrowserPeerEvents {
  rtp(packet: Buffer, nowMs: number): void;
  /** A decrypted RTCP compound packet. */
  rtcp(packet: Buffer): void;
  /** ICE has connected for the first time: packets of the browser pass both ways, although there are no keys yet. */
  reached(): void;
  connected(): void;
  failed(): void;
  /** The browser closed or broke DTLS, or somebody forged that: act on it only once the browser is silent. */
  closing(): void;
  /** A packet was dropped by a rate limit. */
  refused(): void;
}

interface BrowserPeerSettings {
  /** What the browser sends. */
  readonly codec: CallCodec;
  readonly address: Address;
  /** One UDP port, or null for any. */
  readonly port: number | null;
}

type Source = readonly [address: string, port: number];

interface Password {
  readonly ufrag: string;
  readonly key: Buffer;
}

/**
 * One browser's WebRTC transport: ICE-lite, DTLS as server, SRTP. werift negotiates and encrypts. Audio packets bypass its RTP pipeline,
 * which doubles the CPU load and drops streams that the SDP did not announce.
 */
export class BrowserPeer {
  readonly ssrc: number;
  /** Of the codecs agreed with the browser. */
  readonly payloadTypes: Readonly<Record<CallCodec, number | undefined>>;
  readonly #connection: RTCPeerConnection;
  readonly #dtls: RTCDtlsTransport;
  readonly #ice: Connection;
  readonly #events: BrowserPeerEvents;
  readonly #announcesOwn: boolean;
  /** Reused for every packet, because creating one is slow. */
  readonly #header: RtpHeader;
  readonly #limits = new WebrtcLimits();
  /** Addresses that have sent an authenticated check, newest last. */
  readonly #paths: Source[] = [];
  #socket: StunProtocol["transport"] | null = null;
  /** Null until keys are agreed. */
  #receiver: SrtpReceiver | null = null;
  #reached = false;
  #closed = false;
  #restarts = 0;

  private constructor(
    connection: RTCPeerConnection,
    transceiver: RTCRtpTransceiver,
    events: BrowserPeerEvents,
    { address }: BrowserPeerSettings,
  ) {
    const dtls = connection.dtlsTransports[0];
    if (dtls === undefined) throw new MediaError("bad_sdp", "The offer has no transport.");
    this.#connection = connection;
    this.#dtls = dtls;
    this.#ice = dtls.iceTransport.connection as Connection;
    this.#events = events;
    this.#announcesOwn = address.announcesOwn === true;
    this.ssrc = transceiver.sender.ssrc;
    const payloadTypeOf = ({ mimeType }: RTCRtpCodecParameters): number | undefined =>
      transceiver.codecs.find((codec) => codec.mimeType.toLowerCase() === mimeType.toLowerCase())?.payloadType;
    this.payloadTypes = { g711: payloadTypeOf(PCMU), opus: payloadTypeOf(OPUS) };
    this.#header = new RtpHeader({ ssrc: this.ssrc });
  }

  /** Answers a browser's offer. @throws MediaError `bad_sdp` */
  static async answer(
    offerSdp: string,
    settings: BrowserPeerSettings,
    events: BrowserPeerEvents,
  ): Promise<{ peer: BrowserPeer; answerSdp: string }> {
    const offer = sanitizeSdp(offerSdp);
    const connection = openConnection(settings);
    try {
      const transceiver = connection.addTransceiver("audio", { direction: "sendrecv" });
      await connection.setRemoteDescription({ type: "offer", sdp: offer });
      const peer = new BrowserPeer(connection, transceiver, events, settings);
      peer.#watch();
      peer.#dtls.role = "server";
      const answerSdp = await peer.#finish(await connection.createAnswer());
      transceiver.receiver.stop();
      return { peer, answerSdp };
    } catch (error) {
      await connection.close();
      throw asBadSdp(error);
    }
  }

  /** Creates an offer; pass the browser's answer to `accept`. @throws MediaError `no_capacity` */
  static async offer(settings: BrowserPeerSettings, events: BrowserPeerEvents): Promise<{ peer: BrowserPeer; offerSdp: string }> {
    const connection = openConnection(settings);
    try {
      const transceiver = connection.addTransceiver("audio", { direction: "sendrecv" });
      const offer = await connection.createOffer();
      const peer = new BrowserPeer(connection, transceiver, events, settings);
      peer.#watch();
      const offerSdp = await peer.#finish(offer);
      return { peer, offerSdp };
    } catch (error) {
      await connection.close();
      throw asBadSdp(error);
    }
  }

  /** Takes the browser's answer to our offer. @throws MediaError `bad_sdp` */
  async accept(answerSdp: string): Promise<void> {
    try {
      await this.#connection.setRemoteDescription({ type: "answer", sdp: sanitizeSdp(answerSdp) });
      this.#connection.getTransceivers()[0]?.receiver.stop();
    } catch (error) {
      throw asBadSdp(error);
    }
  }

  get connected(): boolean {
    return this.#receiver !== null && !this.#closed;
  }

  /** Encrypts and sends one packet. Drops it if not connected. */
  send(payload: Buffer, codec: CallCodec, position: SendPosition): void {
    const pair = this.#ice.nominated;
    const payloadType = this.payloadTypes[codec];
    if (!this.connected || pair === undefined || this.#socket === null || payloadType === undefined) return;
    this.#header.payloadType = payloadType;
    this.#header.sequenceNumber = position.sequence;
    this.#header.timestamp = position.timestamp;
    this.#header.marker = position.marker;
    const [address, port] = pair.remoteAddr;
    this.#socket.socket.send(this.#dtls.srtp.encrypt(payload, this.#header), port, address);
  }

  sendReport(packets: RtcpPacket[]): void {
    const pair = this.#ice.nominated;
    if (!this.connected || pair === undefined || this.#socket === null) return;
    const [address, port] = pair.remoteAddr;
    this.#socket.socket.send(this.#dtls.srtcp.encrypt(Buffer.concat(packets.map((packet) => packet.serialize()))), port, address);
  }

  /** ICE restart with the same keys and socket. @throws MediaError `bad_sdp` */
  async restart(offerSdp: string): Promise<string> {
    this.#restarts += 1;
    if (this.#restarts > MAX_RESTARTS) throw new MediaError("bad_sdp", "Too many ICE restarts.");
    try {
      await this.#connection.setRemoteDescription({ type: "offer", sdp: sanitizeSdp(offerSdp) });
      const answerSdp = await this.#finish(await this.#connection.createAnswer());
      // With DTLS up, werift considers itself connected and would ignore the new checks.
      if (this.#receiver !== null && this.#ice.nominated === undefined)
        void this.#dtls.iceTransport.start().catch(() => this.#events.failed());
      return answerSdp;
    } catch (error) {
      throw asBadSdp(error);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#connection.close();
  }

  #watch(): void {
    this.#dtls.onStateChange.subscribe((state) => {
      if (state === "connected" && this.#receiver === null) {
        this.#receiver = new SrtpReceiver(this.#dtls.srtp, this.#dtls.srtcp);
        this.#events.connected();
      }
      if (this.#closed) return;
      // Once keys are agreed, anybody can forge a plaintext record that fails DTLS. Audio no longer depends on it.
      if (state === "failed" && this.#receiver === null) this.#events.failed();
      else if (state === "failed" || state === "closed") this.#events.closing();
    });
  }

  async #finish(description: RTCSessionDescription): Promise<string> {
    await this.#connection.setLocalDescription(description);
    this.#interceptSocket();
    const sdp = this.#connection.localDescription?.sdp ?? "";
    if (!/^m=audio [1-9]/m.test(sdp)) throw new MediaError("bad_sdp", "The offer has no audio that we can carry.");
    if (!/^a=candidate:/m.test(sdp)) throw new MediaError("no_capacity", "No UDP port is free for WebRTC.");
    const own = this.#announcesOwn ? ownAddress() : null;
    return own === null ? moveIceLite(sdp) : announceOwnFirst(own, moveIceLite(sdp));
  }

  /** Filters every datagram before werift sees it. */
  #interceptSocket(): void {
    if (this.#socket !== null) return;
    // Not part of werift's public types; its version is pinned.
    const [protocol] = (this.#ice as unknown as { protocols: StunProtocol[] }).protocols;
    if (protocol === undefined) return;
    const transport = protocol.transport;
    const toWerift = transport.onData;
    this.#socket = transport;
    // A failed send is packet loss. Unhandled, the error would end the process.
    transport.socket.on("error", () => undefined);
    transport.onData = (datagram, source) => this.#receive(datagram, source, toWerift);
  }

  /** The first byte identifies the protocol (RFC 7983 §7). */
  #receive(datagram: Buffer, source: Source, toWerift: (data: Buffer, source: [string, number]) => void): void {
    const first = datagram[0] ?? 0;
    const nowMs = performance.now();
    if (first < 4) {
      const password = this.#passwordOf(datagram);
      if (password === null) return;
      if (!this.#limits.mayCheck(this.#nominated(source), nowMs)) return this.#events.refused();
      const check = this.#admitCheck(datagram, password, source);
      if (check !== null) toWerift(check, [source[0], source[1]]);
      return;
    }
    // A browser may send on any path that it has checked, not only on the nominated one (RFC 8445 §12.2).
    if (!this.#paths.some((path) => isSame(path, source))) return;
    if (first < 128) {
      if (!this.#limits.mayHandshake(nowMs)) return this.#events.refused();
      this.#markReached();
      toWerift(datagram, [source[0], source[1]]);
    } else if (!this.#limits.mayReceiveMedia(nowMs)) this.#events.refused();
    else if (this.#receiver !== null) this.#decrypt(this.#receiver, datagram, nowMs);
  }

  /** A browser starts DTLS once its check was answered. werift's own state says nothing of that. Told before the handshake, which is slow. */
  #markReached(): void {
    if (this.#reached) return;
    this.#reached = true;
    this.#events.reached();
  }

  #decrypt(receiver: SrtpReceiver, datagram: Buffer, nowMs: number): void {
    try {
      const packet = isRtcp(datagram) ? receiver.rtcp(datagram) : receiver.rtp(datagram);
      if (packet === null) return;
      if (isRtcp(datagram)) this.#events.rtcp(packet);
      else this.#events.rtp(packet, nowMs);
    } catch (error) {
      // Drop forged, damaged and short packets. Anything else is a bug.
      if (!(error instanceof SrtpAuthenticationError) && !(error instanceof RangeError)) throw error;
    }
  }

  /** The password that must have signed a check; null if the check is not for us. */
  #passwordOf(datagram: Buffer): Password | null {
    const ufrag = localUfragOf(datagram);
    const password = ufrag !== null && Object.hasOwn(this.#ice.userHistory, ufrag) ? this.#ice.userHistory[ufrag] : undefined;
    return ufrag === null || password === undefined ? null : { ufrag, key: Buffer.from(password, "utf8") };
  }

  /**
   * The check to pass to werift, or null. Verifies the signature, which werift does not. Treats the first check as a nomination: we have
   * one candidate, so its pair is valid and may carry data (RFC 8445 §12.1.1), and DTLS starts about 55 ms sooner than with Chrome's own
   * nomination. A nomination from another address moves the call there.
   */
  #admitCheck(datagram: Buffer, { ufrag, key }: Password, source: Source): Buffer | null {
    const check = parseMessage(datagram, key);
    if (check === undefined) return null;
    if (ufrag !== this.#ice.localUsername) return datagram; // from before an ICE restart: the browser still expects a response
    this.#rememberPath(source);
    const nominates = check.attributesKeys.includes("USE-CANDIDATE");
    if (this.#ice.nominated === undefined) return nominates ? datagram : toNomination(check, key);
    if (nominates && !this.#nominated(source)) this.#ice.resetNominatedPair();
    return datagram;
  }

  #nominated(source: Source): boolean {
    const pair = this.#ice.nominated;
    return pair !== undefined && isSame(pair.remoteAddr, source);
  }

  #rememberPath([address, port]: Source): void {
    if (this.#paths.some((path) => isSame(path, [address, port]))) return;
    this.#paths.push([address, port]);
    if (this.#paths.length > MAX_PATHS) this.#paths.shift();
  }
}

function isSame(one: Source, other: Source): boolean {
  return one[1] === other[1] && one[0] === other[0];
}

function openConnection(settings: BrowserPeerSettings): RTCPeerConnection {
  return new RTCPeerConnection({
    codecs: { audio: [...CODECS[settings.codec]], video: [] },
    headerExtensions: { audio: [], video: [] },
    iceLite: true,
    iceServers: [],
    // Only the configured address, not every interface of the machine.
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceUseTcp: false,
    iceAdditionalHostAddresses: [settings.address.announced],
    iceInterfaceAddresses: { udp4: settings.address.bound, udp6: settings.address.bound },
    ...(settings.port === null ? {} : { icePortRange: [settings.port, settings.port + 1] as [number, number] }),
    bundlePolicy: "max-bundle",
  });
}

/** Adds USE-CANDIDATE to a check and signs it again. */
function toNomination(check: Message, key: Buffer): Buffer {
  const attributes = check.getAttributes().filter(([name]) => name !== "MESSAGE-INTEGRITY" && name !== "FINGERPRINT");
  const nomination = new Message(check.messageMethod, check.messageClass, check.transactionId, [
    ...attributes,
    ["USE-CANDIDATE", null],
  ]);
  return nomination.addMessageIntegrity(key).addFingerprint().bytes;
}

/**
 * Puts this machine's own address before the candidate: it is one socket, which is bound to both. Checks go to the first one first, and
 * a browser on a network is answered from the network's address: a check to loopback would fail, and the next follows 50 ms later.
 */
function announceOwnFirst(address: string, sdp: string): string {
  const candidate = /^a=candidate:(\S+) (\d+ \S+) (\d+) (\S+) (.*\r\n)/gm;
  return sdp.replace(candidate, (_line: string, ...[foundation, head, priority, given, rest]: string[]) => {
    const second = `a=candidate:${foundation} ${head} ${Number(priority) - PREFERENCE_STEP} ${given} ${rest}`;
    return `a=candidate:${foundation}0 ${head} ${priority} ${address} ${rest}${second}`;
  });
}

/** Moves `a=ice-lite` to the session level (RFC 8839 §5.3). werift writes it where browsers ignore it. */
function moveIceLite(sdp: string): string {
  return sdp.replace(/^a=ice-lite\r\n/m, "").replace(/^m=/m, "a=ice-lite\r\nm=");
}

function asBadSdp(error: unknown): MediaError {
  if (error instanceof MediaError) return error;
  return new MediaError("bad_sdp", `The offer cannot be answered: ${error instanceof Error ? error.message : String(error)}`);
}
