import type { EmailChangeResponse } from "@farline/contract/account-access.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { perNetwork } from "../../platform/http/network-limit.ts";
import type { AccountRouteDependencies } from "../account-dependencies.ts";
import { browserHashOf } from "../session/browser.ts";
import { sessionOf } from "../session/session-keepers.ts";
import { confirmChangeByLink, startEmailChange } from "./change-email.ts";
import { proveOwner } from "../prove-owner.ts";
import { requestOrigin } from "../session/request-origin.ts";
import { sendVerification, verifyEmail } from "./verify-email.ts";

const CHOOSE_PASSWORD =
  "Nobody has signed in to this account in this browser. If you signed up yourself, sign in here and open the link again. Or choose a password now: then only you can get in.";
const CHANGE_MESSAGES: Readonly<Record<EmailChangeResponse["status"], string>> = {
  waiting: "Thank you. Now open the link in the email to the other address, too.",
  changed: "Your email address is changed.",
  sign_in: "Sign in in this browser, then open the link again. If you did not ask for this, do nothing.",
};

/** `/api/email/…`: verifying an address, and changing it. */
export function emailRoutes(app: App, deps: AccountRouteDependencies): void {
  const { limits } = deps;
  const { db } = deps.handle;

  serve(app, "POST /api/email/verification", async (request) => {
    const customer = sessionOf(request);

    if (customer.emailVerified) return { message: "Your email address is confirmed already." };
    await limits.verifyHour.take(customer.id);
    await limits.verifyDay.take(customer.id);
    await db.transaction().execute((tx) => sendVerification(tx, customer, deps.clock.now()));
    return { message: `We have sent an email to ${customer.email}.` };
  });

  serve(app, "POST /api/email/verify", {
    onRequest: perNetwork(limits.linkNetwork),
    handler: async (request) => {
      const { customer, resetToken } = await verifyEmail(deps, request.body.token, {
        network: requestOrigin(request).network,
        browser: browserHashOf(request),
      });
      if (resetToken !== null) return { status: "choose_password", message: CHOOSE_PASSWORD, reset_token: resetToken };
      request.log.info({ customer: customer.id }, "email address verified");
      return { status: "verified", message: "Your email address is confirmed.", email: customer.email };
    },
  });

  serve(app, "POST /api/email/change", async (request) => {
    const session = sessionOf(request);
    const { email, current_password } = request.body;
    await proveOwner(deps, session, { password: current_password });
    await limits.emailChange.take(session.id);
    await startEmailChange(deps, session, email);
    request.log.info({ customer: session.id }, "email change requested");
    const message = session.emailVerified
      ? `We have sent an email to ${email} and one to ${session.email}. Open the link in both.`
      : `We have sent an email to ${email}. Open the link in it.`;
    return { message };
  });

  serve(app, "POST /api/email/change/confirm", {
    onRequest: perNetwork(limits.linkNetwork),
    handler: async (request) => {
      const opened = { token: request.body.token, browserHash: browserHashOf(request), from: requestOrigin(request) };
      const { status, email } = await confirmChangeByLink(deps, opened);
      if (status === "changed") request.log.info("email address changed");
      return { status, message: CHANGE_MESSAGES[status], email };
    },
  });
}
