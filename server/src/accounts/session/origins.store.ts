import type { Tx } from "../../platform/database/database.ts";

/** Browsers and networks of a customer's sign-ins. */
export interface Origins {
  /** Hashes of browser cookies, in hex. */
  readonly browsers: readonly string[];
  /** From `shortNetwork`. */
  readonly networks: readonly string[];
}

/** More than anybody has; see the bounds on sessions and known browsers. */
const MOST = 50;

/** Reads a customer's known browsers and the networks of their open sessions. */
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
