import { type Charset, charsets, COMMON_CHARACTERS, type Script } from "./alphabets.ts";
import type { CharsetLabel } from "./charset-labels.ts";

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

/** The score of a letter, by its tier. */
const TIER_WEIGHTS = [1.1, 0.9, 0.6] as const;
const LATIN_WEIGHTS = [1, 0.97] as const;
const FOREIGN_LETTER = -2;
const RARE_LETTER = -0.6;
const BROKEN = -6;
const UNEXPECTED_CHARACTER = -2;
/** An upper-case letter inside a word, or an order of letters that the script does not allow. */
const INVALID_ORDER = 2;
const MIXED_SCRIPTS = 4;
/** Weight of words that are entirely upper or lower case, which names are not. */
const PLAIN_CASE = 0.9;

const PUNCTUATION = /[’‘“”–—…«»°№ªº·¿¡€´\u00a0、。・（）「」＋－，／：；　？！]/u;
const WORDS = /[\p{L}\p{M}]+|[^\p{L}\p{M}\0-\x7f]/gu;
const ASCII = /^[\0-\x7f]*$/;
const THAI_MARK = /[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/;
const THAI_BEFORE_MARK = /[\u0e01-\u0e2e\u0e31-\u0e3a\u0e47-\u0e4e]/;
const THAI_VOWEL = /[\u0e30-\u0e3a\u0e40-\u0e45]/;
const THAI_LEADING_VOWEL = /[\u0e40-\u0e44]/;
const SCRIPTS = (
  ["Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Thai", "Han", "Hiragana", "Katakana", "Hangul"] as const
).map((name) => ({
  script: name === "Hiragana" || name === "Katakana" ? "Han" : name,
  kana: name.endsWith("ana"),
  of: new RegExp(`\\p{Script=${name}}`, "u"),
}));

/**
 * How well bytes fit a character set: about 1 per byte for a text in it, less for letters that no language combines, for symbols
 * inside words and for misplaced upper-case letters.
 */
function scoreCharset(bytes: Uint8Array, charset: Charset): number {
  const text = new TextDecoder(charset.name).decode(bytes);
  const high = bytes.reduce((count, byte) => count + (byte >= 0x80 ? 1 : 0), 0);
  const letters = new Map<string, number>();
  let score = 0;
  for (const [word] of text.matchAll(WORDS)) {
    if (ASCII.test(word)) continue;
    if (/[\p{L}\p{M}]/u.test(word)) {
      score += wordScore(word, charset.script);
      const weight = word.length > 1 && (word === word.toUpperCase()) !== (word === word.toLowerCase()) ? PLAIN_CASE : 1;
      for (const letter of word) if (letter > "\x7f") letters.set(letter, (letters.get(letter) ?? 0) + weight);
    } else if (/[\ufffd\p{Cc}\p{Co}\p{Cn}]/u.test(word)) score += BROKEN;
    else if (!PUNCTUATION.test(word)) score += UNEXPECTED_CHARACTER;
  }
  return (score + bestLanguage(letters, charset)) / Math.max(1, high);
}

/** Penalties of a word: 0 or less. */
function wordScore(word: string, script: Script): number {
  const scripts = new Set<string>();
  let score = 0;
  let accented = 0;
  let before = "";
  for (const letter of word) {
    const own = scriptOf(letter)?.script;
    if (own !== undefined) scripts.add(own);
    if (letter > "\x7f") accented += 1;
    const isCapital = letter !== letter.toLowerCase();
    if (isCapital && before !== before.toUpperCase() && (letter > "\x7f" || before > "\x7f")) score -= INVALID_ORDER;
    if (script === "Thai" && isInvalidThai(before, letter)) score -= INVALID_ORDER;
    if (script === "Greek" && before === "ς") score -= INVALID_ORDER;
    before = letter;
  }
  if (scripts.size > 1) score -= MIXED_SCRIPTS;
  if (script === "Latin" && word.length > 2 && accented / word.length > 0.55) score -= accented;
  if (script === "Thai" && word.length > 3 && !THAI_VOWEL.test(word)) score -= word.length / 4;
  if (script === "Thai" && THAI_LEADING_VOWEL.test(before)) score -= INVALID_ORDER;
  if (script === "Greek" && before === "σ") score -= INVALID_ORDER;
  // Every Greek word of more than one syllable has an accent.
  if (script === "Greek" && word.length > 2 && /[α-ω]/.test(word) && !/[άέήίόύώΆΈΉΊΌΎΏΐΰ]/.test(word)) score -= word.length / 4;
  return score;
}

function isInvalidThai(before: string, letter: string): boolean {
  if (THAI_MARK.test(letter)) return !THAI_BEFORE_MARK.test(before);
  return THAI_LEADING_VOWEL.test(before) && !/[\u0e01-\u0e2e]/.test(letter);
}

/** The letters' score in the best-fitting language. */
function bestLanguage(letters: ReadonlyMap<string, number>, { name, script, languages }: Charset): number {
  const total = (weightOf: (letter: string) => number) =>
    [...letters].reduce((sum, [letter, count]) => sum + count * weightOf(letter), 0);
  if (script === "Thai") return total((letter) => (scriptOf(letter)?.script === "Thai" ? 1 : FOREIGN_LETTER));
  if (script === "Hangul" || script === "Han") return total((letter) => characterWeight(letter, name));
  const weights = script === "Latin" ? LATIN_WEIGHTS : TIER_WEIGHTS;
  return Math.max(
    ...languages.map((tiers) => {
      const known = new Map(tiers.flatMap((tier, index) => [...tier].map((letter) => [letter, weights[index] ?? 0] as const)));
      return total((letter) => known.get(letter) ?? (scriptOf(letter)?.script === script ? RARE_LETTER : FOREIGN_LETTER));
    }),
  );
}

/** Two-byte characters weigh twice as much as single-byte letters. */
function characterWeight(sign: string, charset: string): number {
  if (isCommon(sign, charset)) return 2.3;
  const own = scriptOf(sign);
  if (charset === "euc-kr") return own?.script === "Hangul" ? 1.9 : -0.5;
  const isJapanese = charset === "shift_jis" || charset === "euc-jp";
  // Half-width katakana with their voicing marks.
  if (/[\uff61-\uff9f]/.test(sign)) return isJapanese ? 0.95 : -1;
  if (own?.kana === true || sign === "ー") return isJapanese ? 2.1 : -1;
  if (sign === "々") return isJapanese ? 2 : -1;
  if (own?.script !== "Han") return FOREIGN_LETTER;
  return frequentCharacters(charset).has(sign) ? 1.9 : -0.5;
}

function isCommon(sign: string, charset: string): boolean {
  return COMMON_CHARACTERS[charset as keyof typeof COMMON_CHARACTERS].includes(sign);
}

/** First and last lead byte, and first trail byte, of each charset's block of frequent characters. */
const FREQUENT_RANGES = {
  gb18030: [0xb0, 0xd7, 0xa1],
  big5: [0xa4, 0xc6, 0x40],
  "euc-jp": [0xb0, 0xcf, 0xa1],
} as const;
const frequent = new Map<string, ReadonlySet<string>>();

function frequentCharacters(charset: string): ReadonlySet<string> {
  const name = charset === "shift_jis" ? "euc-jp" : charset;
  const known = frequent.get(name);
  if (known !== undefined) return known;
  const [from, to, trail] = FREQUENT_RANGES[name as keyof typeof FREQUENT_RANGES];
  const bytes: number[] = [];
  for (let lead: number = from; lead <= to; lead += 1)
    for (let second: number = trail; second <= 0xfe; second += 1) if (second < 0x7f || second > 0xa0) bytes.push(lead, second);
  const signs = new Set(new TextDecoder(name).decode(Uint8Array.from(bytes)));
  frequent.set(name, signs);
  return signs;
}

const scripts = new Map<string, (typeof SCRIPTS)[number] | undefined>();

function scriptOf(letter: string) {
  if (!scripts.has(letter))
    scripts.set(
      letter,
      SCRIPTS.find(({ of }) => of.test(letter)),
    );
  return scripts.get(letter);
}
