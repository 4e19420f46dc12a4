/** Marks over letters in Latin, Greek, Cyrillic, Hebrew and Arabic; the vowel signs of Indian scripts are letters and stay. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/gu;

/** Folds a text for comparison and search: lower case, no accents, single spaces. "Lucía  Fernández" → "lucia fernandez". */
export function foldText(text: string): string {
  return text.normalize("NFKD").replace(MARKS, "").normalize("NFC").toLowerCase().replace(/\s+/gu, " ").trim();
}
