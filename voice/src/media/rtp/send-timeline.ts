import { randomInt } from "node:crypto";
import { G711_CLOCK } from "../audio/g711.ts";
import type { RtpClock } from "../audio/audio-format.ts";

/**
 * Gaps of the source up to this many packets are preserved. Longer ones are closed, so that the receiver does not lose its SRTP
 * roll-over counter (RFC 3711 §3.3.1).
 */
const MAX_GAP = 100;

/** A clock that jumps by more within a stream is set right: a browser waits for the time that the packets say. */
const MAX_CLOCK_JUMP_MS = 1_000;

export interface SendPosition {
  readonly sequence: number;
  readonly timestamp: number;
  readonly marker: boolean;
}

/**
 * Sequence numbers and timestamps of a stream that we send. Steps within a source are preserved, so that the receiver sees loss and
 * reordering. Between sources (tones, digits, a new SSRC) the numbers continue without a gap.
 */
export class SendTimeline {
  ssrc = randomInt(1, 0xffff_ffff);
  packets = 0;
  octets = 0;
  #clock: RtpClock;
  #sequence = randomInt(0, 0x8000);
  #timestamp = randomInt(0, 0x8000_0000);
  #sentAtMs: number | null = null;
  #source: number | null = null;
  #sourceSequence = 0;
  #sequenceShift = 0;
  #timestampShift = 0;
  /** Other packets were sent in between: close the gap in sequence numbers, but keep the source's clock. */
  #interrupted = false;
  /** Steps of the source since its last packet that was not sent. */
  #sinceSkipped = Number.POSITIVE_INFINITY;

  constructor(clock: RtpClock = G711_CLOCK) {
    this.#clock = clock;
  }

  /**
   * Starts a new stream for a receiver with new keys. Its first sequence number must be far below the roll-over (RFC 3711 §3.3.1). The
   * counters continue.
   */
  restart(ssrc: number): void {
    this.ssrc = ssrc;
    this.#sequence = randomInt(0, 0x8000);
    this.#source = null;
    this.#interrupted = false;
  }

  /** The stream goes on in a codec with another clock. Its SSRC stays, because the browser was told of one. */
  useClock(clock: RtpClock): void {
    if (clock.ticksPerSecond === this.#clock.ticksPerSecond) return;
    this.#clock = clock;
    this.#source = null;
    this.#interrupted = false;
  }

  /** Whether it is too late for a packet: sequence numbers have closed up behind it, and none may be used twice. */
  isTooLate(source: { ssrc: number; sequence: number }): boolean {
    const step = this.#stepTo(source);
    return step !== null && -step > this.#sinceSkipped;
  }

  /** The position of a source's packet. `nowMs` is monotonic. */
  forward(source: { ssrc: number; sequence: number; timestamp: number; marker: boolean }, nowMs: number): SendPosition {
    const step = this.#stepTo(source);
    const follows = step !== null;
    this.#sinceSkipped = follows ? this.#sinceSkipped + Math.max(0, step) : Number.POSITIVE_INFINITY;
    let marker = source.marker;
    if (!follows) {
      this.#sequenceShift = this.#sequence + 1 - source.sequence;
      this.#timestampShift = this.#nextStart(nowMs) - source.timestamp;
      marker = true;
    } else if (this.#interrupted) {
      this.#sequenceShift = this.#sequence + 1 - source.sequence;
      marker = true;
    }
    if (follows && step > 0 && this.#jumps(source.timestamp, nowMs)) {
      this.#timestampShift = this.#nextStart(nowMs) - source.timestamp;
      marker = true;
    }
    if (!follows || step > 0) this.#sourceSequence = source.sequence;
    this.#source = source.ssrc;
    this.#interrupted = false;
    const sequence = (source.sequence + this.#sequenceShift) & 0xffff;
    const timestamp = (source.timestamp + this.#timestampShift) >>> 0;
    const late = follows && step < 0;
    if (!late) this.#advanceTo(sequence, timestamp, nowMs);
    return { sequence, timestamp, marker };
  }

  /** A packet of the source is not sent, for example comfort noise: it must not look lost. */
  skip(source: { ssrc: number; sequence: number }): void {
    const step = this.#stepTo(source);
    if (step === null || step <= 0) return;
    this.#sourceSequence = source.sequence;
    this.#sequenceShift -= 1;
    this.#sinceSkipped = 0;
  }

  /** The position of the next packet of a tone with 20 ms frames. */
  continue(nowMs: number): SendPosition {
    const first = this.#source !== null || this.#sentAtMs === null;
    const timestamp = first ? this.#nextStart(nowMs) : (this.#timestamp + this.#clock.frameTicks) >>> 0;
    this.#source = null;
    const sequence = (this.#sequence + 1) & 0xffff;
    this.#advanceTo(sequence, timestamp, nowMs);
    return { sequence, timestamp, marker: first };
  }

  /** A sequence number for our own packet between those of the source. */
  insert(): number {
    this.#interrupted = true;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    return this.#sequence;
  }

  /** The source's packets are dropped for now; later ones follow without a gap. */
  pause(): void {
    this.#interrupted = true;
  }

  sent(octets: number): void {
    this.packets += 1;
    this.octets += octets;
  }

  /** The RTP timestamp at `nowMs`, for events (RFC 4733 §2.2.1) and sender reports (RFC 3550 §6.4.1). */
  timestampAt(nowMs: number): number {
    if (this.#sentAtMs === null) return this.#timestamp;
    return (this.#timestamp + Math.round(this.#ticks(nowMs - this.#sentAtMs))) >>> 0;
  }

  /** From the source's newest packet; null for another source or a jump. */
  #stepTo(source: { ssrc: number; sequence: number }): number | null {
    const step = ((source.sequence - this.#sourceSequence) << 16) >> 16;
    return this.#source === source.ssrc && Math.abs(step) <= MAX_GAP ? step : null;
  }

  #jumps(timestamp: number, nowMs: number): boolean {
    const ahead = (timestamp + this.#timestampShift - this.timestampAt(nowMs)) | 0;
    return Math.abs(ahead) > this.#ticks(MAX_CLOCK_JUMP_MS);
  }

  /** The timestamp for a new source: in whole frames, and after the last packet. */
  #nextStart(nowMs: number): number {
    if (this.#sentAtMs === null) return this.#timestamp;
    const { frameTicks } = this.#clock;
    const frames = Math.max(1, Math.round(this.#ticks(nowMs - this.#sentAtMs) / frameTicks));
    return (this.#timestamp + frames * frameTicks) >>> 0;
  }

  #ticks(ms: number): number {
    return (ms * this.#clock.ticksPerSecond) / 1_000;
  }

  #advanceTo(sequence: number, timestamp: number, nowMs: number): void {
    this.#sequence = sequence;
    this.#timestamp = timestamp;
    this.#sentAtMs = nowMs;
  }
}
