import type { Micros } from "@farline/domain/money.ts";
import { findInvitation } from "../../promotions/promotions.ts";
import type { Tx } from "../../platform/database/database.ts";
import { readReturnablePayments } from "../record/payment.store.ts";
import { returnable } from "./withdraw-credit.ts";
import { canBeReturned, readStanding, withdrawable } from "../record/withdrawable.ts";
import type { Context } from "../../context.ts";

/** The amounts that a customer may and may not withdraw. */
interface Withdrawable {
  readonly maxMicros: Micros;
  readonly keptMicros: Micros;
  /** Unspent credit from payments whose method cannot be refunded, such as vouchers. */
  readonly notReturnableMicros: Micros;
  /** The part of `maxMicros` from payments without a failed refund. */
  readonly reliableMicros: Micros;
}

/** The amounts that a customer may withdraw now. Reads without locks, so they may change. */
export async function readWithdrawable(tx: Tx, { ledger, clock }: Context, customerId: string): Promise<Withdrawable> {
  const payments = await readReturnablePayments(tx, returnable(customerId, clock.now()));
  const standing = await readStanding(tx, ledger, customerId, await findInvitation(tx, customerId));
  const returnablePayments = payments.filter(({ payment }) => canBeReturned(payment));
  const { maxMicros, keptMicros } = withdrawable(standing, returnablePayments);
  const all = withdrawable(standing, payments).maxMicros;
  const reliableMicros = withdrawable(
    standing,
    returnablePayments.filter(({ payment }) => !payment.return_failed),
  ).maxMicros;
  return { maxMicros, keptMicros, notReturnableMicros: all > maxMicros ? all - maxMicros : 0n, reliableMicros };
}
