import { writing, type Language } from "./languages.ts";

const MINUS = "\u2212";
const LEFT_TO_RIGHT_ISOLATE = "\u2066";
const RIGHT_TO_LEFT_ISOLATE = "\u2067";
const FIRST_STRONG_ISOLATE = "\u2068";
const POP_DIRECTIONAL_ISOLATE = "\u2069";

/** Constructing a formatter costs far more than using it, and a list of calls reuses the same few. */
const formats = new Map<string, Intl.NumberFormat>();

function dollarFormat(language: Language, { decimals, signed, named }: DollarForm): Intl.NumberFormat {
  const key = `${language} ${decimals} ${signed} ${named}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(writing[language].figures, {
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
 * isolated, and so is its symbol, which browsers would show as "$US" otherwise.
 */
export function moneyText(decimal: string, language: Language, form: Partial<DollarForm> = {}): string {
  const decimals = decimal.split(".")[1]?.length ?? 0;
  const text = dollarFormat(language, { decimals, signed: false, named: false, ...form })
    .format(decimal as `${number}`)
    .replace("-", MINUS);
  if (writing[language].direction !== "rtl") return text;
  const symbol = text.replace("US$", `${LEFT_TO_RIGHT_ISOLATE}$&${POP_DIRECTIONAL_ISOLATE}`);
  return `${RIGHT_TO_LEFT_ISOLATE}${symbol}${POP_DIRECTIONAL_ISOLATE}`;
}

/**
 * Keeps a phone number or a timer in left-to-right order inside right-to-left text (Unicode UAX #9, isolates). Unlike an element, it
 * also works inside a translated sentence.
 */
export function isolateNumber(text: string, language: Language): string {
  return writing[language].direction === "rtl" ? `${LEFT_TO_RIGHT_ISOLATE}${text}${POP_DIRECTIONAL_ISOLATE}` : text;
}

/** Letters that run against the text: in left-to-right text Hebrew to Arabic and their presentation forms, otherwise all others. */
const FOREIGN = { ltr: /[\u0590-\u08ff\ufb1d-\ufefc]/, rtl: /[A-Za-z\u00c0-\u058f\u0900-\u1fff\u2c00-\ufb17]/ };

/**
 * Keeps a name or an address in letters of the other direction in its own order inside a sentence: without it, Arabic text shows
 * "24h Taxi (Anna)" with its number and its bracket elsewhere.
 */
export function isolateForeign(text: string, language: Language): string {
  const isForeign = FOREIGN[writing[language].direction].test(text);
  return isForeign ? FIRST_STRONG_ISOLATE + text + POP_DIRECTIONAL_ISOLATE : text;
}
