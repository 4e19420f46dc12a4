import type { ErasureObstacle } from "@farline/contract/constants.ts";
import { isOver } from "../../billing/billing.ts";
import type { OpenBusiness } from "./erasure.store.ts";

/** What decides whether an account can be erased. */
export interface ClosingAccount {
  readonly business: OpenBusiness;
  readonly balanceMicros: bigint;
  readonly debtMicros: bigint;
  /** Credit that may be withdrawn now. */
  readonly withdrawableMicros: bigint;
}

/** What blocks a customer's request. Everything else may end during the grace period. */
export function obstacleOfRequest({ business, debtMicros, withdrawableMicros }: ClosingAccount): ErasureObstacle | null {
  if (business.frozen) return "frozen";
  if (business.liveCall) return "live_call";
  if (withdrawableMicros > 0n) return "withdrawable_credit";
  return debtMicros > 0n ? "debt" : null;
}

/**
 * What blocks the erasure itself.
 * @param givenUpMicros credit that the customer agreed to lose
 */
export function obstacleOfErasure(account: ClosingAccount, givenUpMicros: bigint): ErasureObstacle | null {
  const { business, balanceMicros } = account;
  const first = obstacleOfRequest(account);
  if (first !== null) return first;
  if (business.pendingPayment) return "pending_payment";
  if (business.openRefund) return "open_refund";
  if (business.disputes.some((status) => !isOver(status))) return "open_dispute";
  if (business.openRequest) return "open_request";
  return balanceMicros > givenUpMicros ? "credit" : null;
}
