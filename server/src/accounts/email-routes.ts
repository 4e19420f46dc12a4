import {
  emailChangeRequest,
  linkRequest,
  type EmailChangeResponse,
  type EmailVerifiedResponse,
  type MessageResponse,
} from "@farline/contract/account-access.ts";
import type { App } from "../platform/http.ts";
import { networkOf } from "../platform/rate-limit.ts";
import type { AccountRouteParts } from "./account-parts.ts";
import { sessionOf } from "./session-keepers.ts";
import { confirmChangeByLink, startEmailChange } from "./change-email.ts";
import { proveOwner } from "./prove-owner.ts";
import { requestOrigin } from "./request-origin.ts";
import { sendVerification, verifyEmail } from "./verify-email.ts";

/** `/api/email/…`: verifying an address, and changing it. */
export function emailRoutes(app: App, parts: AccountRouteParts): void {
  const { limits } = parts;
  const { db } = parts.handle;

  app.post("/api/email/verification", { config: { access: "customer" } }, async (request, reply) => {
    const customer = sessionOf(request);
    if (customer.emailVerified) return { message: "Your email address is confirmed already." } satisfies MessageResponse;
    await limits.verifyHour.take(customer.id);
    await limits.verifyDay.take(customer.id);
    await db.transaction().execute((tx) => sendVerification(tx, customer, parts.clock.now()));
    return reply.status(202).send({ message: `We have sent a mail to ${customer.email}.` } satisfies MessageResponse);
  });

  app.post(
    "/api/email/verify",
    { config: { access: "visitor" }, schema: { body: linkRequest } },
    async (request): Promise<EmailVerifiedResponse> => {
      await limits.linkNetwork.take(networkOf(request.ip));
      const customer = await verifyEmail(parts, request.body.token);
      request.log.info({ customer: customer.id }, "email address verified");
      return { message: "Your email address is confirmed.", email: customer.email };
    },
  );

  app.post(
    "/api/email/change",
    { config: { access: "customer" }, schema: { body: emailChangeRequest } },
    async (request, reply) => {
      const session = sessionOf(request);
      const { email, current_password } = request.body;
      await proveOwner(parts, session, current_password);
      await limits.emailChange.take(session.id);
      await startEmailChange(parts, session, email);
      request.log.info({ customer: session.id }, "change of email address asked for");
      const message = session.emailVerified
        ? `We have sent a mail to ${email} and one to ${session.email}. Open the link in both.`
        : `We have sent a mail to ${email}. Open the link in it.`;
      return reply.status(202).send({ message } satisfies MessageResponse);
    },
  );

  app.post(
    "/api/email/change/confirm",
    { config: { access: "visitor" }, schema: { body: linkRequest } },
    async (request): Promise<EmailChangeResponse> => {
      await limits.linkNetwork.take(networkOf(request.ip));
      const { changed, customer } = await confirmChangeByLink(parts, request.body.token, requestOrigin(request));
      if (!changed)
        return {
          status: "waiting",
          message: "Thank you. Now open the link in the mail to the other address, too.",
          email: customer.email,
        };
      request.log.info({ customer: customer.id }, "email address changed");
      return { status: "changed", message: "Your email address is changed.", email: customer.email };
    },
  );
}
