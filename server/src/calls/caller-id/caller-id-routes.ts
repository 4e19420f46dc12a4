import { customerOf, perCustomer, requestOrigin, sessionOf } from "../../accounts/accounts.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import type { CallContext } from "../call-context.ts";
import { createCallWithCode } from "./call-with-code.ts";
import { chooseCallerId, removeCallerNumber } from "./change-caller-id.ts";
import { createConfirmCode } from "./confirm-code.ts";
import { readCallerId } from "./read-caller-id.ts";

/** Routes to verify, choose and remove caller id numbers. */
export function callerIdRoutes(app: App, ctx: CallContext): void {
  const callWithCode = createCallWithCode(ctx);
  const confirm = createConfirmCode(ctx);
  const onRequest = perCustomer(memoryRateLimit(ctx, "caller-id"));

  serve(app, "GET /api/calls/caller-id", async (request) => readCallerId(ctx, customerOf(request)));

  serve(app, "PUT /api/calls/caller-id", {
    onRequest,
    handler: async (request) => chooseCallerId(ctx, sessionOf(request), request.body.number),
  });

  serve(app, "POST /api/calls/caller-id/checks", {
    onRequest,
    handler: async (request) => callWithCode(customerOf(request), request.body, request.ip),
  });

  serve(app, "POST /api/calls/caller-id/checks/confirm", {
    onRequest,
    handler: async (request) => confirm(sessionOf(request), request.body, requestOrigin(request)),
  });

  serve(app, "DELETE /api/calls/caller-id/numbers/:number", {
    onRequest,
    handler: async (request) => removeCallerNumber(ctx, customerOf(request), request.params.number, requestOrigin(request)),
  });
}
