import { z } from "zod";
import type { qualitySorts } from "./constants.ts";
import type { Language } from "./languages.ts";
import type { QualityReport } from "./quality.ts";
import type { CountrySummary, NumberType, Rate } from "./rates.ts";

/** What the service passes to the page renderer (made by `npm run build`) and gets back. All of it is public. */

/** When people answer customers (`SupportHours`). */
const supportHours = z.object({
  spans: z.array(
    z.object({
      first_day: z.number().int(),
      last_day: z.number().int(),
      from_minute: z.number().int(),
      to_minute: z.number().int(),
    }),
  ),
  time_zone: z.string(),
});

/** Who sells the credit: named on every public page and beside the button that pays. */
export const sellerNotice = z.object({
  name: z.string(),
  /** Address lines. */
  address: z.array(z.string()),
  tax_id: z.string().nullable(),
  /** Register and number of the business. */
  registration: z.string().nullable(),
  support_email: z.string(),
  support_hours: supportHours.nullable(),
  /** Days in which unused credit can be taken back. */
  return_days: z.number().int(),
  /** Names of the accepted card brands. */
  cards: z.array(z.string()),
  /** The law that governs the terms, such as "England and Wales". */
  law: z.string(),
  /** The operator has not configured a seller: pages mark it as a sample. Production requires one. */
  sample: z.boolean(),
});
export type SellerNotice = z.infer<typeof sellerNotice>;

/** Values shared by all pages while the service runs. */
export interface SiteFacts {
  /** Origin that browsers use, without a trailing slash. */
  readonly origin: string;
  /** The sandbox's page; null in live mode. */
  readonly sandboxUrl: string | null;
  /** URLs of the operator's pages on social networks. */
  readonly socialLinks: readonly string[];
  /** First-call credit, granted when the address is confirmed, in dollars; null if none, and pages must then not mention it. */
  readonly firstCall: string | null;
  readonly seller: SellerNotice;
}

/** The part of the current deck that pages show. */
export interface PublicRates {
  /** When the deck took effect, ISO 8601. */
  readonly effectiveAt: string;
  /** One entry per country and number type, sorted by country name. */
  readonly rates: readonly Rate[];
  readonly countries: readonly CountrySummary[];
}

/** One price of a country, with all prefixes of that name at this price. */
export interface NetworkPrice {
  readonly description: string;
  readonly numberType: NumberType;
  /** Dollars, decimal string. */
  readonly ratePerMinute: string;
  readonly firstIntervalSeconds: number;
  readonly nextIntervalSeconds: number;
  /** Digits without the plus, sorted. */
  readonly prefixes: readonly string[];
}

/** A country's price since a time; null while its calls were not sold. */
export interface PriceStep {
  /** ISO 8601. */
  readonly since: string;
  /** Dollars per minute, decimal strings. */
  readonly price: PriceRange | null;
}

/** A number type's prices, oldest first: each differs from the one before, and the last one is active. */
export interface PriceLine {
  readonly numberType: Extract<NumberType, "mobile" | "landline" | "fixed_or_mobile">;
  readonly steps: readonly PriceStep[];
}

/** A country's prices over time. */
export interface PriceHistory {
  /** When it was read, ISO 8601. */
  readonly until: string;
  readonly lines: readonly PriceLine[];
}

/** The lowest and highest price of some numbers, decimal strings. */
export interface PriceRange {
  readonly lowest: string;
  readonly highest: string;
}

/** One of two countries that are compared. */
export interface ComparedCountry {
  readonly summary: CountrySummary;
  /** Country code, without the plus. */
  readonly dialCode: string;
  /** Null without such numbers. */
  readonly ranges: { readonly mobile: PriceRange | null; readonly landline: PriceRange | null };
}

/** All prices of one country. */
export interface CountryPrices {
  readonly effectiveAt: string;
  readonly countryCode: string;
  readonly name: string;
  /** Country code, without the plus. */
  readonly dialCode: string;
  /** IANA time zone; null if there is no single place. */
  readonly timeZone: string | null;
  /** A mobile number in national and international format. */
  readonly example: { readonly national: string; readonly international: string } | null;
  /** What most calls cost, decimal strings; null if the country has no such numbers. */
  readonly usual: { readonly mobile: string | null; readonly landline: string | null };
  readonly prices: readonly NetworkPrice[];
  /** Null if it could not be read. */
  readonly history: PriceHistory | null;
}

export type QualitySort = (typeof qualitySorts)[number];

/** What callers can do now. */
export type StatusParts = Readonly<Record<"database" | "rates" | "voice" | "payments", "ok" | "down">>;

export type PublicPage =
  | { readonly name: "landing"; readonly rates: PublicRates | null }
  /** `search` filters the countries, "" for all; `number` is the page, from 1. */
  | { readonly name: "rates"; readonly rates: PublicRates | null; readonly search: string; readonly number: number }
  | { readonly name: "country"; readonly country: CountryPrices }
  /** `slugs` as chosen, "" for none; `compared` are those that exist. */
  | {
      readonly name: "compare";
      readonly countries: readonly CountrySummary[];
      readonly compared: readonly ComparedCountry[];
      readonly slugs: readonly [string, string];
    }
  /** `countries` are those that can be called; `search` filters them, "" for those with figures. */
  | {
      readonly name: "quality";
      readonly report: QualityReport;
      readonly countries: readonly CountrySummary[];
      readonly search: string;
      readonly sort: QualitySort;
    }
  | { readonly name: "status"; readonly parts: StatusParts }
  | { readonly name: "about"; readonly rates: PublicRates | null }
  | { readonly name: "help" }
  | { readonly name: "contact" | "terms" | "privacy" | "emergency" }
  | { readonly name: "not-found" };

/** Properties of the reader that affect a page. */
export interface PageReader {
  readonly language: Language;
  /** Null follows the device's setting. */
  readonly theme: "light" | "dark" | null;
  /** Null is the usual size. */
  readonly textSize: "large" | "largest" | null;
  /** If true, pages link to the app instead of to sign-in. */
  readonly signedIn: boolean;
}

export interface PageRequest {
  readonly page: PublicPage;
  /** Path of the page's own address, for example "/rates/ghana". */
  readonly path: string;
  readonly reader: PageReader;
  /** Year of the copyright line. */
  readonly year: number;
  readonly site: SiteFacts;
  /** Whether calls and payments are closed until a restore is finished. */
  readonly closed: boolean;
}

/** Exports of the renderer's bundle. */
export interface PageRenderer {
  /** The whole document. */
  renderPage(request: PageRequest): string;
  /** Languages in which all pages have texts; always includes English. */
  readonly spokenLanguages: readonly Language[];
}
