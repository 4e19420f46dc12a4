import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { ledger } from "../src/ledger/ledger.ts";
import type { DatabaseHandle } from "../src/platform/database/database.ts";

/** Creates a customer with an empty account, without the sign-up. */
export async function newCustomer(
  handle: DatabaseHandle,
  id: string = uuidv7(),
): Promise<{ id: string; name: string; email: string; createdAt: Date }> {
  const customer = { id, name: "Ada Caller", email: `${id}@example.com`, createdAt: new Date() };
  await sql`insert into customer (id, name, email, email_key, created_at) values (${id}, ${customer.name}, ${customer.email}, ${customer.email}, ${customer.createdAt})`.execute(
    handle.db,
  );
  await ledger.openAccount(handle.db, id);
  return customer;
}
