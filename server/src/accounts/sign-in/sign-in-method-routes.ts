import type { Ledger } from "../../ledger/ledger.ts";
import type { Config } from "../../platform/settings/config.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import type { AccountDependencies } from "../account-dependencies.ts";
import { sessionOf } from "../session/session-guards.ts";
import { googleRoutes } from "../google/google-routes.ts";
import { findIdentityOf } from "../google/identity.store.ts";
import { countRecoveryCodes, findAuthenticator } from "../second-factor/authenticator.store.ts";
import { passkeyRoutes } from "../second-factor/passkey-routes.ts";
import { listPasskeys } from "../second-factor/passkey.store.ts";
import { secondFactorRoutes } from "../second-factor/second-factor-routes.ts";

/** Routes for Google, passkeys and the second factor, and the list of an account's sign-in methods. */
export function signInMethodRoutes(
  app: App,
  deps: Pick<AccountDependencies, "handle" | "clock" | "endElsewhere"> & {
    config: Pick<Config, "google" | "publicUrl" | "limitsScale" | "secretKeys">;
    ledger: Pick<Ledger, "openAccount" | "transactions">;
  },
): void {
  googleRoutes(app, deps);
  passkeyRoutes(app, deps);
  secondFactorRoutes(app, deps);
  const { db } = deps.handle;

  serve(app, "GET /api/account/sign-in-methods", async (request) => {
    const { id: customerId, hasPassword } = sessionOf(request);
    const issuer = deps.config.google?.issuer;
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
