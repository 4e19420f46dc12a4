import type { Ledger } from "../../ledger/ledger.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { AccountDependencies } from "../account-dependencies.ts";
import type { GoogleProvider } from "./google-provider.ts";

/** Dependencies of signing in with Google. */
export interface GoogleDependencies {
  readonly handle: AccountDependencies["handle"];
  readonly clock: AccountDependencies["clock"];
  readonly config: Pick<Config, "publicUrl" | "secretKeys">;
  readonly ledger: Pick<Ledger, "openAccount" | "transactions">;
  readonly endElsewhere: AccountDependencies["endElsewhere"];
  readonly provider: GoogleProvider;
}
