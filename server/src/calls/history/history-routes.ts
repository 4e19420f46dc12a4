import {
  callFilter,
  exportQuery,
  historyQuery,
  suggestionsQuery,
  summaryQuery,
  type CalledCountriesResponse,
  type ExportTicketResponse,
  type SuggestionsResponse,
  type SummaryResponse,
  type TotalsResponse,
} from "@farline/contract/call-history.ts";
import type { HistoryResponse } from "@farline/contract/calls.ts";
import { Readable } from "node:stream";
import { customerOf, perCustomer } from "../../accounts/accounts.ts";
import { presentedTicket } from "../../platform/http/download-ticket.ts";
import type { App } from "../../platform/http/http.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import type { CallDependencies } from "../call-dependencies.ts";
import { exportCalls, issueExportTicket } from "./export-calls.ts";
import { readCalledCountries, readCallHistory, readCallTotals } from "./read-history.ts";
import { suggestNumbers } from "./suggest-numbers.ts";
import { summariseCalls } from "./summarise-calls.ts";

const EXPORT_LIMIT = { name: "call-export", points: 10, perSeconds: 60 };

/** Routes for lists, totals and downloads of a customer's calls. */
export function historyRoutes(app: App, deps: CallDependencies): void {
  const exports = memoryRateLimit({ ...EXPORT_LIMIT, scale: deps.config.limitsScale });

  app.get(
    "/api/calls/history",
    { config: { access: "customer" }, schema: { querystring: historyQuery } },
    async (request): Promise<HistoryResponse> => readCallHistory(deps, customerOf(request), request.query),
  );

  app.get(
    "/api/calls/totals",
    { config: { access: "customer" }, schema: { querystring: callFilter } },
    async (request): Promise<TotalsResponse> => readCallTotals(deps, customerOf(request), request.query),
  );

  app.get("/api/calls/countries", { config: { access: "customer" } }, async (request): Promise<CalledCountriesResponse> =>
    readCalledCountries(deps, customerOf(request)),
  );

  app.get(
    "/api/calls/suggestions",
    { config: { access: "customer" }, schema: { querystring: suggestionsQuery } },
    async (request): Promise<SuggestionsResponse> => suggestNumbers(deps, customerOf(request), request.query.search),
  );

  app.get(
    "/api/calls/summary",
    { config: { access: "customer" }, schema: { querystring: summaryQuery } },
    async (request): Promise<SummaryResponse> => summariseCalls(deps, customerOf(request), request.query),
  );

  const ticketSchema = { body: callFilter };
  app.post(
    "/api/calls/export-ticket",
    { config: { access: "step-up" }, onRequest: perCustomer(exports), schema: ticketSchema },
    async (request): Promise<ExportTicketResponse> => {
      const customer = customerOf(request);
      return issueExportTicket(deps, customer, request.body);
    },
  );

  // Browsers open this URL without the session token, so the ticket authorises it.
  app.get(
    "/api/calls/export",
    { config: { access: "visitor" }, schema: { querystring: exportQuery } },
    async (request, reply) => {
      const { fileName, records } = await exportCalls(deps, presentedTicket(request, request.query.ticket));
      return reply
        .type("text/csv; charset=utf-8")
        .header("content-disposition", `attachment; filename="${fileName}"`)
        .send(Readable.from(records));
    },
  );
}
