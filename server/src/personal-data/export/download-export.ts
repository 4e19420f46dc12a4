import { Readable } from "node:stream";
import { deleteMailLinks, readLink, type SessionWithCustomer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import { issueDownloadTicket, redeemDownloadTicket, type PresentedTicket } from "../../platform/http/download-ticket.ts";
import { endExport, findExport, readPart, type DataExportRow } from "./data-export.store.ts";
import type { ServiceContext } from "../../context.ts";

const SUBJECT = "data-export";

/**
 * Issues a ticket for the copy that a mailed link refers to, for its signed-in owner only.
 * @throws AppError link_expired for another account's link, and after the download or expiry
 */
export async function issueExportTicket(
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

/** A copy that is being downloaded. */
interface OpenExport {
  readonly fileName: string;
  readonly bytes: number;
  readonly content: Readable;
  /** Deletes the file and consumes its link. Call it after all of it was sent, so that a broken download can be repeated. */
  end(): Promise<void>;
}

/** Opens the file that a ticket authorises. @throws AppError link_expired */
export async function openExport(ctx: ServiceContext, ticket: PresentedTicket): Promise<OpenExport> {
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
