import { MAX_NUMBER_TEXT_LENGTH } from "@farline/domain/numbers/number-text.ts";
import { numberRefusals } from "./api/error-codes.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { countryCode, id, instant, ratePerMinute } from "./values.ts";

/** What a prefix reaches. `fixed_or_mobile`: the numbering plan does not distinguish the two (US, CA, MX …). */
export const numberType = z.enum([
  "mobile",
  "landline",
  "fixed_or_mobile",
  "toll_free",
  "premium",
  "shared_cost",
  "voip",
  "personal",
  "pager",
  "uan",
  "voicemail",
  "satellite",
  "international_network",
]);
export type NumberType = z.infer<typeof numberType>;

/** One price of a country and number type: what most calls cost (docs/decisions/052-watching.md). */
const rate = z.object({
  id: z.string(),
  country_code: countryCode,
  country_name: z.string(),
  dial_code: z.string(),
  number_type: z.enum(["mobile", "landline"]),
  our_rate_per_minute: ratePerMinute,
});
export type Rate = z.infer<typeof rate>;

/** Answer of `GET /api/rates`: one row per selectable country and number type, sorted by country name. */
export const ratesResponse = z.object({ rates: z.array(rate) });

/** `POST /api/rates/get-rate`. */
const getRateRequest = z.object({
  country_code: countryCode,
  number_type: z.enum(["mobile", "landline"]).default("mobile"),
});
export const getRateResponse = z.object({ rate });

/** The exact price of one number, at which calls are charged. */
const quote = z.object({
  number: z.string(),
  country_code: countryCode,
  country_name: z.string(),
  number_type: numberType,
  prefix: z.string(),
  description: z.string(),
  rate_per_minute: ratePerMinute,
  /** Billing increment in seconds: the first block, then every further block. */
  first_interval_s: z.number().int(),
  next_interval_s: z.number().int(),
  /** False for number types that are never connected; the price then does not apply. */
  connected: z.boolean(),
  /** Maximum call length in seconds, regardless of credit; null if it cannot be called. */
  longest_call_s: z.number().int().nullable(),
  deck_id: id,
  deck_effective_at: instant,
});
export type Quote = z.infer<typeof quote>;

/** The price of a call to one number, with its destination. */
export const callPrice = quote.omit({ connected: true, longest_call_s: true });
export type CallPrice = z.infer<typeof callPrice>;

/** `POST /api/rates/lookup-number`, public: at least 3 characters, in any format. */
const lookupNumberRequest = z.object({
  phone_number: z.string().min(3).max(MAX_NUMBER_TEXT_LENGTH),
  /** The country selected next to the field, for numbers typed without a country code. */
  country_code: countryCode.optional(),
});
/** `exact` is false while too few digits are typed to identify the number: the price is then that of the prefix so far. */
export const lookupNumberResponse = z.object({ rate: quote.extend({ exact: z.boolean() }) });
export type LookupNumberResponse = z.infer<typeof lookupNumberResponse>;

/** Prices of a country's ordinary numbers (mobile and landline); special numbers are priced individually. */
const countrySummary = z.object({
  country_name: z.string(),
  country_code: countryCode,
  /** The last part of its page's path, `/rates/{slug}`. */
  slug: z.string(),
  /** What most calls to mobiles cost; null if there are none. */
  mobile_rate: ratePerMinute.nullable(),
  /** What most calls to landlines cost; null if there are none. */
  landline_rate: ratePerMinute.nullable(),
  /** Mean over the prefixes, rounded up. */
  avg_rate: ratePerMinute,
  min_rate: ratePerMinute,
  max_rate: ratePerMinute,
  /** Number of prefixes. */
  rate_count: z.number().int(),
  sample_prefixes: z.array(z.object({ prefix: z.string(), description: z.string(), rate: ratePerMinute })).max(3),
});
export type CountrySummary = z.infer<typeof countrySummary>;

/** Answer of `GET /api/rates/countries`: one row per selectable country, sorted by its name. */
export const countriesResponse = z.object({ countries: z.array(countrySummary) });
export type CountriesResponse = z.infer<typeof countriesResponse>;

export const rateEndpoints = {
  "GET /api/rates": { access: "visitor", answer: ratesResponse },
  "GET /api/rates/countries": { access: "visitor", answer: countriesResponse },
  "POST /api/rates/get-rate": { access: "visitor", body: getRateRequest, answer: getRateResponse, refusals: ["no_rate"] },
  "POST /api/rates/lookup-number": {
    access: "visitor",
    body: lookupNumberRequest,
    answer: lookupNumberResponse,
    refusals: [...numberRefusals, "no_rate"],
  },
} as const satisfies Endpoints;
