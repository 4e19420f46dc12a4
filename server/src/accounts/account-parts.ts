import type { Ledger } from "../ledger/ledger.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { DatabaseHandle } from "../platform/database.ts";
import type { AccountLimits } from "./account-limits.ts";

/** What the accounts need from the rest of the service. */
export interface AccountParts {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly config: Pick<Config, "limitsScale" | "secretKeys">;
  readonly ledger: Pick<Ledger, "openAccount">;
}

/** What the routes of the accounts share. */
export type AccountRouteParts = AccountParts & { readonly limits: AccountLimits };
