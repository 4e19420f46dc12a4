import { emailKey } from "@farline/domain/email-address.ts";
import { uuidv7 } from "uuidv7";
import { recordWithNotice } from "../record/send-notice.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { say } from "../../platform/http/say.ts";
import { linkUses, RESETS_PER_DAY, sayMaybeMailed } from "../../mail/mail.ts";
import { perDoor, perLink } from "../doors.ts";
import { sessionOf } from "../session/session-guards.ts";
import { browserHashOf } from "../session/browser.ts";
import { insertResetRequest, deleteMailLinks } from "../record/mail-link.store.ts";
import { checkNewPassword } from "../credentials/password-rules.ts";
import { proveOwner, proveOwnerAgain } from "../session/prove-owner.ts";
import { requestOrigin } from "../session/device-name.ts";
import type { RequestOrigin } from "../record/request-origin.ts";
import { readResetLink, resetPassword } from "./reset-password.ts";
import type { AccountContext } from "../account-context.ts";
import { storePassword } from "../record/customer.store.ts";
import { endAccess } from "../session/end-access.ts";
import { hashPassword } from "../credentials/password-hash.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";

/** `/api/password…` and `/api/reauthenticate`. */
export function passwordRoutes(app: App, ctx: AccountContext): void {
  const { limits } = ctx;
  const { db } = ctx.handle;

  serve(app, "POST /api/password/forgot", {
    onRequest: perDoor(ctx, limits.resetNetwork),
    handler: async (request) => {
      // Responds without any lookup, so that response and time are the same for every address.
      const browserHash = browserHashOf(request);
      await insertResetRequest(db, { id: uuidv7(), emailKey: emailKey(request.body.email), browserHash, now: ctx.clock.now() });
      return sayMaybeMailed(ctx, "password_reset_asked", { max: RESETS_PER_DAY });
    },
  });

  serve(app, "POST /api/password/reset", {
    preHandler: perLink(ctx.config.secretKeys, limits.linkNetwork, [linkUses.resetPassword]),
    handler: async (request) => {
      const customer = await resetPassword(ctx, request.body, {
        ...requestOrigin(request),
        browserHash: browserHashOf(request),
      });
      request.log.info({ customer: customer.id }, "password reset");
      return say("password_set");
    },
  });

  serve(app, "POST /api/password/reset/account", {
    preHandler: perLink(ctx.config.secretKeys, limits.linkNetwork, [linkUses.resetPassword]),
    handler: async (request) => ({ email: (await readResetLink(ctx, request.body.token)).customer.email }),
  });

  serve(app, "POST /api/password", async (request) => {
    const session = sessionOf(request);
    const from = requestOrigin(request);
    await proveOwner(ctx, session, { password: request.body.current_password, from });
    checkNewPassword(request.body, session);
    await changePassword(ctx, session, {
      password: request.body.password,
      browserHash: browserHashOf(request),
      from,
    });
    request.log.info({ customer: session.id }, "password changed");
  });

  serve(app, "POST /api/reauthenticate", async (request) => {
    const session = sessionOf(request);
    const { current_password: password, code } = request.body;
    await proveOwnerAgain(ctx, session, { password, code, from: requestOrigin(request) });
  });
}

/**
 * Sets a signed-in customer's password. Signs out every other device and notifies the owner by
 * mail. The caller must have called `proveOwner`.
 */
async function changePassword(
  ctx: AccountContext,
  session: SessionWithCustomer,
  wanted: { password: string; browserHash: Buffer | null; from: RequestOrigin },
): Promise<void> {
  const password = await hashPassword(ctx.config.secretKeys, wanted.password, ctx.costs.password);
  const now = ctx.clock.now();
  const customerId = session.id;
  await ctx.transaction(async (tx) => {
    await lockSession(tx, session);
    await storePassword(tx, { customerId, password });
    await endAccess(
      tx,
      { customerId, exceptSession: session.sessionId, exceptBrowser: wanted.browserHash },
      { by: "password_changed", at: now },
    );
    await deleteMailLinks(tx, { customerId, use: "reset_password" });
    await recordWithNotice(tx, session, { event: "password_changed", from: wanted.from, at: now });
  });
}
