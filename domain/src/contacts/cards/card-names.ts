import { oneLine, displayNames, splitName } from "../contact-texts.ts";
import { foldText } from "../fold-text.ts";

/** A card's `N` property. */
export interface StructuredName {
  readonly family: string;
  readonly given: string;
  readonly further: string;
  readonly before: string;
  readonly behind: string;
}

/**
 * A person's names. `FN` is the display name and takes precedence. The parts of `N` are used if they are the same name, possibly a
 * longer form or in address-book order ("Nowak, Ola").
 * @param fallback the name of a card without one
 */
export function cardNames(
  full: string,
  name: StructuredName | null,
  fallback: string,
): { readonly firstName: string; readonly lastName: string } {
  const firstName = name === null ? "" : oneLine(`${name.given} ${name.further}`);
  const lastName = name?.family ?? "";
  if (name === null || (firstName === "" && lastName === "")) return splitName(full === "" ? fallback : full);
  if (full === "") return displayNames({ firstName, lastName });
  if (isSameName(full, name)) return { firstName, lastName };
  return splitName(full);
}

function isSameName(full: string, { family, given, further, before, behind }: StructuredName): boolean {
  const words = wordsOf(full);
  if (isWithin(words, wordsOf([before, given, further, family, behind].join(" ")))) return true;
  return full.includes(",") && isWithin(words, wordsOf([before, family, behind, before, given, further, behind].join(" ")));
}

/** Whether all words occur among the others in the same order. */
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
