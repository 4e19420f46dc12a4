import type { DeckFile } from "./file/read-deck-file.ts";

/** Words for prices that somebody's customers pay: both kinds of list contain what the carrier takes from us. */
const OF_CUSTOMERS = /\b(?:sell|selling|sale|sales|retail|resale|resell|customers?|end[ -]?users?|subscribers?)\b/i;
const OF_TRUNK = /\btrunks?\b/i;

/**
 * Why a list may be of another kind than the operator says, by its own words: its name and its headers.
 * @param known.trunks the trunks that a deck was stored for. @param known.current the name of the active deck of the same kind
 */
export function kindDoubts(
  { source, name, trunk }: { readonly source: string; readonly name: string | null; readonly trunk: string | null },
  { layout, beside }: Pick<DeckFile, "layout" | "beside">,
  known: { readonly trunks: readonly string[]; readonly current: string | null },
): string[] {
  const names = [source, ...(name === null ? [] : [name])].map(spaced);
  const texts = [...names, ...layout.map(({ header }) => header), ...beside.map(({ text }) => text)];
  const saying = (words: RegExp): string | undefined => texts.find((text) => words.test(text));
  const doubts: string[] = [];
  const other = known.trunks.find((one) => one !== trunk && names.some((text) => hasWords(text, one)));
  // A carrier's list may be both: what is sold by, and what its trunk costs. Then the active deck is named so too.
  if (other !== undefined && !hasWords(spaced(known.current ?? ""), other))
    doubts.push(`its name contains that of trunk "${other}"`);
  const sold = saying(OF_CUSTOMERS);
  if (sold !== undefined) doubts.push(`"${sold}" sounds like prices for customers, to which a mark-up was added already`);
  const ofTrunk = trunk === null ? saying(OF_TRUNK) : undefined;
  if (ofTrunk !== undefined) doubts.push(`"${ofTrunk}" sounds like the costs of a trunk`);
  return doubts;
}

/** A file name's words. */
function spaced(name: string): string {
  return name.replaceAll(/[_.]+/g, " ");
}

function hasWords(text: string, words: string): boolean {
  const plain = (one: string) =>
    ` ${one
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim()} `;
  return plain(text).includes(plain(words));
}
