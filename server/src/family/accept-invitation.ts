import type { FamilyChoices, InvitationResponse } from "@farline/contract/family/family.ts";
import { emailKey } from "@farline/domain/email-address.ts";
import { firstNameOf } from "@farline/domain/business/passed-on-text.ts";
import { MAX_FAMILY } from "@farline/domain/calls/family-limits.ts";
import {
  findCustomer,
  lockSession,
  lockStanding,
  requireOpen,
  type Customer,
  type SessionWithCustomer,
  sendNotice,
} from "../accounts/accounts.ts";
import { linkUses } from "../mail/mail.ts";
import { AppError } from "../platform/app-error.ts";
import type { Transaction } from "../platform/database/database.ts";
import { readLinkToken } from "../platform/settings/secret-keys.ts";
import type { ServiceContext } from "../context.ts";
import { countPeople, deleteInvitation, findInvitation, insertMember, type Invitation } from "./family.store.ts";
import { familyFull, requireConfirmed } from "./invite.ts";
import { presentLimits } from "./read-family.ts";

/** What anyone with the link sees before they decide: a first name and the limits, never an address. @throws AppError link_expired */
export async function readInvitation(ctx: ServiceContext, token: string): Promise<InvitationResponse> {
  const { invitation, owner } = await openInvitation(ctx, token);
  return { owner_name: firstNameOf(owner.name), limits: presentLimits(invitation) };
}

/**
 * Makes the customer a member, once per invitation. From then on the owner's credit pays for their calls, if they so choose.
 * @throws AppError link_expired; account_frozen, account_closing, email_not_confirmed; conflict if the customer is in a family already, it
 * is their own link, or this one is full
 */
export async function acceptInvitation(
  ctx: ServiceContext,
  customer: SessionWithCustomer,
  { token, choices }: { token: string; choices: FamilyChoices },
): Promise<void> {
  requireOpen(customer);
  requireConfirmed(customer);
  const { invitation } = await openInvitation(ctx, token);
  const ownerId = invitation.customer_id;
  if (ownerId === customer.id) throw new AppError("conflict", { reason: "family_own_link" });
  // A mail that was passed on, or read by others, must not let them spend the owner's credit.
  if (invitation.email !== null && emailKey(invitation.email) !== emailKey(customer.email))
    throw new AppError("conflict", { reason: "family_other_address" });
  await ctx.transaction(async (tx) => {
    // Either of them may be ending all access at this moment, which takes them out of the family.
    for (const id of [ownerId, customer.id].toSorted()) await lockStanding(tx, id);
    await lockSession(tx, customer);
    // Serialises all changes of a family, and its calls.
    await ctx.ledger.lockAccounts(tx, [ownerId]);
    if (!(await deleteInvitation(tx, { ownerId, id: invitation.id }))) throw new AppError("link_expired");
    if ((await countPeople(tx, ownerId)) >= MAX_FAMILY) throw familyFull();
    await addMember(tx, invitation, { customer, choices, now: ctx.clock.now() });
  });
  for (const id of [ownerId, customer.id]) ctx.live.publish(id, { type: "balance" });
}

async function addMember(
  tx: Transaction,
  invitation: Invitation,
  { customer, choices, now }: { customer: Customer; choices: FamilyChoices; now: Date },
): Promise<void> {
  const { daily_cap_micros, monthly_cap_micros, countries, time_zone } = invitation;
  const added = await insertMember(tx, {
    customer_id: customer.id,
    owner_id: invitation.customer_id,
    joined_at: now,
    ...choices,
    daily_cap_micros,
    monthly_cap_micros,
    countries,
    time_zone,
  });
  if (!added) throw new AppError("conflict", { reason: "family_already" });
  const owner = await findCustomer(tx, invitation.customer_id);
  if (owner !== undefined) await sendNotice(tx, owner, { event: "family_joined", at: now, device: null });
}

/** An open invitation, whose owner could pay now. */
async function openInvitation(ctx: ServiceContext, token: string): Promise<{ invitation: Invitation; owner: Customer }> {
  const id = readLinkToken(ctx.config.secretKeys, linkUses.family, token);
  const invitation = id === null ? undefined : await findInvitation(ctx.handle.db, id, ctx.clock.now());
  const owner = invitation === undefined ? undefined : await findCustomer(ctx.handle.db, invitation.customer_id);
  if (invitation === undefined || owner?.status !== "active") throw new AppError("link_expired");
  return { invitation, owner };
}
