import type { CountryPrices, NetworkPrice, PublicRates } from "@farline/contract/public-pages.ts";
import { countrySlug } from "@farline/domain/countries/country-slug.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import type { HelpSection } from "../features/help/help-answers.ts";
import { popularDestinations } from "../features/rates/rates-sections.tsx";

/**
 * Structured data for search engines (schema.org). A price is for 60 seconds. `billingIncrement` and the minimum quantity
 * are in the unit that `unitCode` names: seconds (https://schema.org/UnitPriceSpecification).
 */
type Json = Readonly<Record<string, unknown>>;

const CONTEXT = "https://schema.org";
const CURRENCY = "USD";

export function organizationData(origin: string): Json {
  return {
    "@context": CONTEXT,
    "@type": "Organization",
    name: "Farline",
    url: `${origin}/`,
    logo: `${origin}/og.png`,
  };
}

/** The price range and the popular destinations. */
export function ratesData(origin: string, rates: PublicRates): Json {
  const prices = rates.countries.flatMap((one) => [one.min_rate, one.max_rate]).toSorted(byPrice);
  return {
    "@context": CONTEXT,
    "@type": "Service",
    name: "International calls",
    serviceType: "International telephone calls",
    provider: { "@type": "Organization", name: "Farline", url: `${origin}/` },
    url: `${origin}/rates`,
    offers: {
      "@type": "AggregateOffer",
      priceCurrency: CURRENCY,
      lowPrice: prices[0],
      highPrice: prices.at(-1),
      offerCount: rates.countries.length,
      offers: popularDestinations(rates.countries).map((one) => ({
        "@type": "Offer",
        name: one.country_name,
        url: `${origin}/rates/${countrySlug(one.country_name)}`,
        priceCurrency: CURRENCY,
        price: one.avg_rate,
        validFrom: rates.effectiveAt,
        priceSpecification: {
          "@type": "UnitPriceSpecification",
          price: one.avg_rate,
          priceCurrency: CURRENCY,
          unitCode: "SEC",
          referenceQuantity: minute(),
        },
      })),
    },
  };
}

/** The help page's questions (https://schema.org/FAQPage). */
export function questionsData(sections: readonly HelpSection[]): Json {
  return {
    "@context": CONTEXT,
    "@type": "FAQPage",
    mainEntity: sections.flatMap(({ answers }) =>
      answers.map(({ question, answer, items }) => ({
        "@type": "Question",
        name: question,
        acceptedAnswer: { "@type": "Answer", text: [answer, ...items].join("\n") },
      })),
    ),
  };
}

/** Every price of one country, with its billing increment. */
export function countryData(origin: string, country: CountryPrices): Json {
  return {
    "@context": CONTEXT,
    "@type": "Service",
    name: `Calls to ${country.name}`,
    serviceType: "International telephone calls",
    provider: { "@type": "Organization", name: "Farline", url: `${origin}/` },
    areaServed: { "@type": "Country", name: country.name, identifier: country.countryCode },
    url: `${origin}/rates/${countrySlug(country.name)}`,
    offers: country.prices.map((price) => offer(price, country.effectiveAt)),
  };
}

function offer(price: NetworkPrice, validFrom: string): Json {
  return {
    "@type": "Offer",
    name: price.description,
    category: price.numberType,
    priceCurrency: CURRENCY,
    price: price.ratePerMinute,
    validFrom,
    priceSpecification: {
      "@type": "UnitPriceSpecification",
      price: price.ratePerMinute,
      priceCurrency: CURRENCY,
      unitCode: "SEC",
      referenceQuantity: minute(),
      billingIncrement: price.nextIntervalSeconds,
      eligibleQuantity: { "@type": "QuantitativeValue", minValue: price.firstIntervalSeconds, unitCode: "SEC" },
    },
  };
}

function minute(): Json {
  return { "@type": "QuantitativeValue", value: 60, unitCode: "SEC" };
}

function byPrice(a: string, b: string): number {
  const [left, right] = [fromDecimalString(a), fromDecimalString(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
