import type { SummaryResponse, Usage } from "@farline/contract/call-history.ts";
import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import { countCallsByCountry, readUsage, type UsageRow } from "./history.store.ts";
import type { Context } from "../../context.ts";

/** PostgreSQL's invalid_parameter_value, raised for unknown time zones. */
const UNKNOWN_ZONE = "22023";

/**
 * The customer's calls and spend in the last months, by month and by country.
 * @throws AppError validation_failed for an invalid time zone
 */
export async function summariseCalls(
  { handle, clock }: Context,
  customer: Customer,
  { months, time_zone: timeZone }: { months: number; time_zone: string },
): Promise<SummaryResponse> {
  const now = clock.now();
  const names = monthNames(now, timeZone, months);
  const [rows, counts] = await Promise.all([
    readUsage(handle.db, customer.id, { now, timeZone, months }).catch((error: unknown) => {
      throw (error as { code?: string }).code === UNKNOWN_ZONE ? unknownZone() : error;
    }),
    countCallsByCountry(handle.db, customer.id),
  ]);
  const codes = [...new Set(rows.map((row) => row.country_code))];
  const countries = codes.map((code) => ({ code, rows: rows.filter((row) => row.country_code === code) }));
  return {
    time_zone: timeZone,
    total_calls: counts.reduce((sum, { calls }) => sum + calls, 0),
    months: names.map((month, index) => ({ month, ...usageOf(rows.filter((row) => row.month === index + 1)) })),
    countries: countries
      .toSorted((a, b) => Number(spendOf(b.rows) - spendOf(a.rows)) || a.code.localeCompare(b.code))
      .map(({ code, rows: own }) => ({
        country_code: code,
        country_name: englishNameOf(code),
        ...usageOf(own),
      })),
  };
}

/** The last months in the time zone, such as "2026-11", oldest first. */
function monthNames(now: Date, timeZone: string, months: number): string[] {
  const parts = new Map(
    calendarOf(timeZone)
      .formatToParts(now)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const present = (parts.get("year") ?? 0) * 12 + (parts.get("month") ?? 1) - 1;
  return Array.from({ length: months }, (_, index) => {
    const month = present - (months - 1 - index);
    return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`;
  });
}

function calendarOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US-u-ca-gregory", { timeZone, year: "numeric", month: "numeric" });
  } catch {
    throw unknownZone();
  }
}

function unknownZone(): AppError {
  return new AppError("validation_failed", { reason: "time_zone_unknown", field: "time_zone" });
}

function spendOf(rows: readonly UsageRow[]): bigint {
  return rows.reduce((sum, row) => sum + row.paid_micros, 0n);
}

function usageOf(rows: readonly UsageRow[]): Usage {
  return {
    calls: rows.reduce((sum, row) => sum + row.calls, 0),
    seconds: rows.reduce((sum, row) => sum + row.seconds, 0),
    spend: toDecimalString(spendOf(rows)),
  };
}
