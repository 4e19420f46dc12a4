import { plainDigits } from "../ascii-digits.ts";

/**
 * Accents, and the vowel points of Hebrew and Arabic. Vowel signs of Indic scripts count as letters and are kept; nuktas are removed,
 * because people type letters with and without them. The voicing marks of kana are part of the letter.
 */
const MARKS =
  /(?![\u3099\u309a])(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]|\u093c|\u09bc|\u0a3c|\u0abc|\u0b3c|\u0cbc/gu;
/** Direction marks, joiners, soft hyphens, variation selectors, the Arabic tatweel, and all apostrophes. */
const INVISIBLE = /[\p{Cf}\ufe00-\ufe0f\u0640'`´ʹʻʼʽʿʾˈ׳‘’‛′＇]/gu;
/** Dashes separate words, so that "Jean-Pierre" and "jean pierre" find each other. */
const DASHES = /[\p{Pd}\u2212]/gu;

/** Letters that Unicode does not decompose, each followed by the plain letters that people type instead. */
const LETTERS = new Map<string, string>(
  [
    // Latin
    "đd ðd ɖd ɗd łl øo ıi ȷj ħh ŧt ŋn ɓb ƙk ƴy ɛe ɔo əe ǝe ßss æae œoe þth ĸk ƒf ʋv ɣg",
    // Greek and Cyrillic
    "ςσ ґг ғг қк ңн өо үу ұу һх әа ҳх ҷч",
    // Arabic, with the letters of Persian, Urdu and other keyboards for the same sounds; a lone hamza is often omitted
    "ٱا ىي یي ېي ےي ةه ۃه ہه ھه ەه کك ڪك ںن ء",
    // Devanagari: a nasal vowel is written with either sign
    "\u0901\u0902",
  ].flatMap((letters) => letters.split(" ").map(([letter = "", ...plain]): [string, string] => [letter, plain.join("")])),
);
const LETTER = new RegExp(`[${[...LETTERS.keys()].join("")}]`, "gu");
/** Katakana, whose hiragana equivalents are at 0x60 lower code points. */
const KATAKANA = /[\u30a1-\u30f6]/gu;
const KANA_DISTANCE = 0x60;

/**
 * Folds a text for comparison and search, so that what people type finds a name: lower case, no accents, plain letters and digits, no
 * apostrophes, single spaces. "Lucía  Fernández" → "lucia fernandez", "O’Neil" → "oneil", "Đức Weiß" → "duc weiss".
 */
export function foldText(text: string): string {
  const letters = text
    .replace(INVISIBLE, "")
    .normalize("NFKD")
    .replace(MARKS, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(INVISIBLE, "")
    .replace(LETTER, (letter) => LETTERS.get(letter) ?? letter)
    .replace(KATAKANA, (kana) => String.fromCodePoint((kana.codePointAt(0) as number) - KANA_DISTANCE));
  return plainDigits(letters).replace(DASHES, " ").replace(/\s+/gu, " ").trim();
}

/** The words of a search, all of which must occur in a folded text. */
export function searchWords(text: string): string[] {
  return foldText(text).split(" ").filter(Boolean);
}
