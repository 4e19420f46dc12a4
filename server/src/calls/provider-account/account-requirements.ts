import { isBlockedDestination } from "@farline/domain/calls/call-terms.ts";
import { riskOf } from "@farline/domain/numbers/high-risk.ts";
import { keepsMargin } from "@farline/domain/rates/sale-terms.ts";
import type { Database } from "../../platform/database/database.ts";
import { findDecks, readDeckContent, type PricedRow } from "../../rates/rates.ts";

/** The service's requirements for its account at the voice provider. */
export interface AccountRequirements {
  readonly connectionId: string | null;
  readonly publicKeys: readonly string[];
  /** The required webhook URL. */
  readonly webhookUrl: string;
  /** E.164, shown to called people; null if it is not set. */
  readonly callerNumber: string | null;
  /** The countries on sale: ISO 3166-1, sorted. */
  readonly countries: readonly string[];
  /** The carrier's cost per minute for the most expensive destination on sale, in micro-dollars. */
  readonly highestCostMicros: bigint;
}

/** Our own codes for areas outside any country. Kosovo's XK is in common use. */
const NO_COUNTRY = /^X[^K]$/;

/** The webhook URL of an installation. @param publicUrl without a trailing slash */
export function webhookUrlOf(publicUrl: string): string {
  return `${publicUrl}/api/webhooks/telnyx`;
}

/** The destinations that the active deck sells; empty without a deck. @param sample whether the sample deck counts */
export async function readSoldDestinations(
  db: Database,
  now: Date,
  sample: boolean,
): Promise<Pick<AccountRequirements, "countries" | "highestCostMicros">> {
  const { current } = await findDecks(db, now, { trunk: null, sample });
  const sold = new Set<string>();
  let highestCostMicros = 0n;
  for (const row of current === null ? [] : (await readDeckContent(db, current.id)).rows) {
    if (!isSold(row)) continue;
    sold.add(row.countryCode);
    if (row.cost.ratePerMinuteMicros > highestCostMicros) highestCostMicros = row.cost.ratePerMinuteMicros;
  }
  return { countries: [...sold].filter((code) => !NO_COUNTRY.test(code)).toSorted(), highestCostMicros };
}

function isSold(row: PricedRow): boolean {
  const risk = riskOf(`+${row.prefix}`, row.countryCode)?.level ?? null;
  return !isBlockedDestination(row.numberType, risk) && row.ratePerMinuteMicros > 0n && keepsMargin(row, row.cost);
}
