import type { Ledger } from "../ledger/ledger.ts";
import type { RemovedAccess } from "../mail/mail.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/settings/config.ts";
import type { DatabaseHandle, Tx } from "../platform/database/database.ts";
import type { AccountLimits } from "./account-limits.ts";
import type { PasswordCost } from "./password/password-hash.ts";

/**
 * Ends what another subject keeps for a customer and a stranger could have set up (`endPlantedAccess`), in the same
 * transaction. `firstProof`: nobody had proved the account's address before. Returns what the owner is told.
 */
export type EndElsewhere = (tx: Tx, wanted: { customerId: string; firstProof: boolean; at: Date }) => Promise<RemovedAccess[]>;

/** What the accounts need from the rest of the service. */
export interface AccountParts {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly config: Pick<Config, "limitsScale" | "secretKeys">;
  /** The cost of a password hash, if not the default. */
  readonly passwordCost?: PasswordCost;
  /** As in `RobotCheckParts`. */
  readonly proofBits?: number;
  readonly ledger: Pick<Ledger, "openAccount">;
  readonly endElsewhere: readonly EndElsewhere[];
}

/** What the routes of the accounts share. */
export type AccountRouteParts = AccountParts & { readonly limits: AccountLimits };
