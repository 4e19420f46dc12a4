import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import {
  DtlsClient,
  MediaStreamTrack,
  type RTCDtlsTransport,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  RtpHeader,
  RtpPacket,
} from "werift";
import { FrameClock } from "../src/media/audio/frame-clock.ts";
import { askNoStunServer } from "../src/media/no-stun-server.ts";
import { samplesOf } from "./tone.ts";

const FRAME_BYTES = 160;
const FRAMES_PER_SECOND = 50;

/** What a phone sends: the same PCMU sample all the time, which identifies it, or 20 ms frames in turn. */
type Sound = number | readonly Buffer[];

/** A 20 ms PCMU packet. */
function packetOf(sound: Sound, count: number, ssrc: number): Buffer {
  const header = new RtpHeader({ payloadType: 0, sequenceNumber: count & 0xffff, timestamp: count * FRAME_BYTES, ssrc });
  const frame = typeof sound === "number" ? Buffer.alloc(FRAME_BYTES, sound) : sound[count % sound.length];
  return new RtpPacket(header, frame ?? Buffer.alloc(0)).serialize();
}

/** Counts packets with equal samples, by sample, and keeps the last second. */
class Heard {
  readonly #counts = new Map<number, number>();
  #recent: Buffer[] = [];

  /** 16-bit samples. */
  get lastSecond(): number[] {
    return samplesOf(Buffer.concat(this.#recent));
  }

  /** Of the last second, each 20 ms: 16-bit samples. */
  get lastFrames(): number[][] {
    return this.#recent.map(samplesOf);
  }

  clear(): void {
    this.#recent = [];
  }

  add(payload: Buffer): void {
    this.#recent = [...this.#recent, payload].slice(-FRAMES_PER_SECOND);
    const [first] = payload;
    if (first !== undefined && payload.every((sample) => sample === first)) this.#counts.set(first, this.of(first) + 1);
  }

  of(sample: number): number {
    return this.#counts.get(sample) ?? 0;
  }
}

/** Starts key exchange with ICE, as browsers do. werift waits 100 ms first. */
function startKeysAtOnce(transport: RTCDtlsTransport): void {
  const watch = transport.onStateChange.subscribe((state) => {
    if (state !== "connecting") return;
    watch.unSubscribe();
    // werift creates the client right after this event.
    queueMicrotask(() => {
      const { dtls } = transport;
      if (!(dtls instanceof DtlsClient)) return;
      const started = dtls.connect();
      // werift handles a failure once it has waited.
      started.catch(() => undefined);
      dtls.connect = () => started;
    });
  });
}

/** A browser's media: offers PCMU over WebRTC without candidates, as in trickle ICE, and sends audio while it is connected. */
export class BrowserPhone {
  readonly heard = new Heard();
  readonly #peer = new RTCPeerConnection({
    codecs: { audio: [new RTCRtpCodecParameters({ mimeType: "audio/PCMU", clockRate: 8000, channels: 1, payloadType: 0 })] },
    iceServers: [],
    iceUseIpv6: false,
    iceAdditionalHostAddresses: ["127.0.0.1"],
  });
  readonly #track = new MediaStreamTrack({ kind: "audio" });
  #count = 0;
  #stopSending: () => void = () => undefined;

  /** @param sound null sends nothing */
  constructor(sound: Sound | null) {
    this.#peer.addTransceiver(this.#track, { direction: "sendrecv" });
    askNoStunServer(this.#peer);
    for (const transport of this.#peer.dtlsTransports) startKeysAtOnce(transport);
    this.#peer.onTrack.subscribe((track) => track.onReceiveRtp.subscribe((packet) => this.heard.add(packet.payload)));
    if (sound === null) return;
    this.#stopSending = new FrameClock().every(() => {
      if (this.#peer.connectionState === "connected") this.#track.writeRtp(packetOf(sound, this.#count++, 1));
    });
  }

  async offer(): Promise<string> {
    await this.#peer.setLocalDescription(await this.#peer.createOffer());
    return (this.#peer.localDescription?.sdp ?? "").replace(/a=(candidate|end-of-candidates).*\r\n/g, "");
  }

  async accept(answerSdp: string): Promise<void> {
    await this.#peer.setRemoteDescription({ type: "answer", sdp: answerSdp });
  }

  async close(): Promise<void> {
    this.#stopSending();
    await this.#peer.close();
  }
}

/** The callee's RTP: sends audio to whoever sends to it. */
export class FarPhone {
  readonly heard = new Heard();
  readonly #socket: Socket = createSocket("udp4");
  #count = 0;

  constructor(sound: Sound) {
    this.#socket.on("message", (packet, from) => {
      if ((packet[1] ?? 0) >= 200) return;
      this.heard.add(packet.subarray(12));
      this.#socket.send(packetOf(sound, this.#count++, 2), from.port, from.address);
    });
  }

  async bind(): Promise<number> {
    this.#socket.bind(0, "127.0.0.1");
    await once(this.#socket, "listening");
    return this.#socket.address().port;
  }

  close(): void {
    this.#socket.close();
  }
}
