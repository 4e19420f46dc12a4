import { linkRequest } from "@farline/contract/account-access.ts";
import { exportFileQuery, type ExportDownloadResponse, type ExportResponse } from "@farline/contract/personal-data/export.ts";
import { customerOf, perCustomer } from "../accounts/accounts.ts";
import type { App } from "../platform/http/http.ts";
import { memoryRateLimit, sharedRateLimit } from "../platform/http/rate-limit.ts";
import { issueExportTicket, openExport } from "./export/download-export.ts";
import { readExport, requestExport } from "./export/request-export.ts";
import type { PersonalDataDependencies } from "./personal-data-dependencies.ts";

const DAY_SECONDS = 24 * 60 * 60;
const EXPORTS_A_DAY = 3;
const TICKET_LIMIT = { name: "export-ticket", points: 20, perSeconds: 60 };

/** Routes for a customer's own data: the copy of it. */
export function personalDataRoutes(app: App, deps: PersonalDataDependencies): void {
  const { limitsScale: scale } = deps.config;
  const exports = sharedRateLimit(deps.handle, { name: "data-export", points: EXPORTS_A_DAY, perSeconds: DAY_SECONDS, scale });
  const tickets = memoryRateLimit({ ...TICKET_LIMIT, scale });

  app.get("/api/account/export", { config: { access: "customer" } }, async (request): Promise<ExportResponse> => ({
    export: await readExport(deps, customerOf(request).id),
  }));

  app.post("/api/account/export", { config: { access: "step-up" } }, async (request, reply) => {
    const customer = customerOf(request);
    await requestExport(deps, customer, exports);
    request.log.info({ customer: customer.id }, "copy of personal data requested");
    return reply.status(202).send({ export: await readExport(deps, customer.id) } satisfies ExportResponse);
  });

  app.post(
    "/api/account/export/ticket",
    { config: { access: "customer" }, onRequest: perCustomer(tickets), schema: { body: linkRequest } },
    async (request): Promise<ExportDownloadResponse> => {
      const { ticket, expiresAt } = await issueExportTicket(deps, customerOf(request), request.body.token);
      return { ticket, expires_at: expiresAt.toISOString() };
    },
  );

  // A browser opens this address without the session's token: the ticket authorises it.
  app.get(
    "/api/account/export/file",
    { config: { access: "visitor" }, schema: { querystring: exportFileQuery } },
    async (request, reply) => {
      const { fileName, bytes, content, end } = await openExport(deps, request.query.ticket);
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
    },
  );
}
