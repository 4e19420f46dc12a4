import { dropOldest } from "../../drop-oldest.ts";

/** Packets; at least 64. A packet that comes later than this is of no use in a conversation. */
const WINDOW = 128;
/** A browser has one source of audio at a time. */
const MAX_SOURCES = 16;

interface Received {
  highest: number;
  /** Bit n: the packet n before the highest. */
  seen: bigint;
}

/** Recognises repeated packets (RFC 3711 §3.3.2). Only authenticated packets may be added. */
export class ReplayList {
  readonly #sources = new Map<number, Received>();

  /** Adds a packet. False if it was added before, or is too old to tell. */
  add(ssrc: number, index: number): boolean {
    const received = this.#sources.get(ssrc);
    if (received === undefined) {
      this.#sources.set(ssrc, { highest: index, seen: 1n });
      dropOldest(this.#sources, MAX_SOURCES);
      return true;
    }
    const behind = received.highest - index;
    if (behind >= WINDOW) return false;
    if (behind < 0) {
      received.seen = BigInt.asUintN(WINDOW, received.seen << BigInt(Math.min(-behind, WINDOW)));
      received.highest = index;
    }
    const bit = 1n << BigInt(Math.max(behind, 0));
    const isNew = (received.seen & bit) === 0n;
    received.seen |= bit;
    return isNew;
  }
}
