import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { ledger } from "../src/ledger/ledger.ts";
import type { DatabaseHandle } from "../src/platform/database/database.ts";
import { newCustomer } from "./new-customer.ts";

export const DOLLAR = 1_000_000n;

/** A ledger account with short helpers for tests. Amounts in micro-dollars. */
export async function ledgerAccount(handle: DatabaseHandle, paidMicros = 0n) {
  const { db } = handle;
  const { id } = await newCustomer(handle);
  const posting = (amountMicros: bigint, key: string) => ({
    key,
    customerId: id,
    amountMicros,
    referenceId: id,
    description: "Posting",
  });
  const account = {
    id,
    credit: (kind: "top_up" | "bonus" | "write_off" | "adjustment", micros: bigint, key = uuidv7()) =>
      ledger.credit(db, { ...posting(micros, key), kind }),
    reverse: (kind: "refund" | "dispute" | "bonus", micros: bigint, key = uuidv7()) =>
      ledger.reverse(db, { ...posting(micros, key), kind }),
    withdraw: (micros: bigint, key = uuidv7()) => ledger.withdraw(db, posting(micros, key)),
    restore: (restoredKey: string, key = uuidv7()) => ledger.restore(db, { key, restoredKey, description: "Given back" }),
    hold: (micros: bigint, holdId = uuidv7()) =>
      ledger.hold(db, { holdId, customerId: id, wantMicros: micros, leastMicros: micros }),
    post: (holdId: string, chargeMicros: bigint) => ledger.postHold(db, { holdId, chargeMicros, description: "Call" }),
    /** Charges a call of this cost. @returns its id */
    async call(micros: bigint) {
      const holdId = uuidv7();
      await account.hold(micros, holdId);
      await account.post(holdId, micros);
      return holdId;
    },
    async money() {
      const all = await ledger.balance(db, id);
      return { balance: all.balanceMicros, bonus: all.bonusMicros, withdrawable: all.withdrawableMicros, debt: all.debtMicros };
    },
  };
  if (paidMicros > 0n) await account.credit("top_up", paidMicros);
  return account;
}

/** Charges a call of this many dollars to a customer. */
export async function chargeCall(
  { db }: DatabaseHandle,
  customerId: string,
  dollars: number,
  description = "Call",
): Promise<void> {
  const holdId = uuidv7();
  const micros = BigInt(Math.round(dollars * 1e6));
  await ledger.hold(db, { holdId, customerId, wantMicros: micros, leastMicros: micros });
  await ledger.postHold(db, { holdId, chargeMicros: micros, description });
}

/** Changes rows as nobody may, past the triggers. */
export async function tamperWith({ db }: DatabaseHandle, statements: readonly string[]): Promise<void> {
  await db.connection().execute(async (one) => {
    await sql`set session_replication_role = replica`.execute(one);
    for (const statement of statements) await sql.raw(statement).execute(one);
    await sql`reset session_replication_role`.execute(one);
  });
}

/** Moves all bookings into the last days, at equal distances and in their order, as if nothing were summed yet. */
export function spreadBookings(handle: DatabaseHandle, { days }: { readonly days: number }): Promise<void> {
  return tamperWith(handle, [
    `update ledger_transaction t set created_at = now() - interval '${days} days' + interval '${days} days' * place
      from (select id, row_number() over (order by created_at, id) / (count(*) over () + 1.0) as place from ledger_transaction) s where s.id = t.id`,
    `update ledger_hours_summed set since = hour, until = hour
      from (select date_trunc('hour', min(created_at), 'UTC') as hour from ledger_transaction) first`,
  ]);
}
