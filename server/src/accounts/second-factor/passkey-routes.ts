import { isUuid } from "@farline/domain/uuid.ts";
import { AppError } from "../../platform/app-error.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { sharedNetworkLimit } from "../../platform/http/network-limit.ts";
import { perDoor } from "../doors.ts";
import { toUser } from "../record/to-user.ts";
import { browserHashOf } from "../session/browser.ts";
import { sessionOf } from "../session/session-guards.ts";
import { requestOrigin } from "../session/request-origin.ts";
import { signInOrigin } from "../session/start-session.ts";
import { addPasskey, registrationOptions, signInOptions, signInWithPasskey } from "./passkeys.ts";
import { removePasskey } from "./remove-passkey.ts";
import type { AccountContext } from "../account-context.ts";

const TEN_MINUTES_SECONDS = 10 * 60;

/** `/api/login/passkey`: signing in with a passkey. `/api/account/passkeys`: adding and removing them. */
export function passkeyRoutes(app: App, ctx: AccountContext): void {
  const { handle, config } = ctx;
  const limit = (name: string) =>
    sharedNetworkLimit(handle, { name, points: 30, perSeconds: TEN_MINUTES_SECONDS, scale: config.limitsScale });
  const limits = { options: limit("passkey-options"), signIn: limit("passkey-sign-in") };

  serve(app, "POST /api/login/passkey/options", {
    onRequest: perDoor(ctx, limits.options),
    handler: async () => ({ options: await signInOptions(ctx) }),
  });

  serve(app, "POST /api/login/passkey", {
    onRequest: perDoor(ctx, limits.signIn),
    handler: async (request, reply) => {
      const { customer, token } = await signInWithPasskey(ctx, request.body, () =>
        signInOrigin(request, reply, config.secretKeys),
      );
      request.log.info({ customer: customer.id }, "signed in with a passkey");
      return { token, user: toUser(customer) };
    },
  });

  serve(app, "POST /api/account/passkeys/options", {
    onRequest: perDoor(ctx, limits.options),
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
