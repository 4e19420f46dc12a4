import { SAMPLE_EVERY_SECONDS, type QualitySample } from "@farline/contract/call-details.ts";
import { customerOf, perCustomer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import { readCall } from "../history/read-history.ts";
import { requestRefund } from "./request-refund.ts";
import { presentRefundRequest, readCallDetails } from "./read-details.ts";
import type { CallContext } from "../call-context.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { insertQuality, saveRating } from "./quality.store.ts";
import type { Context } from "../../context.ts";

/** The last samples may arrive after the call, from a page that was offline. */
const ACCEPTED_AFTER_END_MS = 10 * 60_000;
/** Tolerance for a browser clock that is ahead of the service's. */
const AHEAD_MS = 60_000;

/** Routes for one call's bill, sound quality and refund request. */
export function detailsRoutes(app: App, ctx: CallContext): void {
  serve(app, "GET /api/calls/:id/details", async (request) => {
    const customer = customerOf(request);
    return readCallDetails(ctx, await readCall(ctx, customer, request.params.id));
  });

  serve(app, "POST /api/calls/:id/quality", {
    onRequest: perCustomer(memoryRateLimit(ctx, "call-quality")),
    handler: async (request) => {
      const customer = customerOf(request);
      return { kept: await saveQuality(ctx, await readCall(ctx, customer, request.params.id), request.body.samples) };
    },
  });

  serve(app, "POST /api/calls/:id/rating", {
    onRequest: perCustomer(memoryRateLimit(ctx, "call-rating")),
    handler: async (request) => {
      const call = await readCall(ctx, customerOf(request), request.params.id);
      if (call.answered_at === null || call.ended_at === null) throw new AppError("conflict", { reason: "rating_unanswered" });
      await saveRating(ctx.handle.db, call.id, request.body.sound, ctx.clock.now());
      return request.body;
    },
  });

  serve(app, "POST /api/calls/:id/refund-request", {
    onRequest: perCustomer(memoryRateLimit(ctx, "call-refund")),
    handler: async (request) => {
      const customer = customerOf(request);
      const made = await requestRefund(ctx, await readCall(ctx, customer, request.params.id), request.body);

      return { refund_request: presentRefundRequest(made) };
    },
  });
}

/**
 * Stores the browser's sound samples of a call: at most one per interval, and none from outside the call.
 * @returns how many were stored
 */
async function saveQuality({ handle, clock }: Context, call: CallRow, samples: readonly QualitySample[]): Promise<number> {
  const now = clock.now().getTime();
  if (call.answered_at === null) return 0;
  if (call.ended_at !== null && now > call.ended_at.getTime() + ACCEPTED_AFTER_END_MS) return 0;
  const lastMs = (call.ended_at?.getTime() ?? now) + AHEAD_MS - call.answered_at.getTime();
  const bySpan = new Map<number, QualitySample>();
  for (const sample of samples) {
    const t = sample.t - (sample.t % SAMPLE_EVERY_SECONDS);
    if (t * 1000 <= lastMs && !bySpan.has(t)) bySpan.set(t, { ...sample, t });
  }
  return bySpan.size === 0 ? 0 : insertQuality(handle.db, call.id, [...bySpan.values()]);
}
