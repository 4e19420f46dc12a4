import type { Language } from "./languages.ts";
import type { CountrySummary, NumberType, Rate } from "./rates.ts";

/** What the service hands to the page renderer that `npm run build` makes, and what it gets back. All of it is public. */

/** What holds for every page while the service runs. */
export interface SiteFacts {
  /** Origin that browsers use, without a trailing slash. */
  readonly origin: string;
  /** The stand-ins' page; null in live mode. */
  readonly sandboxUrl: string | null;
  /** Where people write to. */
  readonly supportEmail: string;
  /** The operator's pages at social networks, as full addresses. */
  readonly socialLinks: readonly string[];
  /** Whether whoever confirms an address gets credit for a first call: only then may a page say so. */
  readonly firstCallFree: boolean;
}

/** The deck in force, as far as pages show it. */
export interface PublicRates {
  /** From when the deck is in force, ISO 8601. */
  readonly effectiveAt: string;
  /** One entry per country and number type, sorted by country name. */
  readonly rates: readonly Rate[];
  readonly countries: readonly CountrySummary[];
}

/** One price of a country, with everything that is reached at it under one name. */
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

/** All prices of one country. */
export interface CountryPrices {
  readonly effectiveAt: string;
  readonly countryCode: string;
  readonly name: string;
  /** What follows the plus. */
  readonly dialCode: string;
  /** IANA name; null where there is no one place. */
  readonly timeZone: string | null;
  /** A mobile number as written at home and in full. */
  readonly example: { readonly national: string; readonly international: string } | null;
  readonly prices: readonly NetworkPrice[];
}

export type PublicPage =
  | { readonly name: "landing"; readonly rates: PublicRates | null }
  /** `search` filters the countries, "" for all; `number` counts pages from 1. */
  | { readonly name: "rates"; readonly rates: PublicRates | null; readonly search: string; readonly number: number }
  | { readonly name: "country"; readonly country: CountryPrices }
  | { readonly name: "status"; readonly parts: Readonly<Record<"database" | "rates" | "voice" | "payments", "ok" | "down">> }
  | { readonly name: "about"; readonly rates: PublicRates | null }
  | { readonly name: "contact" | "terms" | "privacy" | "emergency" }
  | { readonly name: "not-found" };

/** For whom a page is written, as far as that changes it. */
export interface PageReader {
  readonly language: Language;
  /** Null: as the device is set. */
  readonly theme: "light" | "dark" | null;
  /** Pages then show the way back to the app in place of signing in. */
  readonly signedIn: boolean;
}

export interface PageRequest {
  readonly page: PublicPage;
  /** Path of the page's own address, for example "/rates/ghana". */
  readonly path: string;
  readonly reader: PageReader;
  /** Of the copyright line. */
  readonly year: number;
  readonly site: SiteFacts;
}

/** What the renderer's bundle exports. */
export interface PageRenderer {
  /** The whole document. */
  renderPage(request: PageRequest): string;
  /** Languages that all pages have texts in; English is always one. */
  readonly spokenLanguages: readonly Language[];
}
