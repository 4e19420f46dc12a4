import { LIVE_HEARTBEAT_MS } from "@farline/contract/constants.ts";
import { actingAs, type Context } from "../../context.ts";
import { operatorOf, admitOperator, consoleToken } from "../../operator/operator.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { readTrafficReport } from "../metrics/traffic-report.ts";
import { readCallForOperator } from "./read-call-for-operator.ts";
import { liveSnapshots, readLiveCalls } from "./read-live-calls.ts";
import { HintStream } from "../../live/live.ts";
import { AppError } from "../../platform/app-error.ts";
import { tooOften } from "../../platform/http/rate-limit.ts";
import { RateLimitedLog } from "../../platform/rate-limited-log.ts";

const TELL_EVERY_MS = 1_000;
/** A browser shares one connection between its tabs. */
const MAX_STREAMS = 1_000;
const RETRY_AFTER_SECONDS = 60;

/** `/api/operator/calls` and `/api/operator/traffic`. */
export function operatorCallRoutes(app: App, ctx: Context): void {
  operatorEventRoute(app, ctx);

  const live = liveSnapshots(ctx);
  serve(app, "GET /api/operator/calls/live", (request) => readLiveCalls(actingAs(ctx, operatorOf(request)), request.query, live));

  serve(app, "GET /api/operator/calls/:id", (request) =>
    readCallForOperator(actingAs(ctx, operatorOf(request)), { call: request.params.id }),
  );

  serve(app, "GET /api/operator/traffic", ({ query }) => readTrafficReport(ctx, query));
}

/** `GET /api/operator/events`: that calls changed, at most once a second, until the session ends or the service stops. */
function operatorEventRoute(app: App, ctx: Context): void {
  const streams = new Set<HintStream>();
  // In an outage, the session checks of all open pages fail.
  const limitedLog = new RateLimitedLog(ctx.log);
  let waiting: NodeJS.Timeout | null = null;
  const tell = () => {
    waiting = null;
    for (const stream of streams) stream.tell({ type: "calls" });
  };
  const unsubscribe = ctx.live.subscribeToAll(({ type }) => {
    if (streams.size > 0 && (type === "call" || type === "ready")) waiting ??= setTimeout(tell, TELL_EVERY_MS);
  });

  serve(app, "GET /api/operator/events", async (request, reply) => {
    if (streams.size >= MAX_STREAMS) throw tooOften(RETRY_AFTER_SECONDS, "pages_open");
    const stream = new HintStream();
    streams.add(stream);
    const heartbeat = setInterval(() => beat(ctx, limitedLog, { stream, token: consoleToken(request) }), LIVE_HEARTBEAT_MS);
    stream.once("close", () => {
      clearInterval(heartbeat);
      streams.delete(stream);
    });
    stream.tell({ type: "ready" });
    void reply.headers({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    return reply.send(stream);
  });

  app.addHook("preClose", async () => {
    unsubscribe();
    if (waiting !== null) clearTimeout(waiting);
    for (const stream of streams) stream.destroy();
  });
}

/** Keeps the connection alive, but not the session: the connection ends with it. */
function beat(ctx: Context, log: RateLimitedLog, { stream, token }: { stream: HintStream; token: string | null }): void {
  stream.beat();
  admitOperator(ctx, { token, kind: "console", right: "read-customers", unattended: true }).catch((error: unknown) => {
    if (error instanceof AppError) stream.destroy();
    else log.warn({ err: error }, "session of a live connection could not be checked");
  });
}
