import type { Logger } from "pino";
import type { CallEvent } from "../calls/call-event.ts";
import type { FarNetwork } from "../sip/trunk.ts";
import { endExchangeLost } from "../calls/hangup-causes.ts";
import type { Journal } from "./journal.ts";

/**
 * Ends the calls that a killed exchange left behind: their far ends are hung up, and the service hears of the end, with the last proof of
 * life as the moment until which anybody was heard.
 */
export function endOrphanedCalls(
  { crashState }: Pick<Journal, "crashState">,
  { network, emit, log }: { network: FarNetwork; emit: (event: CallEvent) => void; log: Logger },
): void {
  if (crashState.legs.length > 0) log.warn({ legs: crashState.legs.length }, "ending calls of before the restart");
  for (const leg of crashState.legs) {
    const at = new Date(Math.max(crashState.aliveAt.getTime(), leg.answeredAt?.getTime() ?? 0));
    Object.assign(leg, { state: "hangup", endedAt: at, heardUntil: at, end: endExchangeLost });
    if (leg.dialog !== null)
      network
        .endDialog(leg.dialog)
        .catch((error: unknown) =>
          log.error({ err: error, session: leg.sessionId }, "far end of before the restart not hung up"),
        );
    emit({ type: "call.hangup", leg, at, stats: null });
    // The carrier's leg went on until now, and is paid for.
    const now = new Date();
    if (leg.side === "far") emit({ type: "call.cost", leg: { ...leg, endedAt: now }, at: now });
  }
}
