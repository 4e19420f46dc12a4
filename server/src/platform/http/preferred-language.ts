import { languages, type Language } from "@farline/contract/languages.ts";

const MOST_READ = 10;

/** The first language of an Accept-Language header (RFC 9110 §12.5.4) that the mails are written in; English without one. */
export function preferredLanguage(header: string | undefined): Language {
  const wanted = (header ?? "")
    .split(",", MOST_READ)
    .map((entry) => {
      const [tag = "", weight] = entry.trim().toLowerCase().split(";q=");
      return { language: tag.split("-")[0] ?? "", weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter((entry) => entry.weight > 0)
    .toSorted((a, b) => b.weight - a.weight);
  for (const { language } of wanted) {
    const known = languages.find((one) => one === language);
    if (known !== undefined) return known;
  }
  return "en";
}
