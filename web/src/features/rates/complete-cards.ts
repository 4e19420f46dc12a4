import type { CountriesResponse, CountrySummary } from "@farline/contract/rates.ts";
import { fillText } from "../../text/fill-text.ts";
import { nextTask } from "../../browser/next-task.ts";
import { priceText } from "../../text/price-text.ts";

const CARDS_A_TASK = 5;
const TIMEOUT_MS = 20_000;

/**
 * Adds flags and sample prefixes to the cards that come without, a few cards at a time and in the likeness of the first that
 * has them: with them the document would be twice as large. When the prefixes can't be had the cards stay without: each leads
 * to the country's page, which has every prefix.
 * @param caption what the table of a country is called, as in the catalogues
 */
export async function completeCards(caption: string | undefined): Promise<void> {
  await addFlags();
  const likeness = document.querySelector(".prefixes:has(td)");
  const cards = document.querySelectorAll<HTMLElement>("[data-brief]");
  if (likeness === null || cards.length === 0) return;
  const summaries = await askSummaries();
  for (const [index, card] of cards.entries()) {
    if (index % CARDS_A_TASK === 0) await nextTask();
    const summary = summaries.get(card.dataset["country"] ?? "");
    if (summary === undefined) continue;
    const name = card.querySelector("h3")?.textContent ?? "";
    card.append(prefixTable(likeness, fillText(caption, { country: name }), summary));
    delete card.dataset["brief"];
  }
}

/** A card without its flag names it for those without scripts, which is only text to those with. */
async function addFlags(): Promise<void> {
  const likeness = document.querySelector<HTMLImageElement>(".ratecard__top > img");
  if (likeness === null) return;
  for (const [index, place] of document.querySelectorAll(".ratecard__top > noscript").entries()) {
    if (index % CARDS_A_TASK === 0) await nextTask();
    const address = /src="([^"]+)"/.exec(place.textContent)?.[1];
    if (address === undefined) continue;
    const flag = likeness.cloneNode() as HTMLImageElement;
    flag.src = address;
    place.replaceWith(flag);
  }
}

async function askSummaries(): Promise<ReadonlyMap<string, CountrySummary>> {
  try {
    const response = await fetch("/api/rates/countries", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const { countries } = (response.ok ? await response.json() : { countries: [] }) as CountriesResponse;
    return new Map(countries.map((summary) => [summary.country_code, summary]));
  } catch (error) {
    console.warn("The sample prefixes could not be fetched.", error);
    return new Map();
  }
}

function prefixTable(likeness: Element, caption: string, { sample_prefixes: samples }: CountrySummary): Element {
  const price = priceText(document.documentElement.lang);
  const table = likeness.cloneNode(true) as Element;
  table.querySelector("caption")?.replaceChildren(caption);
  const row = table.querySelector("tr");
  table.querySelector("tbody")?.replaceChildren(
    ...samples.map(({ prefix, description, rate }) => {
      const filled = row?.cloneNode(true) as Element;
      for (const [place, text] of [`+${prefix}`, description, price.rate(rate)].entries())
        filled.children[place]?.replaceChildren(text);
      return filled;
    }),
  );
  return table;
}
