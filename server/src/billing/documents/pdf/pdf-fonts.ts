import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Noto Sans subsets by Unicode range, tried in this order. */
const PIECES = [
  { family: "noto-sans", piece: "latin" },
  { family: "noto-sans", piece: "latin-ext" },
  { family: "noto-sans", piece: "vietnamese" },
  { family: "noto-sans", piece: "greek" },
  { family: "noto-sans", piece: "greek-ext" },
  { family: "noto-sans", piece: "cyrillic" },
  { family: "noto-sans", piece: "cyrillic-ext" },
  { family: "noto-sans", piece: "devanagari" },
  { family: "noto-sans-arabic", piece: "arabic" },
] as const;

/** Combining marks stay in the font of their letter if it has them. */
const FOLLOWS = /\p{Script=Inherited}/u;
/** Every subset contains the space, although no range lists it. */
const SPACE = " ";
const UNKNOWN = "?";

export type Weight = 400 | 700;

/** A piece of text in one font. */
export interface TextRun {
  text: string;
  readonly font: FontPiece;
}

/** One font file and the characters it covers. */
interface FontPiece {
  /** "noto-sans-latin" */
  readonly name: string;
  readonly family: string;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

let pieces: Promise<readonly FontPiece[]> | null = null;
const files = new Map<string, Promise<Buffer>>();

/** Splits text into runs of one font each, in reading order. A character without a font becomes a question mark. */
export async function fontRuns(text: string): Promise<TextRun[]> {
  const all = await loadPieces();
  const runs: TextRun[] = [];
  for (const sign of text.normalize("NFC")) {
    const last = runs.at(-1);
    const stays = last !== undefined && (sign === SPACE || (FOLLOWS.test(sign) && has(last.font, sign)));
    const found = stays ? last.font : all.find((one) => has(one, sign));
    const font = found ?? last?.font ?? all[0];
    if (font === undefined) throw new Error("No fonts are installed.");
    const shown = found === undefined ? UNKNOWN : sign;
    if (last?.font === font) last.text += shown;
    else runs.push({ text: shown, font });
  }
  return runs;
}

/** Whether the fonts cover all of a text. */
export async function isPrintable(text: string): Promise<boolean> {
  const all = await loadPieces();
  return Array.from(text.normalize("NFC")).every((sign) => all.some((one) => has(one, sign)));
}

/** The font file (WOFF) of a run. */
export function fontFile(font: FontPiece, weight: Weight): Promise<Buffer> {
  const path = `@fontsource/${font.family}/files/${font.name}-${weight}-normal.woff`;
  const file = files.get(path) ?? readFile(require.resolve(path));
  files.set(path, file);
  return file;
}

function has(font: FontPiece, sign: string): boolean {
  const code = sign.codePointAt(0) ?? 0;
  return font.ranges.some(([first, last]) => code >= first && code <= last);
}

function loadPieces(): Promise<readonly FontPiece[]> {
  pieces ??= Promise.all(
    PIECES.map(async ({ family, piece }) => {
      const text = await readFile(require.resolve(`@fontsource/${family}/unicode.json`), "utf8");
      const ranges = (JSON.parse(text) as Record<string, string>)[piece];
      if (ranges === undefined) throw new Error(`The font ${family} has no piece ${piece}.`);
      return { name: `${family}-${piece}`, family, ranges: ranges.split(",").map(parseRange) };
    }),
  );
  return pieces;
}

/** "U+0900-097F" or "U+20B9" */
function parseRange(text: string): [first: number, last: number] {
  const [first = "", last = first] = text.trim().replace(/^U\+/i, "").split("-");
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}
