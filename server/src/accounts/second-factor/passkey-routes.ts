import { isUuid } from "@farline/domain/uuid.ts";
import { recordWithNotice } from "../record/send-notice.ts";
import { AppError } from "../../platform/app-error.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { sharedNetworkLimit } from "../../platform/http/network-limit.ts";
import { perDoor } from "../doors.ts";
import { toUser } from "../record/to-user.ts";
import { browserHashOf } from "../session/browser.ts";
import { sessionOf } from "../session/session-guards.ts";
import { requestOrigin } from "../session/device-name.ts";
import type { RequestOrigin } from "../record/request-origin.ts";
import { signInOrigin } from "../session/start-session.ts";
import { addPasskey, registrationOptions, signInOptions, signInWithPasskey } from "./passkeys.ts";
import type { AccountContext } from "../account-context.ts";
import { hasIdentity } from "../record/google.store.ts";
import { deletePasskey, listPasskeys } from "../record/second-factor.store.ts";
import { endAccess } from "../session/end-access.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";

/** `/api/login/passkey`: signing in with a passkey. `/api/account/passkeys`: adding and removing them. */
export function passkeyRoutes(app: App, ctx: AccountContext): void {
  const perOptions = perDoor(ctx, sharedNetworkLimit(ctx, "passkey-options"));

  serve(app, "POST /api/login/passkey/options", {
    onRequest: perOptions,
    handler: async () => ({ options: await signInOptions(ctx) }),
  });

  serve(app, "POST /api/login/passkey", {
    onRequest: perDoor(ctx, sharedNetworkLimit(ctx, "passkey-sign-in")),
    handler: async (request, reply) => {
      const { customer, token } = await signInWithPasskey(ctx, request.body, () =>
        signInOrigin(request, reply, ctx.config.secretKeys),
      );
      request.log.info({ customer: customer.id }, "signed in with a passkey");
      return { token, user: toUser(customer) };
    },
  });

  serve(app, "POST /api/account/passkeys/options", {
    onRequest: perOptions,
    handler: async (request) => {
      const customer = sessionOf(request);
      return { options: await registrationOptions(ctx, customer) };
    },
  });

  serve(app, "POST /api/account/passkeys", async (request) => {
    const customer = sessionOf(request);
    const made = await addPasskey(ctx, customer, { ...request.body, from: requestOrigin(request) });
    request.log.info({ customer: customer.id, passkey: made.id }, "passkey added");
    return made;
  });

  serve(app, "DELETE /api/account/passkeys/:id", async (request) => {
    const customer = sessionOf(request);
    const { id } = request.params;
    if (!isUuid(id)) throw new AppError("not_found", { reason: "passkey_unknown" });
    await removePasskey(ctx, customer, { id, browserHash: browserHashOf(request), from: requestOrigin(request) });
  });
}

/** Removes a passkey unless it is the last sign-in method, and ends the other sessions, which it may have opened. @throws AppError not_found, last_sign_in_method */
async function removePasskey(
  ctx: AccountContext,
  customer: SessionWithCustomer,
  given: { id: string; browserHash: Buffer | null; from: RequestOrigin },
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    const name = await deletePasskey(tx, { id: given.id, customerId: customer.id });
    if (name === undefined) throw new AppError("not_found", { reason: "passkey_unknown" });
    const otherWay =
      customer.hasPassword || (await listPasskeys(tx, customer.id)).length > 0 || (await hasIdentity(tx, customer.id));
    if (!otherWay) throw new AppError("last_sign_in_method", { reason: "last_sign_in_method_passkey" });
    const others = { customerId: customer.id, exceptSession: customer.sessionId, exceptBrowser: given.browserHash };
    await endAccess(tx, others, { by: "sign_in_method_removed", at: now });
    await recordWithNotice(tx, customer, { event: "passkey_removed", detail: name, from: given.from, at: now });
  });
}
