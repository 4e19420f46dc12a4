import { Readable } from "node:stream";
import { customerOf, perCustomer, sessionOf } from "../../accounts/accounts.ts";
import { presentedTicket } from "../../platform/http/download-ticket.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import { exportCalls, issueExportTicket } from "./export-calls.ts";
import { readCalledCountries, readCallHistory, readCallsOfMember, readCallTotals } from "./read-history.ts";
import { suggestNumbers } from "./suggest-numbers.ts";
import { summariseCalls } from "./summarise-calls.ts";
import type { Context } from "../../context.ts";

const EXPORT_LIMIT = { name: "call-export", points: 10, perSeconds: 60 };

/** Routes for lists, totals and downloads of calls: a customer's own, and those of a member of their family. */
export function historyRoutes(app: App, ctx: Context): void {
  const exports = memoryRateLimit({ ...EXPORT_LIMIT, scale: ctx.config.limitsScale });

  serve(app, "GET /api/calls/history", async (request) => readCallHistory(ctx, customerOf(request), request.query));

  serve(app, "GET /api/calls/totals", async (request) => readCallTotals(ctx, customerOf(request), request.query));

  serve(app, "GET /api/calls/countries", async (request) => readCalledCountries(ctx, customerOf(request)));

  serve(app, "GET /api/calls/suggestions", async (request) => suggestNumbers(ctx, customerOf(request), request.query.search));

  serve(app, "GET /api/family/members/:id/calls", async (request) =>
    readCallsOfMember(ctx, { ownerId: customerOf(request).id, memberId: request.params.id }),
  );

  serve(app, "GET /api/calls/summary", async (request) => summariseCalls(ctx, customerOf(request), request.query));

  serve(app, "POST /api/calls/export-ticket", {
    onRequest: perCustomer(exports),
    handler: async (request) => {
      const customer = sessionOf(request);
      return issueExportTicket(ctx, customer, request.body);
    },
  });

  // Browsers open this URL without the session token, so the ticket authorises it.
  serve(app, "GET /api/calls/export", async (request, reply) => {
    const { fileName, records } = await exportCalls(ctx, presentedTicket(request, request.query.ticket));
    return reply
      .type("text/csv; charset=utf-8")
      .header("content-disposition", `attachment; filename="${fileName}"`)
      .send(Readable.from(records));
  });
}
