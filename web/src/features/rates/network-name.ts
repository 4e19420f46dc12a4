import type { NetworkPrice } from "@farline/contract/public-pages.ts";

/** As carriers write number types after the country. */
const TYPE_WORDS =
  /^(mobile|landline|fixed|toll free|shared cost|uan|premium|voip|personal number|pager|voicemail|satellite)\b\s*/i;

/**
 * A price's network or city in the reader's language, without the country: "MTN", "Accra"; "" if the price names none. Networks, and cities
 * without a known translation, keep the carrier's name.
 * @param cityName a city's name in the reader's language by its English one
 */
export function networkName(
  { description, numberType }: Pick<NetworkPrice, "description" | "numberType">,
  englishCountry: string,
  cityName: (english: string) => string | undefined,
): string {
  const rest = description.startsWith(englishCountry) ? description.slice(englishCountry.length).trim() : description;
  const name = rest.replace(TYPE_WORDS, "");
  return numberType === "landline" ? (cityName(name) ?? name) : name;
}
