import type { Ledger } from "../../ledger/ledger.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { AccountParts } from "../account-parts.ts";
import type { GoogleProvider } from "./google-provider.ts";

/** Dependencies of signing in with Google. */
export interface GoogleParts {
  readonly handle: AccountParts["handle"];
  readonly clock: AccountParts["clock"];
  readonly config: Pick<Config, "publicUrl">;
  readonly ledger: Pick<Ledger, "openAccount" | "transactions">;
  readonly endElsewhere: AccountParts["endElsewhere"];
  readonly provider: GoogleProvider;
}
