import type { ServiceContext } from "../context.ts";
import type { RemovedAccess } from "../mail/mail.ts";
import type { Tx } from "../platform/database/database.ts";
import { sharedNetworkLimit } from "../platform/http/network-limit.ts";
import { sharedRateLimit } from "../platform/http/rate-limit.ts";
import { signInLimits } from "./limits/sign-in-limits.ts";

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

/** Limits on password guessing, bulk sign-ups and mail. */
type AccountLimits = ReturnType<typeof accountLimits>;

function accountLimits(ctx: ServiceContext) {
  return {
    signIn: signInLimits(ctx),
    registerFree: sharedNetworkLimit(ctx, "register-free"),
    registerHour: sharedNetworkLimit(ctx, "register-hour"),
    registerDay: sharedNetworkLimit(ctx, "register-day"),
    /** Second-factor codes across all forms, sign-in included: per session, per browser of the customer, and per customer elsewhere. */
    codeTries: sharedRateLimit(ctx, "second-factor"),
    /** Wrong passwords in a signed-in session. */
    ownPassword: sharedRateLimit(ctx, "own-password"),
    verifyHour: sharedRateLimit(ctx, "verify-hour"),
    /** Codes typed to confirm an address, per account and per network: a code of six digits must not be guessed. */
    emailCodeDay: sharedRateLimit(ctx, "email-code-day"),
    emailCodeNetwork: sharedNetworkLimit(ctx, "email-code-network"),
    /** Mailed links opened per network. */
    linkNetwork: sharedNetworkLimit(ctx, "link-network"),
    resetNetwork: sharedNetworkLimit(ctx, "reset-network"),
    emailChange: sharedRateLimit(ctx, "email-change"),
    nameChange: sharedRateLimit(ctx, "name-change"),
  };
}
