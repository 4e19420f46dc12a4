import { createSecretKey } from "node:crypto";
import type { SrtpSession } from "werift";

interface RolloverState {
  rolloverCounter: number;
  rolloverHasProcessed?: boolean;
  lastSequenceNumber: number;
}

/**
 * Counts wraps of the 16-bit sequence number (RFC 3711 §3.3.1 and appendix A). werift's own count is lost for good, and all audio with
 * it, if more than 100 packets are lost around a wrap.
 */
export function updateRollover(sequence: number, state: RolloverState): void {
  if (state.rolloverHasProcessed !== true) {
    state.rolloverHasProcessed = true;
    state.lastSequenceNumber = sequence;
    return;
  }
  const step = ((sequence - state.lastSequenceNumber) << 16) >> 16;
  if (step > 0 && sequence < state.lastSequenceNumber) state.rolloverCounter += 1;
  if (step < 0 && sequence > state.lastSequenceNumber && state.rolloverCounter > 0) state.rolloverCounter -= 1;
  state.lastSequenceNumber = sequence;
}

/** Replaces werift's roll-over count, and imports the keys once instead of for every packet. */
export function prepareSession(session: SrtpSession): void {
  for (const context of [session.localContext, session.remoteContext]) {
    context.updateRolloverCount = updateRollover;
    // Node's ciphers accept both; a key object is three to four times as fast.
    context.cipher.srtpSessionKey = createSecretKey(context.cipher.srtpSessionKey) as unknown as Buffer;
  }
}
