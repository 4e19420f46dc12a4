import type { Tx } from "../../platform/database/database.ts";

/** Where a customer signs in. */
export interface Origins {
  /** Hashes of the browsers' names, in hex. */
  readonly browsers: readonly string[];
  /** As `shortNetwork` gives them. */
  readonly networks: readonly string[];
}

/** More than anybody has; see the bounds on sessions and known browsers. */
const MOST = 50;

/** The browsers a customer signed in with, and the networks of the sessions that are open. */
export async function readOrigins(tx: Tx, customerId: string): Promise<Origins> {
  const browsers = await tx
    .selectFrom("known_browser")
    .select("browser_hash")
    .where("customer_id", "=", customerId)
    .limit(MOST)
    .execute();
  const sessions = await tx
    .selectFrom("session")
    .select("network")
    .distinct()
    .where("customer_id", "=", customerId)
    .where("network", "<>", "")
    .limit(MOST)
    .execute();
  return {
    browsers: browsers.map((row) => row.browser_hash.toString("hex")),
    networks: sessions.map((row) => row.network),
  };
}
