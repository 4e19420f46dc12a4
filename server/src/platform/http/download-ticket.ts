import { createHash, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { sql } from "kysely";
import { AppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import type { DatabaseHandle, Tx } from "../database/database.ts";

/** Browsers start a download at once, so the ticket can expire before anyone else finds the address. */
const GOOD_FOR_MS = 60_000;
const TICKET_BYTES = 32;

/**
 * Issues a ticket for one download within a minute. It may be part of a URL, where a session token must not be, and ends with the session.
 * @param owner the session that asks, and its customer
 * @param subject what may be downloaded, for example "calls"
 * @param facts which part of it; returned when the ticket is redeemed
 */
export async function issueDownloadTicket(
  { handle, clock }: { readonly handle: DatabaseHandle; readonly clock: Clock },
  { owner, subject, facts }: { owner: { id: string; sessionId: string }; subject: string; facts: unknown },
): Promise<{ ticket: string; expiresAt: Date }> {
  const ticket = randomBytes(TICKET_BYTES).toString("base64url");
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + GOOD_FOR_MS);
  await sql`delete from download_ticket where expires_at <= ${now}`.execute(handle.db);
  await sql`insert into download_ticket (hash, customer_id, session_id, subject, facts, expires_at)
    values (${hashOf(ticket)}, ${owner.id}, ${owner.sessionId}, ${subject}, ${JSON.stringify(facts)}, ${expiresAt})`.execute(
    handle.db,
  );
  return { ticket, expiresAt };
}

/** A ticket from a request that may redeem it. Created only by `presentedTicket`. */
export type PresentedTicket = string & { readonly presented: unique symbol };

/**
 * The ticket of a download request. Mail scanners, previews and prefetching browsers request links before the user
 * does, so they must not redeem the ticket.
 * @throws AppError malformed_request for a HEAD request or a prefetch
 */
export function presentedTicket(
  { method, headers }: Pick<FastifyRequest, "method" | "headers">,
  ticket: string,
): PresentedTicket {
  const purposes = [headers["sec-purpose"], headers["purpose"], headers["x-moz"]];
  if (method !== "GET" || purposes.some((purpose) => String(purpose ?? "").includes("prefetch")))
    throw new AppError("malformed_request", { reason: "download_by_head" });
  return ticket as PresentedTicket;
}

/** Redeems a ticket. @throws AppError link_expired when it is unknown, used, expired, for another subject or of an ended session */
export async function redeemDownloadTicket(
  { handle, clock }: { readonly handle: DatabaseHandle; readonly clock: Clock },
  { ticket, subject }: { ticket: PresentedTicket; subject: string },
): Promise<{ customerId: string; facts: unknown }> {
  const { rows } = await sql<{ customer_id: string; facts: unknown }>`
    delete from download_ticket where hash = ${hashOf(ticket)} and subject = ${subject} and expires_at > ${clock.now()}
      and (session_id is null or exists (select from session s where s.id = session_id))
    returning customer_id, facts`.execute(handle.db);
  const [row] = rows;
  if (row === undefined) throw new AppError("link_expired", { reason: "download_expired" });
  return { customerId: row.customer_id, facts: row.facts };
}

export async function deleteAllTickets(tx: Tx): Promise<void> {
  await sql`delete from download_ticket`.execute(tx);
}

/** Revokes all of a customer's tickets. */
export async function endDownloadTickets(tx: Tx, customerId: string): Promise<void> {
  await sql`delete from download_ticket where customer_id = ${customerId}`.execute(tx);
}

function hashOf(ticket: string): Buffer {
  return createHash("sha256").update(ticket).digest();
}
