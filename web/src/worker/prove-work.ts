import type { RobotChallenge } from "@farline/contract/robot-check.ts";
import { sha256 } from "@noble/hashes/sha2.js";

const SEED_BYTES = 32;
const MAX_COUNTER = 2 ** 32 - 1;

/**
 * Finds the counters that solve a challenge (`contract/src/robot-check.ts`). `crypto.subtle` is asynchronous, and many times
 * slower for messages this short.
 * @throws RangeError when there is no such counter, which cannot happen at the service's difficulty
 */
export function proveWork({ token, proofs, bits }: Pick<RobotChallenge, "token" | "proofs" | "bits">): number[] {
  const message = new Uint8Array(SEED_BYTES + 5);
  message.set(sha256(new TextEncoder().encode(token)));
  const view = new DataView(message.buffer);
  return Array.from({ length: proofs }, (_, index) => {
    view.setUint8(SEED_BYTES, index);
    for (let counter = 0; counter <= MAX_COUNTER; counter++) {
      view.setUint32(SEED_BYTES + 1, counter);
      if (leadingZeros(sha256(message)) >= bits) return counter;
    }
    throw new RangeError("This challenge has no solution.");
  });
}

/** Counts only the first 32 bits. */
function leadingZeros(digest: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = digest;
  return Math.clz32((a << 24) | (b << 16) | (c << 8) | d);
}
