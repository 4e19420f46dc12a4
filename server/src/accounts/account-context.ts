import type { ServiceContext } from "../context.ts";
import type { RemovedAccess } from "../mail/mail.ts";
import type { Tx } from "../platform/database/database.ts";
import { type NetworkLimit, sharedNetworkLimit } from "../platform/http/network-limit.ts";
import { type RateLimit, sharedRateLimit } from "../platform/http/rate-limit.ts";
import { signInLimits, type SignInLimits } from "./limits/sign-in-limits.ts";

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

const MINUTE = 60;

const HOUR = 60 * MINUTE;

const DAY = 24 * HOUR;

/** Sign-ups from one IP address, which a family, an office or a mobile carrier's customers may share. */
const SIGN_UPS = { freeAnHour: 3, anHour: 60, aDay: 200 } as const;

/** Limits on password guessing, bulk sign-ups and mail. */
interface AccountLimits {
  readonly signIn: SignInLimits;
  /** Above this, sign-ups need a proof of work. */
  readonly registerFree: NetworkLimit;
  readonly registerHour: NetworkLimit;
  readonly registerDay: NetworkLimit;
  /** Wrong passwords in a signed-in session. */
  readonly ownPassword: RateLimit;
  /** Second-factor codes across all forms, sign-in included: per session, per browser of the customer, and per customer elsewhere. */
  readonly codeTries: RateLimit;
  readonly verifyHour: RateLimit;
  /** Codes typed to confirm an address, per account and per network: a code of six digits must not be guessed. */
  readonly emailCodeDay: RateLimit;
  readonly emailCodeNetwork: NetworkLimit;
  /** Mailed links opened per network. */
  readonly linkNetwork: NetworkLimit;
  /** Password-reset requests from one network. */
  readonly resetNetwork: NetworkLimit;
  readonly emailChange: RateLimit;
  /** Each one stays in the account's history. */
  readonly nameChange: RateLimit;
}

/** @param elsewhere what other subjects store of access and calls */
export function createAccountContext(
  ctx: ServiceContext,
  elsewhere: Pick<AccountContext, "endElsewhere" | "findSessionsInCall">,
): AccountContext {
  return { ...ctx, ...elsewhere, limits: accountLimits(ctx) };
}

function accountLimits(ctx: ServiceContext): AccountLimits {
  const scale = ctx.config.limitsScale;
  const limit = (name: string, points: number, perSeconds: number) =>
    sharedRateLimit(ctx.handle, { name, points, perSeconds, scale });
  const perAddress = (name: string, points: number, perSeconds: number) =>
    sharedNetworkLimit(ctx.handle, { name, points, perSeconds, scale });
  return {
    signIn: signInLimits(ctx),
    registerFree: perAddress("register-free", SIGN_UPS.freeAnHour, HOUR),
    registerHour: perAddress("register-hour", SIGN_UPS.anHour, HOUR),
    registerDay: perAddress("register-day", SIGN_UPS.aDay, DAY),
    codeTries: limit("second-factor", 5, 10 * MINUTE),
    ownPassword: limit("own-password", 10, 15 * MINUTE),
    verifyHour: limit("verify-hour", 3, HOUR),
    emailCodeDay: limit("email-code-day", 20, DAY),
    emailCodeNetwork: perAddress("email-code-network", 60, HOUR),
    linkNetwork: perAddress("link-network", 60, 15 * MINUTE),
    resetNetwork: perAddress("reset-network", 10, HOUR),
    emailChange: limit("email-change", 3, HOUR),
    nameChange: limit("name-change", 10, DAY),
  };
}
