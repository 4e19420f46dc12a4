import { trafficMetrics, sumCallHours } from "./metrics/call-metrics.ts";
import { makeQualityReport } from "./metrics/quality-report.ts";
import type { Metric } from "../platform/metric.ts";
import type { App } from "../platform/http/http.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { actingAs } from "../context.ts";
import type { CallContext } from "./call-context.ts";
import { callerIdRoutes } from "./caller-id/caller-id-routes.ts";
import { cleanCallerNumbers } from "./caller-id/change-caller-id.ts";
import { customerRoutes, initiateRoute, providerRoutes, quoteRoutes } from "./call-routes.ts";
import { detailsRoutes } from "./details/details-routes.ts";
import { cutCalls, endDueCalls, warnOfEnd } from "./live/cut-calls.ts";
import { extendByCredit } from "./live/extend-call.ts";
import { hangUpLeftCalls } from "./live/end-call.ts";
import { historyRoutes } from "./history/history-routes.ts";
import { createIssueVoiceToken, removeCredentials } from "./credentials/issue-voice-token.ts";
import { liveCallRoutes } from "./live/live-call-routes.ts";
import { endUnknownLegs, sweepCalls } from "./settle/sweep-calls.ts";
import { operatorCallRoutes } from "./operate/operator-call-routes.ts";

export { createCallContext, type CallContext } from "./call-context.ts";
export { callerNumberVerbs } from "./caller-id/dispute-number.ts";
export { readOwnLimits } from "./guard-rails/change-guard-rails.ts";
export { removeAllNumbers } from "./caller-id/caller-number.store.ts";
export { callsCsv } from "./history/export-calls.ts";
export { PublishedQuality, qualityRoutes } from "./metrics/quality-report.ts";
export { judgeCalls } from "./metrics/call-metrics.ts";
export {
  countLiveByTrunk,
  hasCalls,
  readSummedAttempts,
  readTrunkMetrics,
  type TrunkMetrics,
} from "./metrics/call-metrics.store.ts";
export { readTurnoverHours, readZone, sumTurnover } from "./metrics/traffic-report.ts";
export type { TrunkState } from "./provider/trunk-watch.ts";
export { readTraffic, type PrefixTraffic } from "./history/history.store.ts";
export { endCallAccess } from "./live/cut-calls.ts";
export { PERSONAL_CALL_COLUMNS } from "./record/call-columns.ts";
export { findSessionsInCall } from "./record/call.store.ts";
export { callRefundVerbs } from "./details/decide-refund.ts";
export { hangUpVerbs, exchangeVerbs } from "./operate/end-calls.ts";
export { sumLiveCalls } from "./operate/read-live-calls.ts";
export { readCallForOperator } from "./operate/read-call-for-operator.ts";
export { recoverCalls, type RecoveredCalls, type VoiceRecords } from "./recovery/recover-calls.ts";
export { runningCharge } from "./live/extend-call.ts";
export { checkAccount } from "./provider-account/watch-account.ts";
export { setUpAccount, type SetUpReport } from "./provider-account/set-up-account.ts";
export { readSoldDestinations, webhookUrlOf, type AccountRequirements } from "./provider-account/account-requirements.ts";
export { createTelnyx } from "./provider/telnyx-client.ts";

const SWEEP_EVERY_MS = 5_000;
const COMPARE_EVERY_MS = 30_000;
/** Calls and credentials of an ended session end within seconds. */
const CUT_EVERY_MS = 1_000;
const CLEAN_EVERY_MS = 60_000;
const SUM_EVERY_MS = 60_000;
const WARN_EVERY_MS = 1_000;
const END_EVERY_MS = 500;
const LEFT_EVERY_MS = 1_000;
const REPORT_EVERY_MS = 5 * 60_000;

/** Routes under `/api/calls`, and the voice provider's webhook `POST /api/webhooks/telnyx`. */
export function callRoutes(app: App, ctx: CallContext): void {
  liveCallRoutes(app, ctx);
  callerIdRoutes(app, ctx);
  customerRoutes(app, ctx, createIssueVoiceToken(ctx));
  initiateRoute(app, ctx);
  quoteRoutes(app, ctx);
  historyRoutes(app, ctx);
  detailsRoutes(app, ctx);
  operatorCallRoutes(app, ctx);
  providerRoutes(app, actingAs(ctx, { kind: "provider" }));
  // New credit may extend a running call. The sweeper catches missed hints.
  const stopListening = ctx.live.onPublished((customerId, hint) => {
    if (hint.type !== "balance") return;
    extendByCredit(ctx, customerId).catch((error: unknown) =>
      ctx.log.warn({ err: error, customer: customerId }, "a running call could not be extended"),
    );
  });
  app.addHook("onClose", async () => {
    stopListening();
    ctx.account.stop();
    ctx.trunks.stop();
    ctx.certificates.stop();
    await ctx.earlyLegs.settled();
  });
  // Logs wrong provider settings at start-up instead of at the first call, without delaying the start.
  app.addHook("onListen", async () => {
    ctx.account.start();
    ctx.trunks.start();
    ctx.certificates.start();
  });
}

/** Metrics for monitoring. */
export function callMetrics(ctx: CallContext): Metric[] {
  return [ctx.account.metric, ...ctx.trunks.metrics, ctx.certificates.metric, ...trafficMetrics(ctx)];
}

/** The calls' jobs: cutting calls, the sweeper, warnings before a call is cut, cutting it, hanging up calls whose page has left, and the report of each day. */
export function callJobs(ctx: CallContext): Job[] {
  return [
    { name: "cut-calls", everyMs: CUT_EVERY_MS, runsWhileClosed: true, run: (signal) => cutCalls(ctx, signal) },
    // Not while closed: the events that a restored database lacks come first, or calls would be settled without them.
    { name: "sweep-calls", everyMs: SWEEP_EVERY_MS, shared: true, run: (signal) => sweepCalls(ctx, signal) },
    { name: "end-unknown-legs", everyMs: COMPARE_EVERY_MS, runsWhileClosed: true, run: (signal) => endUnknownLegs(ctx, signal) },
    {
      name: "remove-credentials",
      everyMs: CUT_EVERY_MS,
      runsWhileClosed: true,
      run: (signal) => removeCredentials(ctx, signal),
    },
    { name: "clean-caller-numbers", everyMs: CLEAN_EVERY_MS, run: (signal) => cleanCallerNumbers(ctx, signal) },
    { name: "end-due-calls", everyMs: END_EVERY_MS, runsWhileClosed: true, run: (signal) => endDueCalls(ctx, signal) },
    { name: "sum-call-hours", everyMs: SUM_EVERY_MS, run: (signal) => sumCallHours(ctx, signal) },
    { name: "warn-of-end", everyMs: WARN_EVERY_MS, run: () => warnOfEnd(ctx) },
    { name: "hang-up-left-calls", everyMs: LEFT_EVERY_MS, runsWhileClosed: true, run: (signal) => hangUpLeftCalls(ctx, signal) },
    { name: "make-quality-report", everyMs: REPORT_EVERY_MS, run: () => makeQualityReport(ctx) },
  ];
}
