/** English words that are also currency codes. In a sentence they count only after "in" or "currency". */
const WORDS: ReadonlySet<string> = new Set(["TRY", "CUP", "PEN", "GEL", "SOS", "MOP", "BAM"]);
/** Such words that also occur after "in". */
const FREQUENT_WORDS: ReadonlySet<string> = new Set(["ALL", "TOP"]);
const CODES: ReadonlySet<string> = new Set(
  [...Intl.supportedValuesOf("currency"), "RMB", "XDR"].filter((code) => code !== "USD"),
);
/** Names of other currencies and of parts of the dollar. */
const OTHER_WORDS =
  /(?<!per )\b(?:euros?|eurocents?|cents?|centimes?|cts?|pence|pounds?|sterling|yen|yuan|renminbi|rupees?|francs?|dirhams?|riyals?|rubles?|roubles?|liras?|pesos?|reais|kron(?:or|er|a|e)|zloty|shillings?|millicents?|sdr)\b/i;
/** Prices per minute in a minor unit. */
const MINOR_UNIT = /(?:^|[\s([])[cp]\s*(?:\/|per\s)\s*min|\bppm\b/i;
/** Cents of the dollar in one word, and other currencies and minor units in other languages' words. */
const MORE_WORDS =
  /\b(?:us[c¢]|us ?cts?|uscents?|cusd|usx|centavos?|centesimi|centesimo|c[eé]ntimos?|groszy?|kopeks?|kuruş|mills?)\b|美分|人民币|欧元|英镑|日元|(?<!美)元|евро|руб|копе|цент|يورو|سنت/iu;
/** Other countries' dollars: A$, CA$, HK$, "Australian dollars". */
const OTHER_DOLLARS =
  /\b(?!US\$)[A-Z]{1,3}\$|\b(?:australian|canadian|singapore|hong kong|new zealand|jamaican|barbados|trinidad)\s+dollars?\b/i;
const OTHER_SIGN = /(?!\$)\p{Sc}/u;
const DOLLARS = /\$|\b(?:usd|us dollars?|u\.?s\.? dollars?|dollars?|840)\b|美元|доллар|دولار/i;

/**
 * The currency that a text names: `dollars`; `other` for another currency, a part of the dollar, or several currencies; or null.
 */
export function currencyIn(text: string): "dollars" | "other" | null {
  if (
    OTHER_SIGN.test(text) ||
    OTHER_WORDS.test(text) ||
    MORE_WORDS.test(text) ||
    MINOR_UNIT.test(text) ||
    OTHER_DOLLARS.test(text)
  )
    return "other";
  for (const [, before = "", code = ""] of text.matchAll(/(\b(?:in|currency|curr\.?|ccy)[\s:=]+)?\b([a-z]{3})\b/gi)) {
    const upper = code.toUpperCase();
    if (!CODES.has(upper)) continue;
    // In prose only capitals are a code. A word such as "all" is a code only on its own or after "currency" or "in".
    const isAlone = text.trim().length === code.length;
    if (!isAlone && FREQUENT_WORDS.has(upper)) continue;
    if (isAlone || (WORDS.has(upper) ? before !== "" && code === upper : code === upper || before !== "")) return "other";
  }
  return DOLLARS.test(text) ? "dollars" : null;
}

const NAMES_IN_HEADER = new RegExp(
  `\\b(?:us|usd|dollars?|${[...CODES].filter((code) => !FREQUENT_WORDS.has(code)).join("|")})\\b|${OTHER_WORDS.source}`,
  "gi",
);

/** Removes the currency from a normalised header. */
export function withoutCurrency(name: string): string {
  return name.replaceAll(NAMES_IN_HEADER, " ").replaceAll(/\s+/g, " ").trim();
}
