import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { say } from "../../platform/http/say.ts";
import { perNetwork } from "../../platform/http/network-limit.ts";
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

  serve(app, "POST /api/email/verification", async (request) => {
    const customer = sessionOf(request);

    if (customer.emailVerified) return say("email_confirmed_already");
    await limits.verifyHour.take(customer.id);
    await limits.verifyDay.take(customer.id);
    await ctx.transaction((tx) => sendVerification(tx, customer, ctx.clock.now()));
    return say("email_sent", { email: customer.email });
  });

  serve(app, "POST /api/email/verify", {
    onRequest: perNetwork(limits.linkNetwork),
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
    await startEmailChange(ctx, session, email);
    request.log.info({ customer: session.id }, "email change requested");
    return session.emailVerified
      ? say("email_change_sent_to_both", { email, present: session.email })
      : say("email_change_sent", { email });
  });

  serve(app, "POST /api/email/change/confirm", {
    onRequest: perNetwork(limits.linkNetwork),
    handler: async (request) => {
      const opened = { token: request.body.token, browserHash: browserHashOf(request), from: requestOrigin(request) };
      const { status, email } = await confirmChangeByLink(ctx, opened);
      if (status === "changed") request.log.info("email address changed");
      return { status, ...say(`email_change_${status === "changed" ? "done" : status}`), email };
    },
  });
}
