import { createSecretKey } from "node:crypto";
import type { SrtpSession } from "werift";

interface RolloverState {
  rolloverCounter: number;
  rolloverHasProcessed?: boolean;
  lastSequenceNumber: number;
}

/**
 * Counts how often the 16-bit sequence number has wrapped, RFC 3711 §3.3.1 and appendix A: the index nearest to the highest one seen.
 * The library's own count is lost for good, and with it all audio, when more than 100 packets go missing around a wrap.
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

/** Fits a session of the library for hours of sound: the count above, and keys that Node need not import again for every packet. */
export function prepareSession(session: SrtpSession): void {
  for (const context of [session.localContext, session.remoteContext]) {
    context.updateRolloverCount = updateRollover;
    // Every use takes either; a key object makes a packet three to four times as fast.
    context.cipher.srtpSessionKey = createSecretKey(context.cipher.srtpSessionKey) as unknown as Buffer;
  }
}
