import { oneLine, shownNames, splitName } from "../contact-texts.ts";
import { foldText } from "../fold-text.ts";

/** The parts of a card's `N`. */
export interface StructuredName {
  readonly family: string;
  readonly given: string;
  readonly further: string;
  readonly before: string;
  readonly behind: string;
}

/**
 * A person's names. `FN` is the name that is shown: its order and its words count. The parts of `N` are taken where they are the same
 * name, with more of it or in the order of an address book ("Nowak, Ola").
 * @param otherwise a name to use when the card has none
 */
export function cardNames(
  full: string,
  name: StructuredName | null,
  otherwise: string,
): { readonly firstName: string; readonly lastName: string } {
  const firstName = name === null ? "" : oneLine(`${name.given} ${name.further}`);
  const lastName = name?.family ?? "";
  if (name === null || (firstName === "" && lastName === "")) return splitName(full === "" ? otherwise : full);
  if (full === "") return shownNames({ firstName, lastName });
  if (isSameName(full, name)) return { firstName, lastName };
  return splitName(full);
}

function isSameName(full: string, { family, given, further, before, behind }: StructuredName): boolean {
  const words = wordsOf(full);
  if (isWithin(words, wordsOf([before, given, further, family, behind].join(" ")))) return true;
  return full.includes(",") && isWithin(words, wordsOf([before, family, behind, before, given, further, behind].join(" ")));
}

/** Whether all words stand among the others in the same order. */
function isWithin(words: readonly string[], others: readonly string[]): boolean {
  let at = 0;
  return words.every((word) => {
    at = others.indexOf(word, at) + 1;
    return at > 0;
  });
}

function wordsOf(text: string): string[] {
  return foldText(text)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);
}
