import { sql } from "kysely";
import { newProfile } from "../src/accounts/record/customer.store.ts";
import type { Customer, SessionWithCustomer } from "../src/accounts/accounts.ts";
import type { Tx } from "../src/platform/database/database.ts";

/** Stores the session of `testSession`, on which a customer's calls live. */
export async function insertTestSession(db: Tx, customerId: string, now: Date): Promise<void> {
  const forever = new Date("9999-01-01");
  await sql`insert into session (id, customer_id, token_hash, created_at, last_seen_at, authenticated_at, expires_at)
    values (${customerId}, ${customerId}, sha256(convert_to(${customerId}, 'UTF8')), ${now}, ${now}, ${now}, ${forever})`.execute(
    db,
  );
}

/** A new session, without a password or browser. */
export function testSession(
  customer: Omit<Customer, "name" | "language" | "payerId"> & Partial<Customer>,
  now: Date,
): SessionWithCustomer {
  return {
    ...newProfile({ name: "Ada Lovelace", language: "en", hasPassword: true, ...customer }),
    sessionId: customer.id,
    lastSeenAt: now,
    authenticatedAt: now,
    browserHash: null,
  };
}
