import type { FamilyChoices, FamilyLimitsOrder } from "@farline/contract/family/family.ts";
import { AppError } from "../platform/app-error.ts";
import type { Transaction } from "../platform/database/database.ts";
import type { ServiceContext } from "../context.ts";
import { deletePerson, findOwnerId, saveChoices, saveLimits } from "./family.store.ts";
import { limitsFrom } from "./invite.ts";

/**
 * Sets what a member may spend, with immediate effect for new calls.
 * @throws AppError not_found if the customer owns no family with this member; validation_failed
 */
export async function changeLimits(
  ctx: ServiceContext,
  of: { ownerId: string; memberId: string },
  order: FamilyLimitsOrder,
): Promise<void> {
  const limits = await limitsFrom(ctx, order);
  const found = await changing(ctx, of.ownerId, (tx) => saveLimits(tx, of, limits));
  if (!found) throw noMember();
  publish(ctx, [of.ownerId, of.memberId]);
}

/** A member's choice of the credit that pays, and whether the owner sees the called numbers. @throws AppError not_found */
export async function changeChoices(ctx: ServiceContext, memberId: string, choices: FamilyChoices): Promise<void> {
  const ownerId = await ownerOf(ctx, memberId);
  const found = await changing(ctx, ownerId, (tx) => saveChoices(tx, { ownerId, memberId }, choices));
  if (!found) throw noMember();
  publish(ctx, [ownerId, memberId]);
}

/** The owner takes a member out. Running calls go on within their hold; no new one begins. @throws AppError not_found */
export async function removeMember(ctx: ServiceContext, of: { ownerId: string; memberId: string }): Promise<void> {
  if (of.memberId === of.ownerId) throw noMember();
  await takeOut(ctx, { ownerId: of.ownerId, personId: of.memberId });
}

/** A member leaves, or an owner ends the family for all. @throws AppError not_found if the customer is in no family */
export async function leaveFamily(ctx: ServiceContext, personId: string): Promise<void> {
  await takeOut(ctx, { ownerId: await ownerOf(ctx, personId), personId });
}

async function takeOut(ctx: ServiceContext, of: { ownerId: string; personId: string }): Promise<void> {
  const gone = await changing(ctx, of.ownerId, (tx) => deletePerson(tx, of));
  if (gone.length === 0) throw noMember();
  publish(ctx, [of.ownerId, ...gone]);
}

/** Runs a change under the lock of the owner's account, so that each call of the family sees either all of it or nothing. */
function changing<Result>(ctx: ServiceContext, ownerId: string, change: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return ctx.transaction(async (tx) => {
    await ctx.ledger.lockAccounts(tx, [ownerId]);
    return change(tx);
  });
}

async function ownerOf(ctx: ServiceContext, personId: string): Promise<string> {
  const ownerId = await findOwnerId(ctx.handle.db, personId);
  if (ownerId === undefined) throw noMember();
  return ownerId;
}

function publish({ live }: ServiceContext, customers: readonly string[]): void {
  for (const id of new Set(customers)) live.publish(id, { type: "balance" });
}

function noMember(): AppError {
  return new AppError("not_found", { reason: "family_member_unknown" });
}
