import type { Micros } from "@farline/domain/money.ts";
import { findInvitation } from "../../promotions/promotions.ts";
import type { Tx } from "../../platform/database/database.ts";
import { readReturnablePayments } from "../record/payment.store.ts";
import { returnable } from "./withdraw-credit.ts";
import { canBeReturned, readStanding, withdrawable } from "../record/withdrawable.ts";
import type { Context } from "../../context.ts";

/** What a customer may withdraw. */
export interface Withdrawable {
  readonly mostMicros: Micros;
  readonly keptMicros: Micros;
  /** Unspent credit of payments by voucher, which cannot go back the way it came. */
  readonly notReturnableMicros: Micros;
  /** The part of `mostMicros` of payments whose refund has not failed before. */
  readonly sureMicros: Micros;
}

/** What a customer may withdraw now; without locks, so it may change. */
export async function readWithdrawable(tx: Tx, { ledger, clock }: Context, customerId: string): Promise<Withdrawable> {
  const payments = await readReturnablePayments(tx, returnable(customerId, clock.now()));
  const standing = await readStanding(tx, ledger, customerId, await findInvitation(tx, customerId));
  const returnablePayments = payments.filter(canBeReturned);
  const { mostMicros, keptMicros } = withdrawable(standing, returnablePayments);
  const all = withdrawable(standing, payments).mostMicros;
  const sureMicros = withdrawable(
    standing,
    returnablePayments.filter((payment) => !payment.return_failed),
  ).mostMicros;
  return { mostMicros, keptMicros, notReturnableMicros: all > mostMicros ? all - mostMicros : 0n, sureMicros };
}
