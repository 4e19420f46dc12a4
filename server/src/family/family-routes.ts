import type { FastifyRequest } from "fastify";
import { isUuid } from "@farline/domain/uuid.ts";
import type { FamilyChoices, FamilyLimitsOrder } from "@farline/contract/family/family.ts";
import {
  customerOf,
  lockSession,
  perCustomer,
  perLink,
  requireStepUp,
  sessionOf,
  type SessionWithCustomer,
} from "../accounts/accounts.ts";
import { linkUses } from "../mail/mail.ts";
import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { sharedNetworkLimit } from "../platform/http/network-limit.ts";
import { memoryRateLimit, sharedRateLimit } from "../platform/http/rate-limit.ts";
import type { ServiceContext } from "../context.ts";
import { acceptInvitation, readInvitation } from "./accept-invitation.ts";
import { invite, limitsFrom, withdrawInvitation } from "./invite.ts";
import { readFamily } from "./read-family.ts";
import type { Transaction } from "../platform/database/database.ts";
import { deletePerson, findOwnerId, updateMember } from "./family.store.ts";

/** `/api/family`: people who call on the credit of one of them. */
export function familyRoutes(app: App, ctx: ServiceContext): void {
  const onRequest = perCustomer(memoryRateLimit(ctx, "family-change"));

  serve(app, "GET /api/family", async (request) => readFamily(ctx, customerOf(request).id));

  /** Makes a change, and returns the family after it. */
  const thenRead =
    <Request extends FastifyRequest>(change: (request: Request) => Promise<void>) =>
    async (request: Request) => {
      await change(request);
      return readFamily(ctx, customerOf(request).id);
    };

  serve(app, "DELETE /api/family", { onRequest, handler: thenRead((request) => leaveFamily(ctx, sessionOf(request))) });

  serve(app, "POST /api/family/invitations", {
    onRequest: perCustomer(sharedRateLimit(ctx, "family-invitation")),
    handler: thenRead((request) => invite(ctx, sessionOf(request), request.body)),
  });

  serve(app, "DELETE /api/family/invitations/:id", {
    onRequest,
    handler: thenRead((request) =>
      withdrawInvitation(ctx, customerOf(request).id, idOf(request.params, "family_invitation_unknown")),
    ),
  });

  serve(app, "POST /api/family/invitation", {
    preHandler: perLink(ctx.config.secretKeys, sharedNetworkLimit(ctx, "family-link-open"), [linkUses.family]),
    handler: async (request) => readInvitation(ctx, request.body.token),
  });

  serve(app, "POST /api/family/accept", {
    onRequest,
    handler: thenRead((request) => {
      const { token, ...choices } = request.body;
      return acceptInvitation(ctx, sessionOf(request), { token, choices });
    }),
  });

  serve(app, "PATCH /api/family/choices", {
    onRequest,
    handler: thenRead(async (request) => {
      // A thief must not be able to watch from then on whom the member calls.
      if (request.body.shows_numbers) requireStepUp(request, ctx);
      await changeChoices(ctx, sessionOf(request), request.body);
    }),
  });

  serve(app, "PUT /api/family/members/:id/limits", {
    onRequest,
    handler: thenRead((request) => changeLimits(ctx, sessionOf(request), idOf(request.params), request.body)),
  });

  serve(app, "DELETE /api/family/members/:id", {
    onRequest,
    handler: thenRead(async (request) => removeMember(ctx, sessionOf(request), idOf(request.params))),
  });
}

function idOf(
  { id }: { readonly id: string },
  reason: "family_invitation_unknown" | "family_member_unknown" = "family_member_unknown",
): string {
  if (!isUuid(id)) throw new AppError("not_found", { reason });
  return id;
}

/**
 * Sets what a member may spend, with immediate effect for new calls.
 * @throws AppError not_found if the customer owns no family with this member; validation_failed
 */
async function changeLimits(
  ctx: ServiceContext,
  session: SessionWithCustomer,
  memberId: string,
  order: FamilyLimitsOrder,
): Promise<void> {
  const of = { ownerId: session.id, memberId };
  const limits = await limitsFrom(ctx, order);
  const found = await changing(ctx, session, of.ownerId, (tx) => updateMember(tx, of, limits));
  if (!found) throw noMember();
  publish(ctx, [of.ownerId, of.memberId]);
}

/** A member's choice of the credit that pays, and whether the owner sees the called numbers. @throws AppError not_found */
async function changeChoices(ctx: ServiceContext, session: SessionWithCustomer, choices: FamilyChoices): Promise<void> {
  const memberId = session.id;
  const ownerId = await ownerOf(ctx, memberId);
  const found = await changing(ctx, session, ownerId, (tx) => updateMember(tx, { ownerId, memberId }, choices));
  if (!found) throw noMember();
  publish(ctx, [ownerId, memberId]);
}

/** The owner takes a member out. Running calls go on within their hold; no new one begins. @throws AppError not_found */
async function removeMember(ctx: ServiceContext, session: SessionWithCustomer, memberId: string): Promise<void> {
  if (memberId === session.id) throw noMember();
  await takeOut(ctx, session, { ownerId: session.id, personId: memberId });
}

/** A member leaves, or an owner ends the family for all. @throws AppError not_found if the customer is in no family */
async function leaveFamily(ctx: ServiceContext, session: SessionWithCustomer): Promise<void> {
  await takeOut(ctx, session, { ownerId: await ownerOf(ctx, session.id), personId: session.id });
}

async function takeOut(
  ctx: ServiceContext,
  session: SessionWithCustomer,
  of: { ownerId: string; personId: string },
): Promise<void> {
  const gone = await changing(ctx, session, of.ownerId, (tx) => deletePerson(tx, of));
  if (gone.length === 0) throw noMember();
  publish(ctx, [of.ownerId, ...gone]);
}

/** Runs a change under the lock of the owner's account, so that each call of the family sees either all of it or nothing. */
function changing<Result>(
  ctx: ServiceContext,
  session: SessionWithCustomer,
  ownerId: string,
  change: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return ctx.transaction(async (tx) => {
    await lockSession(tx, session);
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
