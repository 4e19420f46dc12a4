import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { sessionOf } from "./session/session-guards.ts";
import { googleRoutes } from "./google/google-routes.ts";
import { findIdentityOf } from "./record/google.store.ts";
import { countRecoveryCodes, findAuthenticator, listPasskeys } from "./record/second-factor.store.ts";
import { passkeyRoutes } from "./second-factor/passkey-routes.ts";
import { secondFactorRoutes } from "./second-factor/second-factor-routes.ts";
import type { AccountContext } from "./account-context.ts";

/** Routes for Google, passkeys and the second factor, and the list of an account's sign-in methods. */
export function signInMethodRoutes(app: App, ctx: AccountContext): void {
  googleRoutes(app, ctx);
  passkeyRoutes(app, ctx);
  secondFactorRoutes(app, ctx);
  const { db } = ctx.handle;

  serve(app, "GET /api/account/sign-in-methods", async (request) => {
    const { id: customerId, hasPassword } = sessionOf(request);
    const issuer = ctx.config.google?.issuer;
    const google = issuer === undefined ? undefined : await findIdentityOf(db, { customerId, issuer });
    const authenticator = await findAuthenticator(db, customerId);
    const since = authenticator?.confirmedAt ?? null;
    const passkeys = await listPasskeys(db, customerId);
    return {
      password: hasPassword,
      google: google === undefined ? null : { email: google.email, linked_at: google.linkedAt.toISOString() },
      authenticator:
        since === null ? null : { since: since.toISOString(), recovery_codes_left: await countRecoveryCodes(db, customerId) },
      passkeys: passkeys.map((one) => ({
        id: one.id,
        name: one.name,
        synced: one.synced,
        created_at: one.created_at.toISOString(),
        last_used_at: one.last_used_at?.toISOString() ?? null,
      })),
    };
  });
}
