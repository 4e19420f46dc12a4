import { expect } from "@playwright/test";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import pg from "pg";
import { poll } from "./poll.ts";

const productDatabase = () => process.env["PRODUCT_DATABASE_URL"] ?? "";

/** Runs a statement on the product's database. Returns its first row. */
export async function query<Row>(sql: string, values: readonly unknown[] = [], databaseUrl = productDatabase()): Promise<Row> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(sql, [...values]);
    return rows[0] as Row;
  } finally {
    await client.end();
  }
}

interface BookedCall {
  id: string;
  status: string;
  seconds: number;
  /** Charge in the call's record, in micro-dollars. */
  recorded: bigint;
  /** Charge in the ledger. */
  booked: bigint;
  /** Charge recomputed from answer, end and rate. */
  recomputed: bigint;
  entries: number;
}

/** Waits until a customer's newest call is completed. */
export async function completedCall(email: string, databaseUrl = productDatabase()): Promise<BookedCall> {
  await poll(async () => (await newestCall(email, databaseUrl)).status).toBe("completed");
  return newestCall(email, databaseUrl);
}

/** A call's record and its one charge in the ledger are what its rate gives. */
export function expectChargedOnce({ recorded, booked, recomputed, entries }: BookedCall): void {
  expect({ recorded, booked, entries }).toEqual({ recorded: recomputed, booked: recomputed, entries: 1 });
}

/** A customer's newest call, with its charge from three independent sources. */
export async function newestCall(email: string, databaseUrl = productDatabase()): Promise<BookedCall> {
  const row = await query<Record<string, string>>(
    `select c.id, c.status, c.charge_micros, c.rate_per_minute_micros as rate, c.first_interval_seconds as first, c.next_interval_seconds as next,
       coalesce(extract(epoch from c.ended_at - c.answered_at), 0) as seconds,
       coalesce((select -sum(e.amount_micros) from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
                 where t.reference_id = c.id and e.customer_id is not null), 0) as booked,
       (select count(*) from ledger_transaction t where t.reference_id = c.id) as entries
     from call c join customer p on p.id = c.customer_id where p.email = $1 order by c.created_at desc limit 1`,
    [email],
    databaseUrl,
  );
  const rate = {
    ratePerMinuteMicros: BigInt(row["rate"] ?? 0),
    firstIntervalSeconds: Number(row["first"]),
    nextIntervalSeconds: Number(row["next"]),
  };
  return {
    id: row["id"] ?? "",
    status: row["status"] ?? "",
    seconds: Number(row["seconds"]),
    recorded: BigInt(row["charge_micros"] ?? 0),
    booked: BigInt(row["booked"] ?? 0),
    recomputed: chargeFor(Number(row["seconds"]), rate),
    entries: Number(row["entries"]),
  };
}

export interface Books {
  /** Sum over every entry in the ledger; 0n when it balances. */
  sum: bigint;
  balance: bigint;
  held: bigint;
  /** Sum of this customer's entries. */
  entries: bigint;
  /** Number of this customer's pending holds. */
  pending: bigint;
}

export async function booksOf(email: string, databaseUrl = productDatabase()): Promise<Books> {
  const row = await query<Record<string, string>>(
    `select (select sum(amount_micros) from ledger_entry) as sum, a.balance_micros as balance, a.held_micros as held,
       (select coalesce(sum(amount_micros), 0) from ledger_entry where customer_id = a.customer_id) as entries,
       (select coalesce(sum(amount_micros), 0) from hold where customer_id = a.customer_id and state = 'pending') as pending
     from account a join customer c on c.id = a.customer_id where c.email = $1`,
    [email],
    databaseUrl,
  );
  const amount = (name: string) => BigInt(row[name] ?? 0);
  return {
    sum: amount("sum"),
    balance: amount("balance"),
    held: amount("held"),
    entries: amount("entries"),
    pending: amount("pending"),
  };
}
