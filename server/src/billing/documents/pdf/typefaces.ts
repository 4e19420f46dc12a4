import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import decompress from "woff2-encoder/decompress";
import { Blob, Face, Font, Variation } from "harfbuzzjs";

const require = createRequire(import.meta.url);

/** Font units of an em, to which all fonts are scaled. */
export const EM = 1_000;
/** Has every letter with a Latin, Greek or Cyrillic base, and is in memory with the first document. */
const FIRST = "@expo-google-fonts/noto-sans";
/** One file holds every weight. Chinese first, because its pieces hold nearly all Han characters. */
const VARIABLE = [
  ...["arabic", "hebrew", "devanagari", "bengali", "gurmukhi", "gujarati", "oriya", "tamil", "telugu", "kannada", "malayalam"],
  ...["sinhala", "thai", "lao", "khmer", "georgian", "armenian", "ethiopic", "thaana", "sc", "jp", "kr"],
].map((script) => `noto-sans-${script}`);
const SERIF = ["noto-serif-tibetan"];
/** One file a weight, and for some scripts only the regular one. */
const STATIC = [
  ...["myanmar", "syriac", "nko", "adlam", "tifinagh", "mongolian", "javanese", "cherokee", "canadian-aboriginal"],
  ...["hanifi-rohingya", "ol-chiki", "meetei-mayek"],
].map((script) => `noto-sans-${script}`);

/** Pieces of fonts in memory, of about 200 kB each. Documents in progress keep theirs. */
const MAX_LOADED = 150;

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;
/** Punctuation, marks and spaces belong to the script around them. */
const SHARED = /[\p{Script=Common}\p{Script=Inherited}\p{M}]/u;

export type Weight = 400 | 700;

/** A font file in memory. */
export interface Typeface {
  readonly name: string;
  readonly fonts: Readonly<Record<Weight, Font>>;
  readonly has: (code: number) => boolean;
}

/** A font of a package, or a part of one. */
interface Piece {
  readonly name: string;
  readonly files: Readonly<Record<Weight, string>>;
}

/** Which fonts may have a character: the first, then those that list it. */
interface Catalogue {
  readonly first: Piece;
  readonly byCode: ReadonlyMap<number, readonly Piece[]>;
}

let catalogue: Promise<Catalogue> | null = null;
const loaded = new Map<Piece, Promise<Typeface>>();

/** The typeface of each character (code point) of a text. Characters that no font has are given those of their neighbours. */
export async function typefacesOf(text: string): Promise<Typeface[]> {
  catalogue ??= readCatalogue();
  const fonts = await catalogue;
  const first = await load(fonts.first);
  const language = KANA.test(text) ? "noto-sans-jp" : HANGUL.test(text) ? "noto-sans-kr" : "noto-sans-sc";
  const found: Typeface[] = [];
  let last = first;
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0;
    const stays = last.has(code) && (last === first || (found.length > 0 && SHARED.test(sign)));
    last = stays ? last : ((await find(fonts, code, language)) ?? last);
    found.push(last);
  }
  return found;
}

/** Whether a font has a character. */
export async function isCovered(sign: string): Promise<boolean> {
  catalogue ??= readCatalogue();
  return (await find(await catalogue, sign.codePointAt(0) ?? 0, "")) !== null;
}

/** Han characters look as in the language of the letters beside them. */
async function find({ first, byCode }: Catalogue, code: number, language: string): Promise<Typeface | null> {
  const rank = ({ name }: Piece) => (name.startsWith(language) ? 0 : 1);
  const others = (byCode.get(code) ?? []).toSorted((a, b) => rank(a) - rank(b));
  for (const piece of [first, ...others]) {
    const typeface = await load(piece);
    if (typeface.has(code)) return typeface;
  }
  return null;
}

function load(piece: Piece): Promise<Typeface> {
  const typeface = loaded.get(piece) ?? read(piece);
  loaded.delete(piece);
  loaded.set(piece, typeface);
  for (const oldest of loaded.keys()) {
    if (loaded.size <= MAX_LOADED) break;
    loaded.delete(oldest);
  }
  return typeface;
}

async function read({ name, files }: Piece): Promise<Typeface> {
  const regular = await readFace(files[400]);
  const bold = files[700] === files[400] ? regular : await readFace(files[700]);
  const characters = new Set(regular.collectUnicodes());
  const fonts = { 400: fontOf(regular, 400), 700: fontOf(bold, 700) };
  return { name, fonts, has: (code) => characters.has(code) };
}

async function readFace(file: string): Promise<Face> {
  const bytes = await readFile(require.resolve(file));
  return new Face(new Blob(file.endsWith(".woff2") ? await decompress(bytes) : bytes));
}

function fontOf(face: Face, weight: Weight): Font {
  const font = new Font(face);
  font.setScale(EM, EM);
  if ("wght" in face.getAxisInfos()) font.setVariations([new Variation("wght", weight)]);
  return font;
}

async function readCatalogue(): Promise<Catalogue> {
  const files = { 400: `${FIRST}/400Regular/NotoSans_400Regular.ttf`, 700: `${FIRST}/700Bold/NotoSans_700Bold.ttf` };
  const variable = [...VARIABLE, ...SERIF].map((family) =>
    piecesOf(`@fontsource-variable/${family}`, () => ({ 400: "wght", 700: "wght" })),
  );
  const statics = STATIC.map((family) =>
    piecesOf(`@fontsource/${family}`, (weights) => ({ 400: "400", 700: weights.includes(700) ? "700" : "400" })),
  );
  const byCode = new Map<number, Piece[]>();
  for (const { piece, ranges } of (await Promise.all([...variable, ...statics])).flat())
    for (const [first, last] of ranges)
      for (let code = first; code <= last; code += 1) {
        const known = byCode.get(code);
        if (known === undefined) byCode.set(code, [piece]);
        else known.push(piece);
      }
  return { first: { name: "noto-sans", files }, byCode };
}

interface Listed {
  readonly piece: Piece;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

/** The pieces of a package by its own lists: `unicode.json` has the ranges of each, `metadata.json` the weights. */
async function piecesOf(
  packageName: string,
  variants: (weights: readonly number[]) => Record<Weight, string>,
): Promise<Listed[]> {
  const { weights } = await readJson<{ weights: number[] }>(`${packageName}/metadata.json`);
  const ranges = await readJson<Record<string, string>>(`${packageName}/unicode.json`);
  const variant = variants(weights);
  return Object.entries(ranges).map(([key, range]) => {
    const name = `${packageName.split("/")[1]}-${key.replace(/[[\]]/g, "")}`;
    const file = (weight: Weight) => `${packageName}/files/${name}-${variant[weight]}-normal.woff2`;
    return { piece: { name, files: { 400: file(400), 700: file(700) } }, ranges: range.split(",").map(parseRange) };
  });
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(require.resolve(path), "utf8")) as T;
}

/** "U+0900-097F" or "U+20B9" */
function parseRange(text: string): [first: number, last: number] {
  const [first = "", last = first] = text.trim().replace(/^U\+/i, "").split("-");
  return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
}
