import type { PriceHistoryResponse } from "@farline/contract/operator/prices.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import type { Context } from "../context.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { readPriceHistory, type PriceRange } from "../rates/rates.ts";
import { explainNumber } from "./explain/explain-number.ts";

/** `/api/operator/prices`: what a number costs and why, and what a country's calls have cost. */
export function priceRoutes(app: App, ctx: Context): void {
  serve(app, "POST /api/operator/prices/explain", (request) => explainNumber(ctx, request.body));
  serve(app, "GET /api/operator/prices/history", (request) => presentHistory(ctx, request.query.country));
}

/** A country's prices as the command prints them and the console shows them. */
export async function presentHistory(ctx: Context, country: string): Promise<PriceHistoryResponse> {
  const periods = await readPriceHistory(ctx, country);
  const now = ctx.clock.now();
  return {
    country_code: country,
    country_name: countryByCode(country)?.name ?? country,
    periods: periods.map(({ deckId, name, from, until, prices }) => ({
      deck_id: deckId,
      name,
      from: from.toISOString(),
      until: until?.toISOString() ?? null,
      state: from > now ? ("scheduled" as const) : until === null || until > now ? ("in_force" as const) : ("past" as const),
      prices: prices.map(({ numberType, prefixes, cost, price }) => ({
        number_type: numberType,
        prefixes,
        cost: presentRange(cost),
        price: presentRange(price),
      })),
    })),
  };
}

function presentRange({ lowest, highest }: PriceRange): { lowest: string; highest: string } {
  return { lowest: rateToDecimalString(lowest), highest: rateToDecimalString(highest) };
}
