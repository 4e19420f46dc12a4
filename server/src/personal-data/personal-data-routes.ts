import { Readable } from "node:stream";
import {
  customerOf,
  deleteMailLinks,
  perCustomer,
  readLink,
  requestOrigin,
  sessionOf,
  type SessionWithCustomer,
} from "../accounts/accounts.ts";
import {
  issueDownloadTicket,
  presentedTicket,
  type PresentedTicket,
  redeemDownloadTicket,
} from "../platform/http/download-ticket.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { memoryRateLimit, sharedRateLimit } from "../platform/http/rate-limit.ts";
import { readExport, requestExport } from "./export/request-export.ts";
import { cancelErasure, readErasure, requestErasure } from "./erasure/request-erasure.ts";
import type { ServiceContext } from "../context.ts";
import { AppError } from "../platform/app-error.ts";
import { type DataExportRow, endExport, findExport, readPart } from "./export/data-export.store.ts";

const SUBJECT = "data-export";

/** A copy that is being downloaded. */
interface OpenExport {
  readonly fileName: string;
  readonly bytes: number;
  readonly content: Readable;
  /** Deletes the file and consumes its link. Call it after all of it was sent, so that a broken download can be repeated. */
  end(): Promise<void>;
}

/** Routes for the export and erasure of a customer's data. */
export function personalDataRoutes(app: App, ctx: ServiceContext): void {
  exportRoutes(app, ctx);
  erasureRoutes(app, ctx);
}

function exportRoutes(app: App, ctx: ServiceContext): void {
  const exports = sharedRateLimit(ctx, "data-export");

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
    onRequest: perCustomer(memoryRateLimit(ctx, "export-ticket")),
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

/**
 * Issues a ticket for the copy that a mailed link refers to, for its signed-in owner only.
 * @throws AppError link_expired for another account's link, and after the download or expiry
 */
async function issueExportTicket(
  ctx: ServiceContext,
  owner: SessionWithCustomer,
  token: string,
): Promise<{ ticket: string; expiresAt: Date }> {
  const { handle, clock, config } = ctx;
  const link = await readLink(handle.db, { token, use: "export_ready", now: clock.now(), keys: config.secretKeys });
  const row = await readyExport(ctx, owner.id);
  if (link.customerId !== owner.id || row === undefined) throw noFile();
  return issueDownloadTicket(ctx, { owner, subject: SUBJECT, facts: { export: row.id } });
}

/** Opens the file that a ticket authorises. @throws AppError link_expired */
async function openExport(ctx: ServiceContext, ticket: PresentedTicket): Promise<OpenExport> {
  const { customerId, facts } = await redeemDownloadTicket(ctx, { ticket, subject: SUBJECT });
  const row = await readyExport(ctx, customerId);
  if (row === undefined || row.id !== (facts as { export: unknown }).export) throw noFile();
  const day = row.requested_at.toISOString().slice(0, 10);
  return {
    fileName: `farline-data-${day}.zip`,
    bytes: Number(row.bytes),
    content: Readable.from(parts(ctx, row)),
    end: () => end(ctx, row),
  };
}

async function* parts({ handle }: ServiceContext, row: DataExportRow): AsyncGenerator<Buffer, void, void> {
  let sent = 0;
  for (let position = 0; sent < Number(row.bytes); position++) {
    const part = await readPart(handle.db, { exportId: row.id, tried: row.tries, position });
    if (part === undefined) throw new Error("The copy was replaced or deleted during its download.");
    sent += part.length;
    yield part;
  }
}

async function end(ctx: ServiceContext, row: DataExportRow): Promise<void> {
  await ctx.transaction(async (tx) => {
    if (await endExport(tx, row.id, "downloaded"))
      await deleteMailLinks(tx, { customerId: row.customer_id, use: "export_ready" });
  });
  ctx.live.publish(row.customer_id, { type: "account" });
}

async function readyExport({ handle, clock }: ServiceContext, customerId: string): Promise<DataExportRow | undefined> {
  const row = await findExport(handle.db, customerId);
  const isReady = row?.state === "ready" && row.expires_at !== null && row.expires_at > clock.now();
  return isReady ? row : undefined;
}

function noFile(): AppError {
  return new AppError("link_expired", { reason: "export_link_expired" });
}
