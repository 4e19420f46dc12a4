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

/** Use this count in both directions of a session. */
export function correctRollover(session: SrtpSession): void {
  session.localContext.updateRolloverCount = updateRollover;
  session.remoteContext.updateRolloverCount = updateRollover;
}
