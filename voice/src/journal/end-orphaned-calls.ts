import type { Logger } from "pino";
import type { CallEvent } from "../calls/call-event.ts";
import type { FarNetwork } from "../sip/trunk.ts";
import { endExchangeLost } from "../calls/hangup-causes.ts";
import type { Journal } from "./journal.ts";

/**
 * Ends the calls of a killed exchange: hangs up their far ends and reports their ends. They count as heard until the exchange's last
 * sign of life.
 */
export function endOrphanedCalls(
  { crashState }: Pick<Journal, "crashState">,
  { network, emit, log }: { network: FarNetwork; emit: (event: CallEvent) => void; log: Logger },
): void {
  if (crashState.legs.length > 0) log.warn({ legs: crashState.legs.length }, "ending orphaned calls");
  for (const leg of crashState.legs) {
    const at = new Date(Math.max(crashState.aliveAt.getTime(), leg.answeredAt?.getTime() ?? 0));
    Object.assign(leg, { state: "hangup", endedAt: at, heardUntil: at, end: endExchangeLost });
    if (leg.dialog !== null)
      network
        .endDialog(leg.dialog)
        .catch((error: unknown) => log.error({ err: error, session: leg.sessionId }, "far end of an orphaned call not hung up"));
    emit({ type: "call.hangup", leg, at, stats: null });
    // The carrier charges its leg until now.
    const now = new Date();
    if (leg.side === "far") emit({ type: "call.cost", leg: { ...leg, endedAt: now }, at: now });
  }
}
