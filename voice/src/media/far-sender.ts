import type { AudioFormat } from "./audio/audio-format.ts";
import { formatOf } from "./audio/audio-formats.ts";
import type { FrameClock } from "./audio/frame-clock.ts";
import { ulawToAlaw } from "./audio/g711.ts";
import { OpusToG711 } from "./audio/opus-to-g711.ts";
import { type ReceivedRtp, RTP_HEADER_BYTES, writeRtpHeader } from "./rtp/rtp-header.ts";
import { SendTimeline } from "./rtp/send-timeline.ts";
import type { TrunkSession } from "./sdp/trunk-sdp.ts";
import { MediaError } from "./media-plane.ts";
import { type DigitPacket, DigitQueue } from "./audio/digit-queue.ts";

interface FarSenderOptions {
  /** What the caller sends. */
  readonly format: AudioFormat;
  readonly clock: FrameClock;
  readonly send: (packet: Buffer) => void;
}

interface DigitSenderOptions {
  readonly clock: FrameClock;
  readonly timeline: SendTimeline;
  readonly trunk: () => TrunkSession | null;
  readonly send: (packet: Buffer) => void;
}

/** What a call sends to the far end: the caller's audio, converted if the far end answered an Opus call in G.711, and digits. */
export class FarSender {
  readonly timeline: SendTimeline;
  readonly #options: FarSenderOptions;
  readonly #digits: DigitSender;
  #trunk: TrunkSession | null = null;
  #converter: OpusToG711 | null = null;
  #closed = false;

  constructor(options: FarSenderOptions) {
    this.#options = options;
    this.timeline = new SendTimeline(options.format);
    this.#digits = new DigitSender({
      clock: options.clock,
      timeline: this.timeline,
      trunk: () => this.#trunk,
      send: options.send,
    });
  }

  /** The far end's session; null before the first. */
  get trunk(): TrunkSession | null {
    return this.#trunk;
  }

  /** Opens the converter, if a session needs it and there is none. */
  async prepare({ codec }: TrunkSession): Promise<void> {
    if (formatOf(codec) === this.#options.format || this.#converter !== null) return;
    const converter = await OpusToG711.open();
    if (this.#closed || this.#converter !== null) converter.close();
    else this.#converter = converter;
  }

  /** Sends in this session from now on. Needs `prepare`. */
  use(trunk: TrunkSession): void {
    this.timeline.useClock(formatOf(trunk.codec));
    this.#trunk = trunk;
  }

  /** Resolves when the last digit is sent. @throws MediaError `no_far_end`, `bad_digits` */
  addDigits(digits: string): Promise<void> {
    return this.#digits.add(digits);
  }

  /** Sends a packet of the caller; on hold, silence of the same length. Reuses the packet's memory. */
  forward(rtp: ReceivedRtp, held: boolean, nowMs: number): void {
    const trunk = this.#trunk;
    if (trunk === null) return;
    if (this.#digits.sending || trunk.direction === "sendonly" || trunk.direction === "inactive") return this.timeline.pause();
    const format = formatOf(trunk.codec);
    const audio = format === this.#options.format ? rtp : (this.#converter?.convert(rtp) ?? null);
    if (audio === null) return;
    const payload = held ? format.silence(audio.payload) : audio.payload;
    if (trunk.codec === "PCMA") ulawToAlaw(payload);
    const position = this.timeline.forward(audio, nowMs);
    // Write the new header in front of the payload.
    const outgoing = audio.packet.subarray(audio.payloadOffset - RTP_HEADER_BYTES, audio.payloadOffset + payload.length);
    writeRtpHeader(outgoing, { ...position, payloadType: trunk.payloadType, ssrc: this.timeline.ssrc });
    this.timeline.sent(payload.length);
    this.#options.send(outgoing);
  }

  close(): void {
    this.#closed = true;
    this.#digits.close();
    this.#converter?.close();
    this.#converter = null;
  }
}

/** Sends a leg's digits to the far end as events, or as tones if it does not support events. */
class DigitSender {
  readonly #options: DigitSenderOptions;
  readonly #queue = new DigitQueue();
  #stopClock: (() => void) | null = null;

  constructor(options: DigitSenderOptions) {
    this.#options = options;
  }

  /** While a digit is being sent, the caller's audio must wait. */
  get sending(): boolean {
    return this.#queue.sending;
  }

  /** Resolves when the last digit is sent. @throws MediaError `no_far_end`, `bad_digits` */
  async add(digits: string): Promise<void> {
    const { trunk, clock } = this.#options;
    if (trunk() === null) throw new MediaError("no_far_end", "There is no far end yet.");
    const sent = this.#queue.add(digits);
    this.#stopClock ??= clock.every((nowMs) => this.#tick(nowMs));
    await sent;
  }

  close(): void {
    this.#stopClock?.();
    this.#queue.abort(new MediaError("no_such_leg", "The leg has ended."));
  }

  #tick(nowMs: number): void {
    const trunk = this.#options.trunk();
    if (trunk !== null) {
      const timestamp = this.#options.timeline.timestampAt(nowMs);
      const format = formatOf(trunk.codec);
      const packet =
        trunk.eventPayloadType === null ? this.#queue.tickTone(timestamp, format) : this.#queue.tickEvent(timestamp, format);
      if (packet !== null) this.#send(packet, trunk);
    }
    if (this.#queue.idle) {
      this.#stopClock?.();
      this.#stopClock = null;
    }
  }

  #send({ payload, marker, timestamp }: DigitPacket, trunk: TrunkSession): void {
    const { timeline, send } = this.#options;
    const packet = Buffer.alloc(RTP_HEADER_BYTES + payload.length);
    const payloadType = trunk.eventPayloadType ?? trunk.payloadType;
    writeRtpHeader(packet, { payloadType, marker, sequence: timeline.insert(), timestamp, ssrc: timeline.ssrc });
    payload.copy(packet, RTP_HEADER_BYTES);
    if (trunk.eventPayloadType === null && trunk.codec === "PCMA") ulawToAlaw(packet.subarray(RTP_HEADER_BYTES));
    timeline.sent(payload.length);
    send(packet);
  }
}
