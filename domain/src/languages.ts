/** The languages of the web app, mails and documents; English is the fallback. Their texts are in `texts/<language>`. */
export const languages = ["en", "es", "fr", "hi", "ar"] as const;
export type Language = (typeof languages)[number];

interface Writing {
  /** The language in its own name. */
  readonly name: string;
  readonly direction: "ltr" | "rtl";
  /** BCP 47 locale of amounts and numbers, always in Latin digits. */
  readonly figures: string;
  /** BCP 47 locale of dates in receipts, statements and public pages. */
  readonly dates: string;
  /** Where a balance names its currency: before the amount, "USD $24.60", or within its sign, "24,60 $US". */
  readonly currencyCode: "before" | "in sign";
}

/** How each language is written. Spanish follows the Americas, where most callers live; most English documents go to Britain. */
export const writing: Readonly<Record<Language, Writing>> = {
  en: { name: "English", direction: "ltr", figures: "en-US", dates: "en-GB", currencyCode: "before" },
  es: { name: "Español", direction: "ltr", figures: "es-US", dates: "es", currencyCode: "before" },
  fr: { name: "Français", direction: "ltr", figures: "fr", dates: "fr", currencyCode: "in sign" },
  hi: { name: "हिन्दी", direction: "ltr", figures: "hi", dates: "hi", currencyCode: "before" },
  ar: { name: "العربية", direction: "rtl", figures: "ar", dates: "ar", currencyCode: "in sign" },
};
