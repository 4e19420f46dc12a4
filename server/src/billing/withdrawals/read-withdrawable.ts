import type { Micros } from "@farline/domain/money.ts";
import { findInvitation } from "../../promotions/promotions.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { OperatorDependencies } from "../billing-dependencies.ts";
import { readReturnablePayments } from "../payments/payment.store.ts";
import { returnable } from "./withdraw-credit.ts";
import { readStanding, withdrawable } from "./withdrawable.ts";

/** What a customer may withdraw now; without locks, so it may change. */
export async function readWithdrawable(
  tx: Tx,
  { ledger, clock }: Pick<OperatorDependencies, "ledger" | "clock">,
  customerId: string,
): Promise<{ readonly mostMicros: Micros; readonly keptMicros: Micros }> {
  const payments = await readReturnablePayments(tx, returnable(customerId, clock.now()));
  const standing = await readStanding(tx, ledger, customerId, await findInvitation(tx, customerId));
  return withdrawable(standing, payments);
}
