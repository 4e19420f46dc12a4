import { charsets } from "./alphabets.ts";
import type { CharsetLabel } from "./charset-labels.ts";
import { scoreCharset } from "./score-charset.ts";

/** Places in the list of charsets decide between equals. */
const PLACE_WEIGHT = 0.004;
/** A head of a table that is read as a known word says more than the fit of its few letters. */
const KNOWN_WORD_WEIGHT = 0.3;

/**
 * The character set of bytes that are not UTF-8, by how well their letters fit together.
 * @param bytes lines with letters beyond ASCII; a few are enough
 * @param knowsWord whether a text has a word that is known, such as the head of a column
 */
export function detectCharset(bytes: Uint8Array, knowsWord: (text: string) => boolean = () => false): CharsetLabel {
  let best: { name: CharsetLabel; score: number } = { name: "windows-1252", score: Number.NEGATIVE_INFINITY };
  for (const [place, charset] of charsets.entries()) {
    const known = knowsWord(new TextDecoder(charset.name).decode(bytes)) ? KNOWN_WORD_WEIGHT : 0;
    const score = scoreCharset(bytes, charset) + known - place * PLACE_WEIGHT;
    if (score > best.score) best = { name: charset.name, score };
  }
  return best.name;
}
