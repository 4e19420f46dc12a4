import type { Ledger } from "../ledger/ledger.ts";
import type { RemovedAccess } from "../mail/mail.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/settings/config.ts";
import type { DatabaseHandle, Tx } from "../platform/database/database.ts";
import type { AccountLimits } from "./account-limits.ts";
import type { PasswordCost } from "./password/password-hash.ts";

/**
 * Revokes access kept by another subject that an intruder could have set up (`endPlantedAccess`), in the same transaction.
 * `firstProof`: the address was unproven until now. Returns the removed access to name in the owner's mail.
 */
export type EndElsewhere = (tx: Tx, wanted: { customerId: string; firstProof: boolean; at: Date }) => Promise<RemovedAccess[]>;

/** Dependencies of accounts. */
export interface AccountDependencies {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly config: Pick<Config, "limitsScale" | "secretKeys">;
  /** The cost of a password hash, if not the default. */
  readonly passwordCost?: PasswordCost;
  /** As in `RobotCheckDependencies`. */
  readonly proofBits?: number;
  readonly ledger: Pick<Ledger, "openAccount">;
  readonly endElsewhere: readonly EndElsewhere[];
}

/** Dependencies of the account routes. */
export type AccountRouteDependencies = AccountDependencies & { readonly limits: AccountLimits };
