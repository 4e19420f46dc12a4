import { reason } from "@farline/texts/reason.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { pageQuery } from "./billing.ts";
import { callStatus, historyResponse } from "./calls.ts";
import { countryCode, dollars, id, instant } from "./values.ts";

/** Call filter. Each field narrows the list; an empty filter matches every call. */
export const callFilter = z.object({
  /** Started at or after this time. */
  from: instant.optional(),
  /** Started before this time. */
  to: instant.optional(),
  country: countryCode.optional(),
  /** A state, or `live`: initiated, ringing and in progress. */
  status: z.enum([...callStatus.options, "live"]).optional(),
  /** E.164: calls to this number. */
  number: z
    .string()
    .regex(/^\+[1-9]\d{5,14}$/, reason("number_invalid"))
    .optional(),
  /** Calls to the number of this contact. */
  contact: id.optional(),
  /** Digits of the number, or part of the contact's or the country's name. */
  search: z
    .string()
    .trim()
    .max(100, reason("search_too_long", { max: 100 }))
    .optional(),
});
export type CallFilter = z.infer<typeof callFilter>;

/** Query of `GET /api/calls/history`. */
const historyQuery = pageQuery.extend(callFilter.shape);

/** Answer of `GET /api/calls/totals`, with the query of a `callFilter`: totals of all matching calls. */
export const totalsResponse = z.object({
  totals: z.object({
    calls: z.number().int(),
    answered: z.number().int(),
    /** From answer to end, each call rounded up to whole seconds. */
    seconds: z.number().int(),
    /** What the caller paid: calls that were free, as `free_up_to` says, count nothing. */
    cost: dollars,
  }),
});
export type TotalsResponse = z.infer<typeof totalsResponse>;
export type CallTotals = TotalsResponse["totals"];

const countryCount = z.object({ country_code: countryCode, country_name: z.string(), calls: z.number().int() });

/** Query of `GET /api/calls/suggestions`: the text in the number field; without it, numbers called recently. */
const suggestionsQuery = z.object({
  search: z.string().trim().max(60).default(""),
});

const numberSuggestion = z.object({
  /** E.164. */
  phone_number: z.string(),
  /** Extension of the contact's number; empty if none. */
  extension: z.string(),
  country_code: countryCode,
  /** Name of the contact with this number; null if none. */
  name: z.string().nullable(),
});
export type NumberSuggestion = z.infer<typeof numberSuggestion>;

/** Numbers called before, latest first, then contacts' numbers by name. No duplicates. */
const suggestionsResponse = z.object({ suggestions: z.array(numberSuggestion) });
export type SuggestionsResponse = z.infer<typeof suggestionsResponse>;

/** Answer of `GET /api/calls/countries`: the countries this customer has called, by name. */
export const calledCountriesResponse = z.object({ countries: z.array(countryCount) });
export type CalledCountriesResponse = z.infer<typeof calledCountriesResponse>;

/** Answer of `POST /api/calls/export-ticket`, with a `callFilter`: permission to download those calls once, within a minute. */
const exportTicketResponse = z.object({
  /** For `GET /api/calls/export?ticket=`; single use. */
  ticket: z.string(),
  expires_at: instant,
});
export type ExportTicketResponse = z.infer<typeof exportTicketResponse>;
const exportQuery = z.object({ ticket: z.string().max(200) });

const MIN_MONTHS = 1;
const MAX_MONTHS = 24;
const DEFAULT_MONTHS = 12;

/** Query of `GET /api/calls/summary`. */
const summaryQuery = z.object({
  /** Number of months, including the current one. */
  months: z.coerce.number().int().min(MIN_MONTHS).max(MAX_MONTHS).default(DEFAULT_MONTHS),
  /** IANA time zone that defines month boundaries. */
  time_zone: z.string().max(64).default("UTC"),
});

const usage = z.object({ calls: z.number().int(), seconds: z.number().int(), spend: dollars });

/** Answer of `GET /api/calls/summary`: call and spending statistics. */
export const summaryResponse = z.object({
  time_zone: z.string(),
  /** All calls this customer has ever made. */
  total_calls: z.number().int(),
  /** Each month of the period, oldest first, including those without calls. `month` is "2026-11". */
  months: z.array(usage.extend({ month: z.string().regex(/^\d{4}-\d{2}$/) })),
  /** Countries in the same period, most expensive first. */
  countries: z.array(usage.extend({ country_code: countryCode, country_name: z.string() })),
});
export type SummaryResponse = z.infer<typeof summaryResponse>;
export type Usage = z.infer<typeof usage>;

export const callHistoryEndpoints = {
  "GET /api/calls/history": { access: "customer", query: historyQuery, answer: historyResponse },
  "GET /api/calls/totals": { access: "customer", query: callFilter, answer: totalsResponse },
  "GET /api/calls/countries": { access: "customer", answer: calledCountriesResponse },
  "GET /api/calls/suggestions": { access: "customer", query: suggestionsQuery, answer: suggestionsResponse },
  "GET /api/calls/summary": { access: "customer", query: summaryQuery, answer: summaryResponse },
  "POST /api/calls/export-ticket": { access: "step-up", body: callFilter, answer: exportTicketResponse },
  "GET /api/calls/export": { access: "visitor", query: exportQuery, file: ["text/csv"], refusals: ["link_expired"] },
} as const satisfies Endpoints;
