import { isBlockedDestination } from "@farline/domain/calls/call-terms.ts";
import { riskOf } from "@farline/domain/numbers/high-risk.ts";
import { keepsMargin } from "@farline/domain/rates/sale-terms.ts";
import type { Database } from "../../platform/database/database.ts";
import { findDecks, readDeckContent, type PricedRow } from "../../rates/rates.ts";

/** What the service needs of its account at the voice provider. */
export interface WantedAccount {
  readonly connectionId: string | null;
  readonly publicKey: string | null;
  /** Where the provider's webhooks must lead. */
  readonly webhookUrl: string;
  /** E.164, shown to called people; null if it is not set. */
  readonly callerNumber: string | null;
  /** The countries that are sold: ISO 3166-1, sorted. */
  readonly countries: readonly string[];
  /** What the carrier takes for the most expensive minute that is sold, in micro-dollars. */
  readonly highestCostMicros: bigint;
}

/** Our own codes, of places that no country claims; Kosovo's is in use everywhere. */
const NO_COUNTRY = /^X[^K]$/;

/** Where the webhooks of an installation lead. @param publicUrl without a trailing slash */
export function webhookUrlOf(publicUrl: string): string {
  return `${publicUrl}/api/webhooks/telnyx`;
}

/** What the deck in force sells. Nothing if none is. @param sample whether the sample deck counts */
export async function readSold(
  db: Database,
  now: Date,
  sample: boolean,
): Promise<Pick<WantedAccount, "countries" | "highestCostMicros">> {
  const { current } = await findDecks(db, now, { trunk: null, sample });
  const rows = current === null ? [] : (await readDeckContent(db, current.id)).rows.filter(isSold);
  const costs = rows.map(({ cost }) => cost.ratePerMinuteMicros);
  return {
    countries: [...new Set(rows.map(({ countryCode }) => countryCode))].filter((code) => !NO_COUNTRY.test(code)).toSorted(),
    highestCostMicros: costs.reduce((a, b) => (b > a ? b : a), 0n),
  };
}

function isSold(row: PricedRow): boolean {
  const risk = riskOf(`+${row.prefix}`, row.countryCode)?.level ?? null;
  return !isBlockedDestination(row.numberType, risk) && row.ratePerMinuteMicros > 0n && keepsMargin(row, row.cost);
}
