import type { SummaryResponse, Usage } from "@farline/contract/call-history.ts";
import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { dateOnClock, isTimeZone, momentOnClock } from "@farline/domain/wall-clock.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { invalidField } from "../../platform/limit-values.ts";
import { countCallsByCountry, readUsage, type UsageRow } from "./history.store.ts";
import type { Context } from "../../context.ts";

/**
 * The customer's calls and spend in the last months, by month and by country.
 * @throws AppError validation_failed for an invalid time zone
 */
export async function summariseCalls(
  { handle, clock }: Context,
  customer: Customer,
  { months, time_zone: timeZone }: { months: number; time_zone: string },
): Promise<SummaryResponse> {
  if (!isTimeZone(timeZone)) throw invalidField("time_zone", "time_zone_unknown");
  const names = monthNames(dateOnClock(clock.now(), timeZone), months);
  const starts = names.map((month) => momentOnClock({ date: `${month}-01`, time: "00:00", timeZone }));
  const [rows, counts] = await Promise.all([
    readUsage(handle.db, customer.id, starts),
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

/** The last months until a date, such as "2026-11", oldest first. */
function monthNames(today: string, months: number): string[] {
  const [year = 0, month = 1] = today.split("-").map(Number);
  const present = year * 12 + month - 1;
  return Array.from({ length: months }, (_, index) => {
    const one = present - (months - 1 - index);
    return `${Math.floor(one / 12)}-${String((one % 12) + 1).padStart(2, "0")}`;
  });
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
