import { isFinal } from "@farline/domain/calls/call-state.ts";
import { customerOf, perCustomer, requireStepUp, sessionOf, type SessionWithCustomer } from "../../accounts/accounts.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import type { CallRow } from "../record/calls.tables.ts";
import type { CallContext } from "../call-context.ts";
import { findLiveCall, giveCallTo } from "../record/call.store.ts";
import { createAllowEchoTest } from "../echo/echo-test.ts";
import { extendCall } from "./extend-call.ts";
import { changeGuardRails, readGuardRails } from "../guard-rails/change-guard-rails.ts";
import { presentNamedCall, readCall } from "../history/read-history.ts";
import { AppError } from "../../platform/app-error.ts";

/** Routes for a running call, and for the caller's own limits. */
export function liveCallRoutes(app: App, ctx: CallContext): void {
  const allowEchoTest = createAllowEchoTest(ctx);
  const extensions = memoryRateLimit(ctx, "extend-call");
  const moves = memoryRateLimit(ctx, "move-call");

  serve(app, "GET /api/calls/live", async (request) => {
    const customer = customerOf(request);
    const call = await findLiveCall(ctx.handle.db, customer.id);
    return {
      call: call === undefined ? null : await presentNamedCall(ctx.handle.db, call),
      rejoinable: call !== undefined && call.parked_call_control_id !== null && call.hangup_requested_at === null,
      line_id: call !== undefined && (await ctx.connection.has("move")) ? call.client_call_id : null,
      now: ctx.clock.now().toISOString(),
    };
  });

  serve(app, "POST /api/calls/:id/extend", {
    onRequest: perCustomer(extensions),
    handler: async (request) => {
      const customer = customerOf(request);
      const { call, outcome } = await extendCall(ctx, await readCall(ctx, customer, request.params.id));
      return { call: await presentNamedCall(ctx.handle.db, call), outcome };
    },
  });

  serve(app, "POST /api/calls/:id/move", {
    onRequest: perCustomer(moves),
    handler: async (request) => {
      const call = await readCall(ctx, customerOf(request), request.params.id);
      await moveCall(ctx, call, { session: sessionOf(request), voiceSession: request.body.voice_session });
      return { call: await presentNamedCall(ctx.handle.db, call) };
    },
  });

  serve(app, "POST /api/calls/echo-test", async (request) => allowEchoTest(customerOf(request)));

  serve(app, "GET /api/calls/guard-rails", async (request) => readGuardRails(ctx, customerOf(request)));

  serve(app, "PUT /api/calls/guard-rails", async (request) =>
    changeGuardRails(ctx, customerOf(request), request.body, () => requireStepUp(request, ctx)),
  );
}

/**
 * Moves a running call to a page of the session that asks, to which it belongs from then on: it ends with that session. The far end, the price
 * and the hold stay as they are.
 * @param voiceSession the page's session at the voice provider, which must have signed in as `session`
 * @throws AppError conflict if the call is over, or the provider has no such page of this session or cannot move calls
 */
async function moveCall(
  { commands, connection, handle, log, secrets }: CallContext,
  call: CallRow,
  to: { session: SessionWithCustomer; voiceSession: string },
): Promise<void> {
  const { sessionId } = to.session;
  const leg = isFinal(call.status) || call.hangup_requested_at !== null ? null : call.parked_call_control_id;
  const isMovable = leg !== null && (await connection.has("move"));
  const page = { session: to.voiceSession, session_mark: secrets.sessionMark(sessionId) };
  if (!isMovable || !(await commands.move(leg, page))) throw new AppError("conflict", { reason: "call_not_movable" });
  await giveCallTo(handle.db, call.id, sessionId);
  log.info({ call: call.id }, "call moved to another page");
}
