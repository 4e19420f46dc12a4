import { charsets } from "./alphabets.ts";
import type { CharsetLabel } from "./charset-labels.ts";
import { scoreCharset } from "./score-charset.ts";

/** Prefers earlier charsets among equal scores. */
const RANK_WEIGHT = 0.004;
/** A known table header is stronger evidence than the score of its few letters. */
const KNOWN_WORD_WEIGHT = 0.3;

/**
 * Detects the character set of bytes that are not UTF-8.
 * @param bytes a few lines with non-ASCII letters
 * @param hasKnownWord whether a text contains a known word, such as a column header
 */
export function detectCharset(bytes: Uint8Array, hasKnownWord: (text: string) => boolean = () => false): CharsetLabel {
  let best: { name: CharsetLabel; score: number } = { name: "windows-1252", score: Number.NEGATIVE_INFINITY };
  for (const [place, charset] of charsets.entries()) {
    const known = hasKnownWord(new TextDecoder(charset.name).decode(bytes)) ? KNOWN_WORD_WEIGHT : 0;
    const score = scoreCharset(bytes, charset) + known - place * RANK_WEIGHT;
    if (score > best.score) best = { name: charset.name, score };
  }
  return best.name;
}
