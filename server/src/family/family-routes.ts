import { DAY_SECONDS } from "@farline/domain/durations.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { customerOf, perCustomer, requireStepUp } from "../accounts/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { memoryRateLimit, sharedRateLimit } from "../platform/http/rate-limit.ts";
import type { ServiceContext } from "../context.ts";
import { acceptInvitation, readInvitation } from "./accept-invitation.ts";
import { changeChoices, changeLimits, leaveFamily, removeMember } from "./change-family.ts";
import { invite, withdrawInvitation } from "./invite.ts";
import { readCallsOfMember, readFamily } from "./read-family.ts";

/** Invitations of one customer. */
const INVITATIONS = { name: "family-invitation", points: 20, perSeconds: DAY_SECONDS, reason: "family_invited_often" } as const;
const CHANGES = { name: "family-change", points: 60, perSeconds: 60 };

/** `/api/family`: people who call on the credit of one of them. */
export function familyRoutes(app: App, ctx: ServiceContext): void {
  const scale = ctx.config.limitsScale;
  const invitations = perCustomer(sharedRateLimit(ctx.handle, { ...INVITATIONS, scale }));
  const onRequest = perCustomer(memoryRateLimit({ ...CHANGES, scale }));

  serve(app, "GET /api/family", async (request) => readFamily(ctx, customerOf(request).id));

  serve(app, "DELETE /api/family", {
    onRequest,
    handler: async (request) => {
      await leaveFamily(ctx, customerOf(request).id);
      return readFamily(ctx, customerOf(request).id);
    },
  });

  serve(app, "POST /api/family/invitations", {
    onRequest: invitations,
    handler: async (request) => {
      await invite(ctx, customerOf(request), request.body);
      return readFamily(ctx, customerOf(request).id);
    },
  });

  serve(app, "DELETE /api/family/invitations/:id", {
    onRequest,
    handler: async (request) => {
      await withdrawInvitation(ctx, customerOf(request).id, idOf(request.params, "family_invitation_unknown"));
      return readFamily(ctx, customerOf(request).id);
    },
  });

  serve(app, "POST /api/family/invitation", {
    onRequest,
    handler: async (request) => readInvitation(ctx, customerOf(request), request.body.token),
  });

  serve(app, "POST /api/family/accept", {
    onRequest,
    handler: async (request) => {
      const { token, ...choices } = request.body;
      await acceptInvitation(ctx, customerOf(request), { token, choices });
      return readFamily(ctx, customerOf(request).id);
    },
  });

  serve(app, "PATCH /api/family/choices", {
    onRequest,
    handler: async (request) => {
      // A thief must not be able to watch from then on whom the member calls.
      if (request.body.shows_numbers) requireStepUp(request, ctx);
      await changeChoices(ctx, customerOf(request).id, request.body);
      return readFamily(ctx, customerOf(request).id);
    },
  });

  serve(app, "PUT /api/family/members/:id/limits", {
    onRequest,
    handler: async (request) => {
      await changeLimits(ctx, { ownerId: customerOf(request).id, memberId: idOf(request.params) }, request.body);
      return readFamily(ctx, customerOf(request).id);
    },
  });

  serve(app, "DELETE /api/family/members/:id", {
    onRequest,
    handler: async (request) => {
      await removeMember(ctx, { ownerId: customerOf(request).id, memberId: idOf(request.params) });
      return readFamily(ctx, customerOf(request).id);
    },
  });

  serve(app, "GET /api/family/members/:id/calls", {
    onRequest,
    handler: async (request) => readCallsOfMember(ctx, { ownerId: customerOf(request).id, memberId: idOf(request.params) }),
  });
}

function idOf(
  { id }: { readonly id: string },
  reason: "family_invitation_unknown" | "family_member_unknown" = "family_member_unknown",
): string {
  if (!isUuid(id)) throw new AppError("not_found", { reason });
  return id;
}
