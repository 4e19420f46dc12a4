import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { decodeG711, encodeG711 } from "./g711.ts";
import { FRAME_SAMPLES } from "./line-audio.ts";
import { buildRtp, parseRtp, parseTelephoneEvent, sequenceDistance, timestampDistance, type RtpPacket } from "./rtp-packet.ts";
import { STATIC_CODECS, type RemoteAudio } from "./sdp.ts";

const FRAME_MS = 20;
/** After a stall, at most this many frames are sent late; the rest are dropped, as on a real line. */
const MAX_CATCH_UP_FRAMES = 10;
/** A new source or stream is accepted once the old one has been silent for this long. */
const RELEARN_AFTER_MS = 1000;
const POOR_LINE_LOSS = 0.1;
const POOR_LINE_JITTER_MS = 60;

interface RtpSessionEvents {
  nextFrame: () => Int16Array | null;
  onAudio: (timestamp: number, samples: Int16Array) => void;
  onDigit: (digit: string) => void;
}

/** One call's audio: a UDP socket, a 20 ms clock, G.711 in both directions and received keypad digits. */
export class RtpSession {
  #socket: Socket;
  readonly #events: RtpSessionEvents;
  #remote: RemoteAudio | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  readonly #ssrc = randomInt(0xffff_ffff);
  readonly #firstTimestamp = randomInt(0xffff_ffff);
  #sequence = randomInt(0x1_0000);
  #startedAt = 0;
  #frames = 0;
  #talking = false;

  #peer: { key: string; ssrc: number; firstSequence: number; highest: number; received: number } | null = null;
  #lastEventTimestamp: number | null = null;
  /** `performance.now()`; initialised at the start, so that a caller who never sends times out too. */
  lastReceivedAt = performance.now();
  sent = 0;
  received = 0;
  poorLine = false;

  private constructor(socket: Socket, events: RtpSessionEvents) {
    this.#events = events;
    this.#socket = socket;
    this.#listen();
  }

  get port(): number {
    return this.#socket.address().port;
  }

  static async open(host: string, events: RtpSessionEvents): Promise<RtpSession> {
    return new RtpSession(await bindSocket(host), events);
  }

  /** Continues at another port; what still arrives at the old one is lost. */
  async move(): Promise<void> {
    const socket = await bindSocket(this.#socket.address().address);
    if (this.#closed) return void socket.close();
    this.#socket.close();
    this.#socket = socket;
    this.#listen();
  }

  #listen(): void {
    this.#socket.on("message", (datagram, from) => this.#receive(datagram, `${from.address}:${from.port}`));
    this.#socket.on("error", () => this.close());
  }

  /** Sets where and in which format to send; the caller may change it during a call. */
  setRemote(remote: RemoteAudio): void {
    this.#remote = remote;
  }

  /** Starts the clock and sends the first packet. */
  start(): void {
    if (this.#timer || this.#closed) return;
    this.#startedAt = performance.now();
    this.#tick();
  }

  /** Number of the caller's packets lost, by sequence number. */
  get lost(): number {
    const peer = this.#peer;
    return peer ? Math.max(0, peer.highest - peer.firstSequence + 1 - peer.received) : 0;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket.close();
  }

  #tick(): void {
    const due = Math.floor((performance.now() - this.#startedAt) / FRAME_MS) + 1;
    if (due - this.#frames > MAX_CATCH_UP_FRAMES) this.#frames = due - MAX_CATCH_UP_FRAMES;
    while (this.#frames < due) this.#sendFrame();
    const waitMs = this.#startedAt + this.#frames * FRAME_MS - performance.now();
    this.#timer = setTimeout(() => this.#tick(), Math.max(0, waitMs));
  }

  #sendFrame(): void {
    const timestamp = (this.#firstTimestamp + this.#frames * FRAME_SAMPLES) >>> 0;
    this.#frames += 1;
    const samples = this.#events.nextFrame();
    const remote = this.#remote;
    if (!samples || !remote || remote.direction === "recvonly" || remote.direction === "inactive") {
      this.#talking = false;
      return;
    }
    const packet: RtpPacket = {
      payloadType: remote.payloadType,
      marker: !this.#talking,
      sequence: this.#sequence,
      timestamp,
      ssrc: this.#ssrc,
      payload: encodeG711(remote.codec, samples),
    };
    this.#talking = true;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#dispatch(buildRtp(packet), remote);
  }

  #dispatch(datagram: Buffer, remote: RemoteAudio): void {
    if (!this.poorLine) return this.#transmit(datagram, remote);
    if (Math.random() < POOR_LINE_LOSS) return;
    setTimeout(() => this.#transmit(datagram, remote), Math.random() * POOR_LINE_JITTER_MS).unref();
  }

  #transmit(datagram: Buffer, remote: RemoteAudio): void {
    if (this.#closed) return;
    this.sent += 1;
    this.#socket.send(datagram, remote.port, remote.host, () => undefined); // send errors count as packet loss
  }

  #receive(datagram: Buffer, key: string): void {
    const packet = parseRtp(datagram);
    const remote = this.#remote;
    if (!packet || !remote || !this.#accept(packet, key)) return;
    this.lastReceivedAt = performance.now();
    this.received += 1;
    if (packet.payloadType === remote.eventPayloadType) return this.#receiveEvent(packet);
    const codec = packet.payloadType === remote.payloadType ? remote.codec : STATIC_CODECS[packet.payloadType];
    if (codec) this.#events.onAudio(packet.timestamp, decodeG711(codec, packet.payload));
  }

  /** Accepts one source and stream only, so that other senders cannot mix into a call; tracks sequence numbers. */
  #accept(packet: RtpPacket, key: string): boolean {
    const peer = this.#peer;
    if (peer && peer.key === key && peer.ssrc === packet.ssrc) {
      peer.highest = Math.max(peer.highest, peer.highest + sequenceDistance(peer.highest & 0xffff, packet.sequence));
      peer.received += 1;
      return true;
    }
    if (peer && peer.key !== key && performance.now() - this.lastReceivedAt < RELEARN_AFTER_MS) return false;
    this.#peer = { key, ssrc: packet.ssrc, firstSequence: packet.sequence, highest: packet.sequence, received: 1 };
    this.#lastEventTimestamp = null;
    return true;
  }

  /** Counts each key press once: all its packets carry the same timestamp (RFC 4733 §2.2.1). */
  #receiveEvent(packet: RtpPacket): void {
    const event = parseTelephoneEvent(packet.payload);
    if (!event) return;
    const last = this.#lastEventTimestamp;
    if (last !== null && timestampDistance(last, packet.timestamp) <= 0) return;
    this.#lastEventTimestamp = packet.timestamp;
    this.#events.onDigit(event.digit);
  }
}

async function bindSocket(host: string): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind(0, host);
  await once(socket, "listening");
  return socket;
}
