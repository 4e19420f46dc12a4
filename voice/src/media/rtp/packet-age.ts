import { G711_CLOCK } from "../audio/g711.ts";
import type { RtpClock } from "../audio/audio-format.ts";

/** Clocks drift by less than a millisecond in this time. */
const WINDOW_MS = 5_000;

/** How late packets of a stream arrive, relative to the fastest of the last seconds. */
export class PacketAge {
  #ticksPerMs: number;
  #ssrc: number | null = null;
  #origin = 0;
  #lowest = 0;
  #lowestBefore = 0;
  #windowAtMs = 0;

  constructor({ ticksPerSecond }: RtpClock = G711_CLOCK) {
    this.#ticksPerMs = ticksPerSecond / 1_000;
  }

  /** The stream goes on in a codec with another clock. */
  useClock({ ticksPerSecond }: RtpClock): void {
    if (ticksPerSecond / 1_000 === this.#ticksPerMs) return;
    this.#ticksPerMs = ticksPerSecond / 1_000;
    this.#ssrc = null;
  }

  /** Milliseconds; `nowMs` is monotonic. */
  of(packet: { ssrc: number; timestamp: number }, nowMs: number): number {
    const transit = Math.round(nowMs * this.#ticksPerMs) - packet.timestamp;
    if (packet.ssrc !== this.#ssrc) {
      this.#ssrc = packet.ssrc;
      this.#origin = transit;
      this.#lowest = this.#lowestBefore = 0;
      this.#windowAtMs = nowMs;
    }
    const ticks = (transit - this.#origin) | 0;
    if (nowMs - this.#windowAtMs > WINDOW_MS) {
      this.#lowestBefore = this.#lowest;
      this.#lowest = ticks;
      this.#windowAtMs = nowMs;
    }
    this.#lowest = Math.min(this.#lowest, ticks);
    return (ticks - Math.min(this.#lowest, this.#lowestBefore)) / this.#ticksPerMs;
  }
}
