import { randomInt } from "node:crypto";
import { G711_CLOCK } from "../audio/g711.ts";
import type { RtpClock } from "../audio/audio-format.ts";

/**
 * A gap of the source up to this many packets is passed on as it is. Longer ones begin a new stretch: the SRTP roll-over counter of
 * the receiver (RFC 3711 §3.3.1) could otherwise be lost.
 */
const LONGEST_GAP = 100;

export interface SendPosition {
  readonly sequence: number;
  readonly timestamp: number;
  readonly marker: boolean;
}

/**
 * Sequence numbers and timestamps of one stream that we send. A source's steps between packets are kept, so that loss and reordering on
 * its way to us stay visible to the receiver; between sources (tones, digits, a new SSRC) the numbers go on without a hole.
 */
export class SendTimeline {
  /** The one our SDP announces, where it announces one. */
  ssrc = randomInt(1, 0xffff_ffff);
  packets = 0;
  octets = 0;
  readonly #clock: RtpClock;
  #sequence = randomInt(0, 0x8000);
  #timestamp = randomInt(0, 0x8000_0000);
  #sentAtMs: number | null = null;
  #source: number | null = null;
  #sourceSequence = 0;
  #sequenceShift = 0;
  #timestampShift = 0;
  /** Own packets were put in: sequence numbers must be joined again, the source's clock still holds. */
  #interrupted = false;

  constructor(clock: RtpClock = G711_CLOCK) {
    this.#clock = clock;
  }

  /**
   * Begins a stream of its own for a receiver with new keys, who must see its first number far below the roll-over
   * (RFC 3711 §3.3.1). The counters go on.
   */
  restart(ssrc: number): void {
    this.ssrc = ssrc;
    this.#sequence = randomInt(0, 0x8000);
    this.#source = null;
    this.#interrupted = false;
  }

  /** Where a packet of a source goes. `nowMs` is monotonic. */
  forward(source: { ssrc: number; sequence: number; timestamp: number; marker: boolean }, nowMs: number): SendPosition {
    const step = ((source.sequence - this.#sourceSequence) << 16) >> 16;
    const follows = this.#source === source.ssrc && step <= LONGEST_GAP && step >= -LONGEST_GAP;
    let marker = source.marker;
    if (!follows) {
      this.#sequenceShift = this.#sequence + 1 - source.sequence;
      this.#timestampShift = this.#nextStart(nowMs) - source.timestamp;
      marker = true;
    } else if (this.#interrupted) {
      this.#sequenceShift = this.#sequence + 1 - source.sequence;
      marker = true;
    }
    if (!follows || step > 0) this.#sourceSequence = source.sequence;
    this.#source = source.ssrc;
    this.#interrupted = false;
    const sequence = (source.sequence + this.#sequenceShift) & 0xffff;
    const timestamp = (source.timestamp + this.#timestampShift) >>> 0;
    const late = follows && step < 0;
    if (!late) this.#moveTo(sequence, timestamp, nowMs);
    return { sequence, timestamp, marker };
  }

  /** The next packet of a tone of ours that comes every 20 ms. */
  continue(nowMs: number): SendPosition {
    const first = this.#source !== null || this.#sentAtMs === null;
    const timestamp = first ? this.#nextStart(nowMs) : (this.#timestamp + this.#clock.frameTicks) >>> 0;
    this.#source = null;
    const sequence = (this.#sequence + 1) & 0xffff;
    this.#moveTo(sequence, timestamp, nowMs);
    return { sequence, timestamp, marker: first };
  }

  /** Sequence number for a packet of ours between those of the source, whose clock goes on meanwhile. */
  insert(): number {
    this.#interrupted = true;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    return this.#sequence;
  }

  /** The source's packets are not sent for now: those that come later follow without a hole. */
  pause(): void {
    this.#interrupted = true;
  }

  sent(octets: number): void {
    this.packets += 1;
    this.octets += octets;
  }

  /** RTP time that belongs to `nowMs`: for events (RFC 4733 §2.2.1) and sender reports (RFC 3550 §6.4.1). */
  timestampAt(nowMs: number): number {
    if (this.#sentAtMs === null) return this.#timestamp;
    return (this.#timestamp + Math.round(this.#ticks(nowMs - this.#sentAtMs))) >>> 0;
  }

  /** The same in whole frames and always after the last packet: where something new begins. */
  #nextStart(nowMs: number): number {
    if (this.#sentAtMs === null) return this.#timestamp;
    const { frameTicks } = this.#clock;
    const frames = Math.max(1, Math.round(this.#ticks(nowMs - this.#sentAtMs) / frameTicks));
    return (this.#timestamp + frames * frameTicks) >>> 0;
  }

  #ticks(ms: number): number {
    return (ms * this.#clock.ticksPerSecond) / 1_000;
  }

  #moveTo(sequence: number, timestamp: number, nowMs: number): void {
    this.#sequence = sequence;
    this.#timestamp = timestamp;
    this.#sentAtMs = nowMs;
  }
}
