import { G711_CLOCK } from "../audio/g711.ts";
import type { RtpClock } from "../audio/audio-format.ts";
import type { StreamStats } from "../media-plane.ts";

/** A larger jump is a restarted source, not loss (RFC 3550 A.1, stricter). */
const MAX_JUMP = 1_000;

interface ReceptionReport {
  readonly ssrc: number;
  /** 0 to 255, since the last report. */
  readonly fractionLost: number;
  readonly packetsLost: number;
  readonly highestSequence: number;
  /** In timestamp units. */
  readonly jitter: number;
}

/** Loss and jitter of a received stream (RFC 3550 appendices A.1, A.3 and A.8). */
export class ReceiveCounters {
  #ticksPerSecond: number;
  #packets = 0;
  #bytes = 0;
  #lostBefore = 0;
  #ssrc: number | null = null;
  #base = 0;
  #highest = 0;
  #received = 0;
  #transit: number | null = null;
  #jitter = 0;
  #reportedExpected = 0;
  #reportedReceived = 0;

  constructor({ ticksPerSecond }: RtpClock = G711_CLOCK) {
    this.#ticksPerSecond = ticksPerSecond;
  }

  /** The source continues in a codec with another clock rate. */
  useClock({ ticksPerSecond }: RtpClock): void {
    if (ticksPerSecond === this.#ticksPerSecond) return;
    this.#jitter *= ticksPerSecond / this.#ticksPerSecond;
    this.#transit = null;
    this.#ticksPerSecond = ticksPerSecond;
  }

  /** `nowMs` is monotonic. */
  count(packet: { ssrc: number; sequence: number; timestamp: number; payload: Buffer }, nowMs: number): void {
    this.#packets += 1;
    this.#bytes += packet.payload.length;
    this.#receive(packet);
    this.#measureJitter(packet.timestamp, nowMs);
  }

  /** Counts a packet of the stream that is not audio, such as a digit or comfort noise: it is not lost. */
  countOther(packet: { ssrc: number; sequence: number }): void {
    if (packet.ssrc === this.#ssrc) this.#receive(packet);
  }

  get ssrc(): number | null {
    return this.#ssrc;
  }

  get stats(): StreamStats {
    return {
      packets: this.#packets,
      bytes: this.#bytes,
      lost: this.#lostBefore + this.#lost(),
      jitterMs: Math.round((this.#jitter * 100_000) / this.#ticksPerSecond) / 100,
    };
  }

  /** The report block for our next RTCP report; null before the first packet. */
  report(): ReceptionReport | null {
    if (this.#ssrc === null) return null;
    const expected = this.#expected();
    const expectedNow = expected - this.#reportedExpected;
    const lostNow = Math.max(0, expectedNow - (this.#received - this.#reportedReceived));
    this.#reportedExpected = expected;
    this.#reportedReceived = this.#received;
    return {
      ssrc: this.#ssrc,
      fractionLost: expectedNow > 0 ? Math.min(255, Math.floor((lostNow * 256) / expectedNow)) : 0,
      packetsLost: Math.min(this.#lost(), 0x7fffff),
      highestSequence: this.#highest >>> 0,
      jitter: Math.floor(this.#jitter),
    };
  }

  #receive(packet: { ssrc: number; sequence: number }): void {
    const step = ((packet.sequence - this.#highest) << 16) >> 16;
    if (packet.ssrc !== this.#ssrc || step > MAX_JUMP || step < -MAX_JUMP) this.#begin(packet);
    else if (step > 0) this.#highest += step;
    this.#received += 1;
  }

  #begin(packet: { ssrc: number; sequence: number }): void {
    this.#lostBefore += this.#lost();
    this.#ssrc = packet.ssrc;
    this.#base = packet.sequence;
    this.#highest = packet.sequence;
    this.#received = 0;
    this.#transit = null;
    this.#reportedExpected = 0;
    this.#reportedReceived = 0;
  }

  #expected(): number {
    return this.#highest - this.#base + 1;
  }

  #lost(): number {
    return this.#ssrc === null ? 0 : Math.max(0, this.#expected() - this.#received);
  }

  #measureJitter(timestamp: number, nowMs: number): void {
    const transit = Math.round((nowMs * this.#ticksPerSecond) / 1_000) - timestamp;
    if (this.#transit !== null) {
      const difference = Math.abs((transit - this.#transit) | 0);
      // A gap after silence or a clock jump is not jitter.
      if (difference < this.#ticksPerSecond) this.#jitter += (difference - this.#jitter) / 16;
    }
    this.#transit = transit;
  }
}
