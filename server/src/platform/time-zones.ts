import { isTimeZone } from "@farline/domain/wall-clock.ts";
import { sql } from "kysely";
import type { Logger } from "pino";
import type { Database } from "./database/database.ts";
import { invalidField } from "./limit-values.ts";

/** PostgreSQL's invalid_parameter_value, raised for unknown time zones. */
const UNKNOWN_ZONE = "22023";
/**
 * Browsers and Node name these by their former names (CLDR's); the second is today's (IANA). A database knows the zones of its machine: one of
 * before 2022 no Kyiv, and since Debian 13 and Ubuntu 24.04 none of the former names.
 */
export const RENAMED_ZONES: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};
/** Rows whose zone the database reads in its functions. */
const TABLES = ["guard_rail", "family_member", "family_invitation"] as const;

/** Whether a database knows a time zone. */
type Knows = (zone: string) => Promise<boolean>;

/**
 * A time zone by the name that the database knows too, or every query with it would fail; today's rather than the former one.
 * @throws AppError validation_failed
 */
export async function zoneOf(db: Database, name: string): Promise<string> {
  const zone = await knownName((one) => knowsTimeZone(db, one), name);
  if (zone === null) throw invalidField("time_zone", "time_zone_unknown");
  return zone;
}

/** @returns null for a zone that Node or the database does not know. Of an offset, PostgreSQL reads the sign the other way round. */
export async function knownName(knows: Knows, name: string): Promise<string | null> {
  if (!isTimeZone(name) || /^[+-]/.test(name)) return null;
  const former = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  for (const zone of new Set([RENAMED_ZONES[former] ?? former, former])) if (await knows(zone)) return zone;
  return null;
}

/** Names the zones of customers' limits as this database knows them: its machine may have been upgraded, and unknown ones stop calls. */
export async function renameZones(db: Database, log: Logger, knows: Knows = (zone) => knowsTimeZone(db, zone)): Promise<void> {
  for (const table of TABLES) {
    const rows = await db.selectFrom(table).select("time_zone").distinct().execute();
    for (const { time_zone: zone } of rows) {
      const known = await knownName(knows, zone);
      if (known === null) log.error({ zone, table }, "the database does not know a time zone of customers' limits");
      else if (known !== zone) await db.updateTable(table).set({ time_zone: known }).where("time_zone", "=", zone).execute();
    }
  }
}

/** Not in a transaction, which an unknown one would end. */
async function knowsTimeZone(db: Database, name: string): Promise<boolean> {
  try {
    await sql`select now() at time zone ${name}`.execute(db);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === UNKNOWN_ZONE) return false;
    throw error;
  }
}
