import {
  guardRailsRequest,
  liveCallQuery,
  type EchoTestResponse,
  type ExtendResponse,
  type GuardRailsResponse,
  type LiveCallResponse,
} from "@farline/contract/calls.ts";
import { z } from "zod";
import { customerOf, perCustomer, requireStepUp } from "../../accounts/accounts.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import { EXTENSIONS_PER_MINUTE } from "../call-times.ts";
import type { CallContext } from "../call-context.ts";
import { findLiveCall } from "../call.store.ts";
import { createAllowEchoTest } from "../echo/echo-test.ts";
import { extendCall } from "./extend-call.ts";
import { changeGuardRails, readGuardRails } from "../guard-rails/change-guard-rails.ts";
import { stayInCall } from "./leave-call.ts";
import { presentNamedCall } from "../history/present-calls.ts";
import { readCall } from "../history/read-calls.ts";

const callParams = z.object({ id: z.string() });

/** Routes for a running call, and for the caller's own limits. */
export function liveCallRoutes(app: App, context: CallContext): void {
  const allowEchoTest = createAllowEchoTest(context);
  const extensions = memoryRateLimit({
    name: "extend-call",
    points: EXTENSIONS_PER_MINUTE,
    perSeconds: 60,
    scale: context.config.limitsScale,
  });

  app.get(
    "/api/calls/live",
    { config: { access: "customer" }, schema: { querystring: liveCallQuery } },
    async (request): Promise<LiveCallResponse> => {
      const customer = customerOf(request);
      const call = await findLiveCall(context.handle.db, customer.id);
      if (call !== undefined && call.id === request.query.was_in) await stayInCall(context, call, request.query.page);
      return {
        call: call === undefined ? null : await presentNamedCall(context.handle.db, call),
        rejoinable: call !== undefined && call.parked_call_control_id !== null && call.hangup_requested_at === null,
        now: context.clock.now().toISOString(),
      };
    },
  );

  app.post(
    "/api/calls/:id/extend",
    { config: { access: "customer" }, onRequest: perCustomer(extensions), schema: { params: callParams } },
    async (request): Promise<ExtendResponse> => {
      const customer = customerOf(request);
      const { call, outcome } = await extendCall(context, await readCall(context, customer, request.params.id));
      return { call: await presentNamedCall(context.handle.db, call), outcome };
    },
  );

  app.post("/api/calls/echo-test", { config: { access: "customer" } }, async (request, reply): Promise<EchoTestResponse> => {
    const answer = await allowEchoTest(customerOf(request));
    void reply.status(201);
    return answer;
  });

  app.get("/api/calls/guard-rails", { config: { access: "customer" } }, async (request): Promise<GuardRailsResponse> =>
    readGuardRails(context, customerOf(request)),
  );

  app.put(
    "/api/calls/guard-rails",
    { config: { access: "step-up-when" }, schema: { body: guardRailsRequest } },
    async (request): Promise<GuardRailsResponse> =>
      changeGuardRails(context, customerOf(request), request.body, () => requireStepUp(request, context)),
  );
}
