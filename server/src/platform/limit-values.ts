import { countryByCode } from "@farline/domain/countries/countries.ts";
import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import type { Params, Reason } from "@farline/texts/reason.ts";
import { sql } from "kysely";
import { AppError } from "./app-error.ts";
import type { Database } from "./database/database.ts";

/** PostgreSQL's invalid_parameter_value, raised for unknown time zones. */
const UNKNOWN_ZONE = "22023";
const MAX_MICROS = 10_000n * MICROS_PER_DOLLAR;

/** A limit that a customer sets, in micro-dollars; null for none. @throws AppError validation_failed if it is 0 or out of bounds */
export function capOf(micros: bigint | null, field: string): bigint | null {
  if (micros === null) return null;
  if (micros === 0n || micros > MAX_MICROS) throw invalidField(field, "limit_between");
  return micros;
}

/** The only countries that may be called, sorted, without repetition; null for all. @throws AppError validation_failed */
export function countriesOf(codes: readonly string[] | null): string[] | null {
  if (codes === null) return null;
  const unknown = codes.find((code) => countryByCode(code) === undefined);
  if (unknown !== undefined) throw invalidField("countries", "country_unknown", { code: unknown });
  return [...new Set(codes)].toSorted();
}

/**
 * The IANA name of a time zone. The database must know it as well, or every query with it would fail.
 * @throws AppError validation_failed
 */
export async function zoneOf(db: Database, name: string): Promise<string> {
  const zone = canonicalZone(name);
  if (zone === null || !(await knowsTimeZone(db, zone))) throw invalidField("time_zone", "time_zone_unknown");
  return zone;
}

function canonicalZone(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

function invalidField(field: string, reason: Reason, params?: Params): AppError {
  return new AppError("validation_failed", { reason, params, field });
}

/** Whether the database knows the time zone. Not in a transaction, which an unknown one would end. */
async function knowsTimeZone(db: Database, name: string): Promise<boolean> {
  try {
    await sql`select now() at time zone ${name}`.execute(db);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === UNKNOWN_ZONE) return false;
    throw error;
  }
}
