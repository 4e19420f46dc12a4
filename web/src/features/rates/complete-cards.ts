import { nextTask } from "../../lib/next-task.ts";
import type { CardSamples } from "./country-card.tsx";

const CARDS_A_TASK = 12;

/**
 * Draws the sample prefixes of the cards that only carry them, a few cards at a time: as tables in the document they would
 * be half of all its elements. They are made in the likeness of the first card's.
 */
export async function completeCards(): Promise<void> {
  const likeness = document.querySelector(".prefixes");
  if (likeness === null) return;
  for (const [index, card] of document.querySelectorAll<HTMLElement>("[data-samples]").entries()) {
    if (index % CARDS_A_TASK === 0) await nextTask();
    card.append(prefixTable(likeness, JSON.parse(card.dataset["samples"] ?? "") as CardSamples));
    delete card.dataset["samples"];
  }
}

function prefixTable(likeness: Element, { caption, rows }: CardSamples): Element {
  const table = likeness.cloneNode(true) as Element;
  table.querySelector("caption")?.replaceChildren(caption);
  const row = table.querySelector("tr");
  table.querySelector("tbody")?.replaceChildren(
    ...rows.map((texts) => {
      const filled = row?.cloneNode(true) as Element;
      for (const [place, text] of texts.entries()) filled.children[place]?.replaceChildren(text);
      return filled;
    }),
  );
  return table;
}
