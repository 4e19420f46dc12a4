import { plainDigits } from "../ascii-digits.ts";

/**
 * Accents, and the vowel points of Hebrew and Arabic. Vowel signs of Indic scripts count as letters and are kept; nuktas are removed,
 * because people type letters with and without them. The voicing marks of kana are part of the letter.
 */
const MARKS =
  /(?![\u3099\u309a])(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]|\u093c|\u09bc|\u0a3c|\u0abc|\u0b3c|\u0cbc/gu;
/** Direction marks, joiners, soft hyphens, variation selectors, the Arabic tatweel, all apostrophes, and the dot of "Gal·la". */
const INVISIBLE = /[\p{Cf}\ufe00-\ufe0f\u0640'`´ʹʻʼʽʿʾˈ׳‘’‛′＇·]/gu;
/** Initials: "J.P.", "U.S.A.", "ए.पी.जे." */
const INITIALS = /(?:^|[^\p{L}\p{M}\p{N}])(?:\p{L}\p{M}*\.)+(?:\p{L}\p{M}*)?(?![\p{L}\p{M}\p{N}])/gu;
/** Punctuation separates words, so that "Jean-Pierre" and "jean pierre", "St. John" and "st john" find each other. Some has a meaning of its own. */
const SEPARATORS = /[^\P{P}%@#*_\\]|\u2212/gu;
/** Consonants that keyboards for Korean join when only initials are typed. */
const JOINED_INITIALS = new Map(
  ["ㄳㄱㅅ", "ㄵㄴㅈ", "ㄶㄴㅎ", "ㄺㄹㄱ", "ㄻㄹㅁ", "ㄼㄹㅂ", "ㄽㄹㅅ", "ㄾㄹㅌ", "ㄿㄹㅍ", "ㅀㄹㅎ", "ㅄㅂㅅ"].map((all) => [
    all.slice(0, 1),
    all.slice(1),
  ]),
);
/** Before a consonant, a nasal without a vowel is also written as a dot: हिन्दी, हिंदी. */
const NASALS = /[\u0919\u091e\u0923\u0928\u092e]\u094d(?=[\u0915-\u0939])/gu;

/** Letters that Unicode does not decompose, each followed by the plain letters that people type instead. */
const LETTERS = new Map<string, string>(
  [
    // Latin
    "đd ðd ɖd ɗd łl øo ıi ȷj ħh ŧt ŋn ɓb ƙk ƴy ɛe ɔo əe ǝe ßss æae œoe þth ĸk ƒf ʋv ɣg",
    // Greek and Cyrillic
    "ςσ ґг ғг қк ңн өо үу ұу һх әа ҳх ҷч",
    // Hebrew: the forms at the end of a word
    "ךכ םמ ןנ ףפ ץצ",
    // Arabic, with the letters of Persian, Urdu and other keyboards for the same sounds; a lone hamza is often omitted
    "ٱا ىي یي ېي ےي ةه ۃه ہه ھه ەه کك ڪك ںن ڤف ء",
    // Devanagari: a nasal vowel is written with either sign
    "\u0901\u0902",
    // Chinese characters of names that have two forms in Japanese
    "髙高 﨑崎 濵浜 濱浜 澤沢 邊辺 邉辺 齋斎 齊斉 廣広 國国",
  ].flatMap((letters) => letters.split(" ").map(([letter = "", ...plain]): [string, string] => [letter, plain.join("")])),
);
const LETTER = new RegExp(`[${[...LETTERS.keys()].join("")}]`, "gu");
/** Katakana, whose hiragana equivalents are at 0x60 lower code points. */
const KATAKANA = /[\u30a1-\u30f6]/gu;
const KANA_DISTANCE = 0x60;
const SYLLABLES = /[\uac00-\ud7a3]+/gu;
/** What follows the initial consonant in a Korean syllable. */
const VOWELS_AND_FINALS = /[\u1161-\u11ff]/gu;
/** The first syllable: 김ㅁㅅ is a usual way to look for 김민수. */
const KOREAN_FAMILY_NAME = /^[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?/u;
/** "ae" for ä, "aa" for å, "oe" for ö and ø, "ue" for ü. */
const DIGRAPHS = /a(?:a|e)+|([ou])e+/gu;

/**
 * Folds a text for comparison and search, so that what people type finds a name: lower case, no accents, plain letters and digits, no
 * punctuation, single spaces, Korean syllables in letters. "Lucía  Fernández" → "lucia fernandez", "O’Neil" → "oneil", "Đức Weiß" →
 * "duc weiss", "J.P. Morgan" → "jp morgan".
 */
export function foldText(text: string): string {
  const letters = text
    .replace(INVISIBLE, "")
    .replace(/[ㄳ-ㅄ]/gu, (joined) => JOINED_INITIALS.get(joined) ?? joined)
    .normalize("NFKD")
    .replace(MARKS, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(INVISIBLE, "")
    .replace(LETTER, (letter) => LETTERS.get(letter) ?? letter)
    .replace(KATAKANA, (kana) => String.fromCodePoint((kana.codePointAt(0) as number) - KANA_DISTANCE))
    .replace(NASALS, "\u0902")
    .replace(INITIALS, (initials) => initials.replaceAll(".", ""))
    .replace(SYLLABLES, (syllables) => syllables.normalize("NFD"));
  return plainDigits(letters).replace(SEPARATORS, " ").replace(/\s+/gu, " ").trim();
}

/**
 * What searches of people compare their words with: the folded texts, and other ways to type the name: without spaces
 * ("jeanpierre"), by Korean initials, and with or without the second letter of "ae" for "ä". Stored with each contact, so that no other
 * language restates these rules.
 * @param more other texts to find the person by
 */
export function searchKey(name: string, more: string = ""): string {
  const folded = foldText(name);
  const joined = folded.replaceAll(" ", "");
  const initials = joined.replace(VOWELS_AND_FINALS, "");
  const family = KOREAN_FAMILY_NAME.exec(joined)?.[0] ?? initials.slice(0, 1);
  const ways = [`${folded} ${foldText(more)}`.trim(), joined, initials, family + initials.slice(1)];
  return [...new Set([...ways, ...ways.map(withoutDigraphs)])].join(" ");
}

/** The words of a search, all of which must occur in a search key. */
export function searchWords(text: string): string[] {
  return withoutDigraphs(foldText(text)).split(" ").filter(Boolean);
}

/** @param words of `searchWords` */
export function isFoundBy(key: string, words: readonly string[]): boolean {
  return words.every((word) => key.includes(word));
}

function withoutDigraphs(folded: string): string {
  return folded.replace(DIGRAPHS, (letters) => letters.slice(0, 1));
}
