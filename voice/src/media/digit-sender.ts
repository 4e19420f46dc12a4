import { MediaError } from "./media-plane.ts";
import { RTP_HEADER_BYTES, writeRtpHeader } from "./rtp/rtp-header.ts";
import type { SendTimeline } from "./rtp/send-timeline.ts";
import type { TrunkSession } from "./sdp/trunk-sdp.ts";
import { type DigitPacket, DigitQueue } from "./audio/digit-queue.ts";
import type { FrameClock } from "./audio/frame-clock.ts";
import { ulawToAlaw } from "./audio/g711.ts";
import { formatOf } from "./audio/format-of.ts";

interface DigitSenderOptions {
  readonly clock: FrameClock;
  readonly timeline: SendTimeline;
  readonly trunk: () => TrunkSession | null;
  readonly send: (packet: Buffer) => void;
}

/** Sends a leg's digits to the far end as events, or as tones if it does not support events. */
export class DigitSender {
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
