import { randomUUID } from "node:crypto";
import type { FamilyLimitsOrder } from "@farline/contract/family/family.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { MAX_FAMILY, MAX_FAMILY_INVITATIONS } from "@farline/domain/calls/family-limits.ts";
import {
  findCustomer,
  findCustomerId,
  lockSession,
  requireOpen,
  type Customer,
  type SessionWithCustomer,
} from "../accounts/accounts.ts";
import { enqueueMail } from "../mail/mail.ts";
import { AppError } from "../platform/app-error.ts";
import type { Transaction } from "../platform/database/database.ts";
import { capOf, countriesOf } from "../platform/limit-values.ts";
import { zoneOf } from "../platform/time-zones.ts";
import type { ServiceContext } from "../context.ts";
import {
  countPeople,
  deleteInvitation,
  findOwnerId,
  insertInvitation,
  insertOwner,
  listInvitations,
  type Invitation,
  type Limits,
} from "./family.store.ts";

const INVITATION_DAYS = 7;

/**
 * Invites somebody to call on the customer's credit within limits, by mail or by a link to pass on. The first invitation makes the customer
 * a family's owner.
 * @throws AppError account_frozen, account_closing, email_not_confirmed; conflict if the customer is a member of another family, or has too
 * many people or open invitations; rate_limited if the address has had its mails today; validation_failed
 */
export async function invite(
  ctx: ServiceContext,
  owner: SessionWithCustomer,
  wanted: { email: string | null; limits: FamilyLimitsOrder },
): Promise<void> {
  requireOpen(owner);
  requireConfirmed(owner);
  const now = ctx.clock.now();
  const invitation: Invitation = {
    customer_id: owner.id,
    id: randomUUID(), // version 4: unguessable
    email: wanted.email,
    ...(await limitsFrom(ctx, wanted.limits)),
    created_at: now,
    expires_at: new Date(now.getTime() + INVITATION_DAYS * DAY_MS),
  };
  await ctx.transaction(async (tx) => {
    await lockSession(tx, owner);
    await ctx.ledger.lockAccounts(tx, [owner.id]);
    await insertOwner(tx, owner.id, now);
    if ((await findOwnerId(tx, owner.id)) !== owner.id) throw new AppError("conflict", { reason: "family_elsewhere" });
    if ((await countPeople(tx, owner.id)) >= MAX_FAMILY) throw familyFull();
    if ((await listInvitations(tx, owner.id, now)).length >= MAX_FAMILY_INVITATIONS)
      throw new AppError("conflict", { reason: "family_invitations_full", params: { max: MAX_FAMILY_INVITATIONS } });
    await insertInvitation(tx, invitation);
    if (wanted.email !== null) await mailInvitation(tx, owner, { ...invitation, email: wanted.email });
  });
  ctx.live.publish(owner.id, { type: "balance" });
}

/** @throws AppError not_found */
export async function withdrawInvitation(ctx: ServiceContext, ownerId: string, id: string): Promise<void> {
  const wasOpen = await ctx.transaction((tx) => deleteInvitation(tx, { ownerId, id }));
  if (!wasOpen) throw new AppError("not_found", { reason: "family_invitation_unknown" });
  ctx.live.publish(ownerId, { type: "balance" });
}

/** The limits as stored. @throws AppError validation_failed, with the field */
export async function limitsFrom({ handle }: Pick<ServiceContext, "handle">, order: FamilyLimitsOrder): Promise<Limits> {
  return {
    daily_cap_micros: capOf(order.daily_cap, "daily_cap"),
    monthly_cap_micros: capOf(order.monthly_cap, "monthly_cap"),
    countries: countriesOf(order.countries),
    time_zone: await zoneOf(handle.db, order.time_zone),
  };
}

/** @throws AppError email_not_confirmed */
export function requireConfirmed({ emailVerified }: Customer): void {
  if (!emailVerified) throw new AppError("email_not_confirmed", { reason: "family_email_not_confirmed" });
}

export function familyFull(): AppError {
  return new AppError("conflict", { reason: "family_full", params: { max: MAX_FAMILY } });
}

/** In the invited person's language, if the address has an account. */
async function mailInvitation(tx: Transaction, owner: Customer, invitation: Invitation & { email: string }): Promise<void> {
  const invitedId = await findCustomerId(tx, invitation.email);
  const invited = invitedId === undefined ? undefined : await findCustomer(tx, invitedId);
  const mailed = await enqueueMail(tx, {
    asker: { by: "stranger", customerId: owner.id },
    template: "family_invitation",
    data: { owner: owner.name, linkId: invitation.id },
    to: invitation.email,
    language: invited?.language ?? owner.language,
    key: `family_invitation ${invitation.id}`,
    at: invitation.created_at,
    usefulUntil: invitation.expires_at,
  });
  if (!mailed.going)
    throw new AppError("rate_limited", { reason: "family_mails_used", field: "email", retryAfterSeconds: DAY_MS / 1000 });
}
