import type { ServiceContext } from "../context.ts";
import type { RemovedAccess } from "../mail/mail.ts";
import type { Tx } from "../platform/database/database.ts";
import { accountLimits, type AccountLimits } from "./limits/account-limits.ts";

/**
 * Revokes access kept by another subject that an intruder could have set up (`endPlantedAccess`), in the same transaction.
 * `firstProof`: the address was unverified until now. Returns the removed access, for the owner's mail.
 */
export type EndElsewhere = (tx: Tx, wanted: { customerId: string; firstProof: boolean; at: Date }) => Promise<RemovedAccess[]>;

/** The service's context with what is specific to accounts. */
export interface AccountContext extends ServiceContext {
  readonly endElsewhere: readonly EndElsewhere[];
  readonly limits: AccountLimits;
}

/** @param endElsewhere of other subjects that store access */
export function createAccountContext(ctx: ServiceContext, endElsewhere: readonly EndElsewhere[]): AccountContext {
  return { ...ctx, endElsewhere, limits: accountLimits(ctx) };
}
