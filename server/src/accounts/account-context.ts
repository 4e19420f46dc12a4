import type { ServiceContext } from "../context.ts";
import type { RemovedAccess } from "../mail/mail.ts";
import type { Tx } from "../platform/database/database.ts";
import { accountLimits, type AccountLimits } from "./limits/account-limits.ts";

/**
 * Revokes access kept by another subject that an intruder could have set up (`endPlantedAccess`), in the same transaction.
 * `firstProof`: the address was unproven until now. Returns the removed access to name in the owner's mail.
 */
export type EndElsewhere = (tx: Tx, wanted: { customerId: string; firstProof: boolean; at: Date }) => Promise<RemovedAccess[]>;

/** The service's context, and what accounts share. */
export interface AccountContext extends ServiceContext {
  readonly endElsewhere: readonly EndElsewhere[];
  readonly limits: AccountLimits;
}

/** @param endElsewhere of the subjects that keep access of their own */
export function createAccountContext(ctx: ServiceContext, endElsewhere: readonly EndElsewhere[]): AccountContext {
  return { ...ctx, endElsewhere, limits: accountLimits(ctx) };
}
