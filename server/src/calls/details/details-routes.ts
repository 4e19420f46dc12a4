import {
  qualityRequest,
  refundRequestRequest,
  type CallDetailsResponse,
  type RefundRequestResponse,
} from "@farline/contract/call-details.ts";
import { z } from "zod";
import { customerOf, perCustomer } from "../../accounts/accounts.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import type { CallDependencies } from "../call-dependencies.ts";
import { readCall } from "../history/read-calls.ts";
import { askRefund } from "./ask-refund.ts";
import { presentRefundRequest, readCallDetails } from "./read-details.ts";
import { saveQuality } from "./save-quality.ts";

const QUALITY_LIMIT = { name: "call-quality", points: 30, perSeconds: 60 };
const REFUND_LIMIT = { name: "call-refund", points: 20, perSeconds: 3_600 };
const params = z.object({ id: z.string() });

/** Routes for one call's bill, sound quality and refund request. */
export function detailsRoutes(app: App, deps: CallDependencies): void {
  const scale = deps.config.limitsScale;
  const reports = memoryRateLimit({ ...QUALITY_LIMIT, scale });
  const refunds = memoryRateLimit({ ...REFUND_LIMIT, scale });

  app.get(
    "/api/calls/:id/details",
    { config: { access: "customer" }, schema: { params } },
    async (request): Promise<CallDetailsResponse> => {
      const customer = customerOf(request);
      return readCallDetails(deps, await readCall(deps, customer, request.params.id));
    },
  );

  app.post(
    "/api/calls/:id/quality",
    { config: { access: "customer" }, onRequest: perCustomer(reports), schema: { params, body: qualityRequest } },
    async (request) => {
      const customer = customerOf(request);
      return { kept: await saveQuality(deps, await readCall(deps, customer, request.params.id), request.body.samples) };
    },
  );

  const refundSchema = { params, body: refundRequestRequest };
  app.post(
    "/api/calls/:id/refund-request",
    { config: { access: "customer" }, onRequest: perCustomer(refunds), schema: refundSchema },
    async (request, reply): Promise<RefundRequestResponse> => {
      const customer = customerOf(request);
      const made = await askRefund(deps, await readCall(deps, customer, request.params.id), request.body);
      void reply.status(201);
      return { refund_request: presentRefundRequest(made) };
    },
  );
}
