import { customerOf, perCustomer } from "../../accounts/accounts.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import { readCall } from "../history/read-calls.ts";
import { requestRefund } from "./request-refund.ts";
import { presentRefundRequest, readCallDetails } from "./read-details.ts";
import { saveQuality } from "./save-quality.ts";
import type { CallContext } from "../call-context.ts";

const QUALITY_LIMIT = { name: "call-quality", points: 30, perSeconds: 60 };
const REFUND_LIMIT = { name: "call-refund", points: 20, perSeconds: 3_600 };

/** Routes for one call's bill, sound quality and refund request. */
export function detailsRoutes(app: App, ctx: CallContext): void {
  const scale = ctx.config.limitsScale;
  const reports = memoryRateLimit({ ...QUALITY_LIMIT, scale });
  const refunds = memoryRateLimit({ ...REFUND_LIMIT, scale });

  serve(app, "GET /api/calls/:id/details", async (request) => {
    const customer = customerOf(request);
    return readCallDetails(ctx, await readCall(ctx, customer, request.params.id));
  });

  serve(app, "POST /api/calls/:id/quality", {
    onRequest: perCustomer(reports),
    handler: async (request) => {
      const customer = customerOf(request);
      return { kept: await saveQuality(ctx, await readCall(ctx, customer, request.params.id), request.body.samples) };
    },
  });

  serve(app, "POST /api/calls/:id/refund-request", {
    onRequest: perCustomer(refunds),
    handler: async (request) => {
      const customer = customerOf(request);
      const made = await requestRefund(ctx, await readCall(ctx, customer, request.params.id), request.body);

      return { refund_request: presentRefundRequest(made) };
    },
  });
}
