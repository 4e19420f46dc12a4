import { DAY_SECONDS } from "@farline/domain/durations.ts";
import { customerOf, perCustomer, requestOrigin, sessionOf } from "../accounts/accounts.ts";
import { presentedTicket } from "../platform/http/download-ticket.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { memoryRateLimit, sharedRateLimit } from "../platform/http/rate-limit.ts";
import { issueExportTicket, openExport } from "./export/download-export.ts";
import { readExport, requestExport } from "./export/request-export.ts";
import { cancelErasure, readErasure, requestErasure } from "./erasure/request-erasure.ts";
import type { ServiceContext } from "../context.ts";

const EXPORTS_A_DAY = 3;
const TICKET_LIMIT = { name: "export-ticket", points: 20, perSeconds: 60 };

/** Routes for the export and erasure of a customer's data. */
export function personalDataRoutes(app: App, ctx: ServiceContext): void {
  exportRoutes(app, ctx);
  erasureRoutes(app, ctx);
}

function exportRoutes(app: App, ctx: ServiceContext): void {
  const { limitsScale: scale } = ctx.config;
  const exports = sharedRateLimit(ctx.handle, { name: "data-export", points: EXPORTS_A_DAY, perSeconds: DAY_SECONDS, scale });
  const tickets = memoryRateLimit({ ...TICKET_LIMIT, scale });

  serve(app, "GET /api/account/export", async (request) => ({
    export: await readExport(ctx, customerOf(request).id),
  }));

  serve(app, "POST /api/account/export", async (request) => {
    const customer = customerOf(request);
    await requestExport(ctx, customer, { limit: exports, reason: null });
    request.log.info({ customer: customer.id }, "copy of personal data requested");
    return { export: await readExport(ctx, customer.id) };
  });

  serve(app, "POST /api/account/export/ticket", {
    onRequest: perCustomer(tickets),
    handler: async (request) => {
      const { ticket, expiresAt } = await issueExportTicket(ctx, sessionOf(request), request.body.token);
      return { ticket, expires_at: expiresAt.toISOString() };
    },
  });

  // Browsers open this URL without the session token, so the ticket authorises it.
  serve(app, "GET /api/account/export/file", async (request, reply) => {
    const { fileName, bytes, content, end } = await openExport(ctx, presentedTicket(request, request.query.ticket));
    reply.raw.once("finish", () => {
      if (request.method === "GET")
        end().catch((error: unknown) => request.log.warn({ err: error }, "a downloaded copy could not be deleted yet"));
    });
    return reply
      .type("application/zip")
      .header("content-disposition", `attachment; filename="${fileName}"`)
      .header("content-length", bytes)
      .header("x-content-type-options", "nosniff")
      .send(content);
  });
}

function erasureRoutes(app: App, ctx: ServiceContext): void {
  serve(app, "GET /api/account/erasure", async (request) => readErasure(ctx, customerOf(request).id));

  serve(app, "POST /api/account/erasure", async (request) => {
    const { id: customerId } = customerOf(request);
    const { forfeited: forfeitedMicros } = request.body;
    await requestErasure(ctx, { customerId, forfeitedMicros, from: requestOrigin(request), reason: null });
    request.log.info({ customer: customerId }, "erasure of the account requested");
    return await readErasure(ctx, customerId);
  });

  // No step-up, because cancelling loses nothing.
  serve(app, "DELETE /api/account/erasure", async (request) => {
    const { id: customerId } = customerOf(request);
    await cancelErasure(ctx, { customerId, from: requestOrigin(request), reason: null });
    request.log.info({ customer: customerId }, "erasure of the account cancelled");
    return readErasure(ctx, customerId);
  });
}
