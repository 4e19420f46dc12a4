import { plainDigits } from "../ascii-digits.ts";

/**
 * Marks over and under letters, and the pointing of Hebrew and Arabic. The vowel signs of Indian scripts are letters and stay; their
 * nuktas go, because people type the letter with and without. The marks that voice kana are part of the letter.
 */
const MARKS =
  /(?![\u3099\u309a])(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]|\u093c|\u09bc|\u0a3c|\u0abc|\u0b3c|\u0cbc/gu;
/** Writing directions, joiners, soft hyphens, variation selectors, the Arabic tatweel, and every kind of apostrophe. */
const UNSEEN = /[\p{Cf}\ufe00-\ufe0f\u0640'`´ʹʻʼʽʿʾˈ׳‘’‛′＇]/gu;
/** Dashes separate words, so that "Jean-Pierre" is found by "jean pierre" and the reverse. */
const DASHES = /[\p{Pd}\u2212]/gu;

/** Letters that Unicode does not decompose, with the plain ones that people type for them. */
const LETTERS = new Map<string, string>(
  [
    // Latin
    "đd ðd ɖd ɗd łl øo ıi ȷj ħh ŧt ŋn ɓb ƙk ƴy ɛe ɔo əe ǝe ßss æae œoe þth ĸk ƒf ʋv ɣg",
    // Greek and Cyrillic
    "ςσ ґг ғг қк ңн өо үу ұу һх әа ҳх ҷч",
    // Arabic, with the letters that Persian, Urdu and other keyboards have for the same sounds; a lone hamza is often left out
    "ٱا ىي یي ېي ےي ةه ۃه ہه ھه ەه کك ڪك ںن ء",
    // Devanagari: a nasal vowel is written with either sign
    "\u0901\u0902",
  ].flatMap((letters) => letters.split(" ").map(([letter = "", ...plain]): [string, string] => [letter, plain.join("")])),
);
const LETTER = new RegExp(`[${[...LETTERS.keys()].join("")}]`, "gu");
/** Katakana, of which each letter has its hiragana 0x60 before it. */
const KATAKANA = /[\u30a1-\u30f6]/gu;
const KANA_DISTANCE = 0x60;

/**
 * Folds a text for comparison and search: what people type for a name must find it. Lower case, no accents, plain letters and
 * digits, no apostrophes, single spaces. "Lucía  Fernández" → "lucia fernandez", "O’Neil" → "oneil", "Đức Weiß" → "duc weiss".
 */
export function foldText(text: string): string {
  const letters = text
    .replace(UNSEEN, "")
    .normalize("NFKD")
    .replace(MARKS, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(UNSEEN, "")
    .replace(LETTER, (letter) => LETTERS.get(letter) ?? letter)
    .replace(KATAKANA, (kana) => String.fromCodePoint((kana.codePointAt(0) as number) - KANA_DISTANCE));
  return plainDigits(letters).replace(DASHES, " ").replace(/\s+/gu, " ").trim();
}

/** Words that must all be in a folded text to match a search. */
export function searchWords(text: string): string[] {
  return foldText(text).split(" ").filter(Boolean);
}
