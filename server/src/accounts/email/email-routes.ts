import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { say } from "../../platform/http/say.ts";
import { linkUses, requireMailed, sayMailed } from "../../mail/mail.ts";
import { perLink } from "../doors.ts";
import { browserHashOf } from "../session/browser.ts";
import { sessionOf } from "../session/session-guards.ts";
import { confirmChangeByLink, startEmailChange } from "./change-email.ts";
import { proveOwner } from "../session/prove-owner.ts";
import { requestOrigin } from "../session/request-origin.ts";
import { sendVerification, verifyEmail } from "./verify-email.ts";
import type { AccountContext } from "../account-context.ts";

/** `/api/email/…`: verifying an address, and changing it. */
export function emailRoutes(app: App, ctx: AccountContext): void {
  const { limits } = ctx;
  const { secretKeys } = ctx.config;

  serve(app, "POST /api/email/verification", async (request) => {
    const customer = sessionOf(request);

    if (customer.emailVerified) return say("email_confirmed_already");
    await limits.verifyHour.take(customer.id);
    const mailed = await ctx.transaction(async (tx) => requireMailed(await sendVerification(tx, customer, ctx.clock.now())));
    return sayMailed(ctx, [mailed], { reason: "email_sent", params: { email: customer.email } });
  });

  serve(app, "POST /api/email/verify", {
    preHandler: perLink(secretKeys, limits.linkNetwork, [linkUses.verifyEmail]),
    handler: async (request) => {
      const { customer, resetToken } = await verifyEmail(ctx, request.body.token, {
        network: requestOrigin(request).network,
        browser: browserHashOf(request),
      });
      if (resetToken !== null) return { status: "choose_password", ...say("email_choose_password"), reset_token: resetToken };
      request.log.info({ customer: customer.id }, "email address verified");
      return { status: "verified", ...say("email_confirmed"), email: customer.email };
    },
  });

  serve(app, "POST /api/email/change", async (request) => {
    const session = sessionOf(request);
    const { email, current_password } = request.body;
    await proveOwner(ctx, session, { password: current_password });
    await limits.emailChange.take(session.id);
    const mailed = await startEmailChange(ctx, session, email);
    request.log.info({ customer: session.id }, "email change requested");
    const reason = session.emailVerified ? "email_change_sent_to_both" : "email_change_sent";
    return sayMailed(ctx, mailed, { reason, params: { email, ...(session.emailVerified ? { present: session.email } : {}) } });
  });

  serve(app, "POST /api/email/change/confirm", {
    preHandler: perLink(secretKeys, limits.linkNetwork, [linkUses.changeEmailNew, linkUses.changeEmailOld]),
    handler: async (request) => {
      const opened = { token: request.body.token, browserHash: browserHashOf(request), from: requestOrigin(request) };
      const { status, email } = await confirmChangeByLink(ctx, opened);
      if (status === "changed") request.log.info("email address changed");
      return { status, ...say(`email_change_${status === "changed" ? "done" : status}`), email };
    },
  });
}
