import type { App } from "../platform/http/http.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import type { CallContext } from "./call-context.ts";
import { callerIdRoutes } from "./caller-id/caller-id-routes.ts";
import { cleanCallerNumbers } from "./caller-id/change-caller-id.ts";
import { customerRoutes, providerRoutes, quoteRoutes } from "./call-routes.ts";
import { detailsRoutes } from "./details/details-routes.ts";
import { cutCalls } from "./live/cut-calls.ts";
import { extendByCredit } from "./live/extend-call.ts";
import { hangUpLeftCalls } from "./live/leave-call.ts";
import { historyRoutes } from "./history/history-routes.ts";
import { createIssueVoiceToken } from "./provider/issue-voice-token.ts";
import { liveCallRoutes } from "./live/live-call-routes.ts";
import { createParkingCheck } from "./provider/parking-check.ts";
import { sweepCalls } from "./settle/sweep-calls.ts";
import { warnOfEnd } from "./live/warn-of-end.ts";

export { createCallContext } from "./call-context.ts";
export type { CallDependencies } from "./call-dependencies.ts";
export { blockCallerNumber, unblockCallerNumber } from "./caller-id/dispute-number.ts";
export { endCallAccess } from "./live/end-call-access.ts";
export { decideRefund, openRefundRequests, type OpenRefundRequest } from "./details/decide-refund.ts";
export { runningCharge } from "./live/running-charge.ts";
export { createTelnyx } from "./provider/telnyx-client.ts";

const SWEEP_EVERY_MS = 5_000;
const CLEAN_EVERY_MS = 60_000;
const WARN_EVERY_MS = 1_000;
const LEFT_EVERY_MS = 1_000;

/** Everything about calls under `/api/calls`, and the voice provider's webhook `POST /api/webhooks/telnyx`. */
export function callRoutes(app: App, m: CallContext): void {
  const parking = createParkingCheck(m);
  liveCallRoutes(app, m);
  callerIdRoutes(app, m);
  customerRoutes(app, m, createIssueVoiceToken(m, parking));
  quoteRoutes(app, m);
  historyRoutes(app, m);
  detailsRoutes(app, m);
  providerRoutes(app, m);
  // New credit may extend a running call. The sweeper catches missed signals.
  const stopListening = m.live.onPublished((customerId, hint) => {
    if (hint.type !== "balance") return;
    extendByCredit(m, customerId).catch((error: unknown) =>
      m.log.warn({ err: error, customer: customerId }, "a running call could not be extended"),
    );
  });
  app.addHook("onClose", async () => {
    stopListening();
  });
  // Logs a wrong setting at the provider at the start instead of the first call, without delaying the start.
  app.addHook("onListen", async () => {
    parking.isOn().catch((error: unknown) => m.log.error({ err: error }, "the voice connection could not be checked"));
  });
}

/** The calls' jobs: the sweeper, warnings before a call is cut, and hanging up calls whose page has left. */
export function callJobs(m: CallContext): Job[] {
  return [
    {
      name: "sweep-calls",
      everyMs: SWEEP_EVERY_MS,
      run: async (signal) => {
        await cutCalls(m, signal);
        await sweepCalls(m, signal);
      },
    },
    { name: "clean-caller-numbers", everyMs: CLEAN_EVERY_MS, run: (signal) => cleanCallerNumbers(m, signal) },
    { name: "warn-of-end", everyMs: WARN_EVERY_MS, run: () => warnOfEnd(m) },
    { name: "hang-up-left-calls", everyMs: LEFT_EVERY_MS, run: (signal) => hangUpLeftCalls(m, signal) },
  ];
}
