import { Readable } from "node:stream";
import { LIVE_HEARTBEAT_MS } from "@farline/contract/constants.ts";
import type { LiveHint } from "@farline/contract/events.ts";
import type { FastifyRequest } from "fastify";
import type { OperatorHint } from "@farline/contract/operator/live-calls.ts";
import { findValidSessions, sessionOf } from "../accounts/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import { RateLimitedLog } from "../platform/rate-limited-log.ts";
import { tooOften } from "../platform/http/rate-limit.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import type { ServiceContext } from "../context.ts";

/** Connections per customer. A browser shares one between its tabs. */
const MAX_PER_CUSTOMER = 8;

const MAX_TOTAL = 20_000;

const RETRY_AFTER_SECONDS = 60;

/** How soon a stream ends after its session. One query for all streams. */
const CHECK_SESSIONS_MS = 2_000;

/** Unread bytes after which a page has stopped reading. */
const MAX_BUFFERED_BYTES = 32 * 1024;

/** `GET /api/events`: the caller's hints until they disconnect, their session ends or the service stops. */
export function liveRoutes(app: App, ctx: ServiceContext): void {
  const open = new Map<string, Map<HintStream, string>>();
  let openInAll = 0;
  // In an outage, the session checks of all open pages fail.
  const limitedLog = new RateLimitedLog(ctx.log);

  serve(app, "GET /api/events", async (request, reply) => {
    const customer = sessionOf(request);
    const own = open.get(customer.id) ?? new Map<HintStream, string>();
    if (own.size >= MAX_PER_CUSTOMER || openInAll >= MAX_TOTAL) throw tooOften(RETRY_AFTER_SECONDS, "pages_open");
    const stream = new HintStream();
    open.set(customer.id, own.set(stream, customer.sessionId));
    openInAll += 1;
    const unsubscribe = ctx.live.subscribe(customer.id, (hint) => stream.tell(hint));
    const heartbeat = setInterval(() => beat(ctx, limitedLog, { request, stream }), LIVE_HEARTBEAT_MS);
    stream.once("close", () => {
      clearInterval(heartbeat);
      unsubscribe();
      own.delete(stream);
      openInAll -= 1;
      if (own.size === 0) open.delete(customer.id);
    });
    stream.tell({ type: "ready" } satisfies LiveHint);
    void reply.headers({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    return reply.send(stream);
  });

  const endEnded = async () => {
    if (openInAll === 0) return;
    const streams = [...open.values()].flatMap((own) => [...own]);
    const valid = await findValidSessions(ctx.handle.db, { ids: streams.map(([, id]) => id), now: ctx.clock.now() });
    for (const [stream, id] of streams) if (!valid.has(id)) stream.destroy();
  };
  // oxlint-disable-next-line farline/bounded-timers -- ends with the app
  const checking = setInterval(() => {
    endEnded().catch((error: unknown) => limitedLog.warn({ err: error }, "sessions of live connections could not be checked"));
  }, CHECK_SESSIONS_MS);
  app.addHook("preClose", async () => {
    clearInterval(checking);
    for (const streams of open.values()) for (const stream of streams.keys()) stream.destroy();
  });
}

/** Keeps the connection and its session alive, and ends it if the session is used in another browser. */
function beat({ authenticate }: ServiceContext, log: RateLimitedLog, at: { request: FastifyRequest; stream: HintStream }): void {
  at.stream.beat();
  authenticate(at.request).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "unauthenticated") at.stream.destroy();
    else log.warn({ err: error }, "session of a live connection could not be checked");
  });
}

/** Hints as server-sent events (WHATWG HTML §9.2). A reader that does not keep up is disconnected. */
export class HintStream extends Readable {
  constructor() {
    super({ highWaterMark: MAX_BUFFERED_BYTES });
  }

  override _read(): void {
    // Written with the first event.
  }

  tell(hint: LiveHint | OperatorHint): void {
    this.#write(`data: ${JSON.stringify(hint)}\n\n`);
  }

  /** A comment line that keeps the connection alive. */
  beat(): void {
    this.#write(":\n\n");
  }

  #write(text: string): void {
    if (this.destroyed) return;
    if (!this.push(text)) this.destroy();
  }
}
