import { HOUR_MS } from "@farline/domain/durations.ts";
import { emailKey } from "@farline/domain/email-address.ts";
import { randomUUID } from "node:crypto";
import { AppError } from "../../platform/app-error.ts";
import type { Tx } from "../../platform/database/database.ts";
import { readLinkToken, type SecretKeys } from "../../platform/settings/secret-keys.ts";
import type { CustomerLinkUse } from "../record/accounts.tables.ts";
import { findMailLink, insertMailLink, type MailLink } from "../record/mail-link.store.ts";

export const DAY_LINK_MS = 24 * HOUR_MS;
export const RESET_LINK_MS = HOUR_MS / 2;

/** Creates the record of a link mailed to `email`. The queued mail carries its id; the token is added when it is sent. */
export async function issueLink(
  tx: Tx,
  wanted: {
    customerId: string;
    use: CustomerLinkUse;
    email: string;
    now: Date;
    lifetimeMs: number;
    emailChangeId?: string;
    sessionId?: string | null;
  },
): Promise<{ linkId: string; expiresAt: Date }> {
  const linkId = randomUUID(); // version 4: unguessable
  const expiresAt = new Date(wanted.now.getTime() + wanted.lifetimeMs);
  await insertMailLink(tx, {
    id: linkId,
    customerId: wanted.customerId,
    use: wanted.use,
    emailKey: emailKey(wanted.email),
    emailChangeId: wanted.emailChangeId ?? null,
    sessionId: wanted.sessionId ?? null,
    createdAt: wanted.now,
    expiresAt,
  });
  return { linkId, expiresAt };
}

/**
 * Reads a token's link, used or not.
 * @throws AppError link_expired if it was made for another use or has expired
 */
export async function readLink(
  db: Tx,
  wanted: { token: string; use: CustomerLinkUse; now: Date; keys: SecretKeys },
): Promise<MailLink> {
  const id = readLinkToken(wanted.keys, wanted.use, wanted.token);
  const link = id === null ? undefined : await findMailLink(db, { id, use: wanted.use, now: wanted.now });
  if (link === undefined) throw linkExpired();
  return link;
}

export function linkExpired(): AppError {
  return new AppError("link_expired");
}
