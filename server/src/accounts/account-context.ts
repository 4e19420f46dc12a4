import type { ServiceContext } from "../context.ts";
import type { RemovedAccess } from "../mail/mail.ts";
import type { Tx } from "../platform/database/database.ts";
import { accountLimits, type AccountLimits } from "./limits/account-limits.ts";

/**
 * Revokes access kept by another subject that an intruder could have set up (`endPlantedAccess`), in the same transaction.
 * `firstProof`: the address was unverified until now. Returns the removed access, for the owner's mail.
 */
export type EndElsewhere = (tx: Tx, wanted: { customerId: string; firstProof: boolean; at: Date }) => Promise<RemovedAccess[]>;

/** The customer's sessions with a running call, which ends with them. Calls belong to a later subject. */
export type FindSessionsInCall = (db: Tx, customerId: string) => Promise<ReadonlySet<string>>;

/** The service's context with what is specific to accounts. */
export interface AccountContext extends ServiceContext {
  readonly endElsewhere: readonly EndElsewhere[];
  readonly findSessionsInCall: FindSessionsInCall;
  readonly limits: AccountLimits;
}

/** @param elsewhere what other subjects store of access and calls */
export function createAccountContext(
  ctx: ServiceContext,
  elsewhere: Pick<AccountContext, "endElsewhere" | "findSessionsInCall">,
): AccountContext {
  return { ...ctx, ...elsewhere, limits: accountLimits(ctx) };
}
