const MINUS = "\u2212";
const LEFT_TO_RIGHT_ISOLATE = "\u2066";
const RIGHT_TO_LEFT_ISOLATE = "\u2067";
const POP_DIRECTIONAL_ISOLATE = "\u2069";

/** The locale of each language's dollars and numbers, always in Latin digits. Most Spanish-speaking users live in the Americas. */
export const numberLocales = { en: "en-US", es: "es-US", fr: "fr", hi: "hi", ar: "ar" } as const;
type Language = keyof typeof numberLocales;

/** Cached, because constructing a formatter is much more expensive than using it. */
const formats = new Map<string, Intl.NumberFormat>();

function dollarFormat(language: Language, { decimals, signed, named }: DollarForm): Intl.NumberFormat {
  const key = `${language} ${decimals} ${signed} ${named}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(numberLocales[language], {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    numberingSystem: "latn",
    style: "currency",
    currency: "USD",
    currencyDisplay: named ? "symbol" : "narrowSymbol",
    signDisplay: signed ? "exceptZero" : "auto",
  });
  formats.set(key, made);
  return made;
}

interface DollarForm {
  readonly decimals: number;
  /** Prefixes positive amounts with a plus sign. */
  readonly signed: boolean;
  /** Shows that these are US dollars, in languages that have a symbol for it: "$US". */
  readonly named: boolean;
}

/**
 * Formats an exact decimal string as dollars with group separators, without changing its decimals. In right-to-left languages it is
 * isolated.
 */
export function moneyText(decimal: string, language: Language, form: Partial<DollarForm> = {}): string {
  const decimals = decimal.split(".")[1]?.length ?? 0;
  const text = dollarFormat(language, { decimals, signed: false, named: false, ...form })
    .format(decimal as `${number}`)
    .replace("-", MINUS);
  return language === "ar" ? `${RIGHT_TO_LEFT_ISOLATE}${text}${POP_DIRECTIONAL_ISOLATE}` : text;
}

/**
 * Keeps a phone number or a timer in left-to-right order inside right-to-left text (Unicode UAX #9, isolates). Unlike an element, it
 * also works inside a translated sentence.
 */
export function isolateNumber(text: string, language: Language): string {
  return language === "ar" ? `${LEFT_TO_RIGHT_ISOLATE}${text}${POP_DIRECTIONAL_ISOLATE}` : text;
}
