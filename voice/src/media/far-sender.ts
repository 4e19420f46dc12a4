import type { AudioFormat } from "./audio/audio-format.ts";
import { formatOf } from "./audio/format-of.ts";
import type { FrameClock } from "./audio/frame-clock.ts";
import { ulawToAlaw } from "./audio/g711.ts";
import { OpusToG711 } from "./audio/opus-to-g711.ts";
import { DigitSender } from "./digit-sender.ts";
import { type ReceivedRtp, RTP_HEADER_BYTES, writeRtpHeader } from "./rtp/rtp-header.ts";
import { SendTimeline } from "./rtp/send-timeline.ts";
import type { TrunkSession } from "./sdp/trunk-sdp.ts";

interface FarSenderOptions {
  /** What the caller sends. */
  readonly format: AudioFormat;
  readonly clock: FrameClock;
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
