import { writing, type Language } from "./languages.ts";
import { LEFT_TO_RIGHT_ISOLATE, POP_DIRECTIONAL_ISOLATE, RIGHT_TO_LEFT_ISOLATE } from "./text/text-direction.ts";

const MINUS = "\u2212";

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
