import { sql } from "kysely";
import type { Database } from "./database.ts";

/** PostgreSQL's invalid_parameter_value, raised for unknown time zones. */
const UNKNOWN_ZONE = "22023";

/** Whether the database knows the time zone. Not in a transaction, which an unknown one would end. */
export async function knowsTimeZone(db: Database, name: string): Promise<boolean> {
  try {
    await sql`select now() at time zone ${name}`.execute(db);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === UNKNOWN_ZONE) return false;
    throw error;
  }
}
