import bidiFactory, { type Bidi, type EmbeddingLevels } from "bidi-js";
import { Buffer as ShapingBuffer, Direction, shape } from "harfbuzzjs";
import { EM, isCovered, typefacesOf, type Typeface, type Weight } from "./typefaces.ts";

/** Far more than any name or address has. The rest of a longer text is left out, so that its time and size are bounded. */
const MAX_CHARACTERS = 2_000;
/** Of one letter. No language stacks more, and a hundred would cover the lines above. */
const MAX_MARKS = 8;

/** Pictures in colour, also those of several characters. Symbols such as ™ are text. */
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;
/** Left out where no font has them. A letter without a font is drawn as a box instead, and copied as it was written. */
const NEEDLESS = /[\p{Extended_Pictographic}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Co}\p{Cn}\p{M}]/u;
const SPACE = /[\p{Zs}\t\n\r]/u;
const NO_BREAK_SPACE = "\u00a0";
/** Of French thousands. */
const NARROW_SPACE = "\u202f";
const MARK = /\p{M}/u;
const LETTER = /[\p{L}\p{N}]/u;
/** Embeddings and overrides, which would reorder the text around a name. The algorithm needs none of them. */
const OVERRIDES = /[\u202a-\u202e]/gu;
/** Letters of formulas, which some write their names with. */
const STYLED = /[\u{1d400}-\u{1d7ff}]/gu;
const DIRECTION_MARKS = /^[\u200e\u200f\u061c\u2066-\u2069]+$/u;
const JOINERS_AT_EDGES = /(?<=^|\s)[\u200c\u200d]+|[\u200c\u200d]+(?=\s|$)/gu;
/** Scripts that are written without spaces: lines break between their words. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Lines may also break after these. */
const BREAKS_AFTER = /[\s\-‐–/@\u0f0b]/u;

/** The package states the types of its CommonJS form only. */
const bidi = (bidiFactory as unknown as () => Bidi)();
/** Shaping is done at once, so one buffer is enough. */
const buffer = new ShapingBuffer();
const words = new Intl.Segmenter("en", { granularity: "word" });
const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The smallest part of a text that can be drawn by itself: a letter with its marks, or what a script joins to one shape. */
export interface Cluster {
  /** As readers expect it, who reverse what they find in right-to-left text character by character. */
  readonly text: string;
  readonly typeface: Typeface;
  readonly weight: Weight;
  /** From left to right, with offsets from the cluster's origin in units of the font. */
  readonly glyphs: readonly { readonly id: number; readonly x: number; readonly y: number }[];
  readonly advance: number;
}

/** A line's clusters from left to right, as they are drawn. */
export interface Line {
  readonly clusters: readonly Cluster[];
  readonly width: number;
}

interface Layout {
  readonly size: number;
  readonly weight: Weight;
  /** Lines are not wider. */
  readonly width: number;
  /** `auto`: by its first letter with a direction. */
  readonly direction: "ltr" | "rtl" | "auto";
}

/** Breaks a text into lines and orders each by the Unicode bidirectional algorithm (UAX #9). No line if nothing can be shown. */
export async function layOutText(given: string, { size, weight, width, direction }: Layout): Promise<Line[]> {
  const text = await printable(given);
  const levels = bidi.getEmbeddingLevels(text, direction);
  const clusters = await shapeText(text, weight, levels);
  const scale = size / EM;
  return breakLines(text, clusters, width / scale).map(([start, end]) => {
    const line = bidi
      .getReorderedIndices(text, levels, start, end - 1)
      .slice(start, end)
      .flatMap((index) => clusters.get(index) ?? [])
      .filter(({ text: part }) => !DIRECTION_MARKS.test(part));
    return { clusters: line, width: line.reduce((sum, { advance }) => sum + advance, 0) * scale };
  });
}

/** A text without what fonts cannot show: emoji, controls, and more marks than a letter can have. */
async function printable(given: string): Promise<string> {
  const cut = given.slice(0, MAX_CHARACTERS).toWellFormed().normalize("NFC");
  const text = cut.replace(OVERRIDES, "").replace(STYLED, (sign) => sign.normalize("NFKC"));
  let kept = "";
  let marks = 0;
  for (const { segment } of letters.segment(text)) {
    if (EMOJI.test(segment)) continue;
    for (const sign of segment) {
      if (LETTER.test(sign)) marks = 0;
      if (MARK.test(sign) && (marks += 1) > MAX_MARKS) continue;
      if (SPACE.test(sign)) kept += sign === NO_BREAK_SPACE || sign === NARROW_SPACE ? NO_BREAK_SPACE : " ";
      else if (!NEEDLESS.test(sign) || (await isCovered(sign))) kept += sign;
    }
  }
  return kept.replace(JOINERS_AT_EDGES, "").replace(/ {2,}/g, " ").trim();
}

/** The clusters of a text by their first character's index. */
async function shapeText(text: string, weight: Weight, { levels }: EmbeddingLevels): Promise<ReadonlyMap<number, Cluster>> {
  const typefaces = await typefacesOf(text);
  const clusters = new Map<number, Cluster>();
  let [start, end] = [0, 0];
  let run: Typeface | undefined;
  for (const [nth, sign] of [...text].entries()) {
    if (run !== undefined && (typefaces[nth] !== run || levels[end] !== levels[start])) {
      shapeRun(text, { start, end, typeface: run, weight, level: levels[start] ?? 0 }, clusters);
      start = end;
    }
    run = typefaces[nth];
    end += sign.length;
  }
  if (run !== undefined) shapeRun(text, { start, end, typeface: run, weight, level: levels[start] ?? 0 }, clusters);
  return clusters;
}

interface Run {
  readonly start: number;
  readonly end: number;
  readonly typeface: Typeface;
  readonly weight: Weight;
  /** Odd: right to left. */
  readonly level: number;
}

function shapeRun(text: string, { start, end, typeface, weight, level }: Run, clusters: Map<number, Cluster>): void {
  buffer.reset();
  buffer.addText(text, start, end - start);
  buffer.guessSegmentProperties();
  buffer.setDirection(level % 2 === 1 ? Direction.RTL : Direction.LTR);
  shape(typeface.fonts[weight], buffer);
  const shaped = Map.groupBy(buffer.getGlyphInfosAndPositions(), ({ cluster }) => cluster);
  const starts = [...shaped.keys()].toSorted((a, b) => a - b);
  for (const [nth, first] of starts.entries()) {
    let advance = 0;
    const glyphs = (shaped.get(first) ?? []).map(({ codepoint: id, xAdvance = 0, xOffset = 0, yOffset = 0 }) => {
      const glyph = { id, x: advance + xOffset, y: yOffset };
      advance += xAdvance;
      return glyph;
    });
    const part = text.slice(first, starts[nth + 1] ?? end);
    const read = level % 2 === 1 ? [...part].toReversed().join("") : part;
    clusters.set(first, { text: read, typeface, weight, glyphs, advance });
  }
}

/** The lines of a text as ranges of its characters, without the spaces at their ends. A word that is too long is broken anywhere. */
function breakLines(text: string, clusters: ReadonlyMap<number, Cluster>, most: number): [start: number, end: number][] {
  const lines: [number, number][] = [];
  const breaks = breakPoints(text);
  let [start, point, width, sincePoint] = [0, 0, 0, 0];
  const close = (end: number) => lines.push([start, start + text.slice(start, end).trimEnd().length]);
  for (const [index, { text: part, advance }] of [...clusters].toSorted(([a], [b]) => a - b)) {
    if (breaks.has(index)) [point, sincePoint] = [index, 0];
    if (width + advance > most && index > start && part.trim() !== "") {
      const end = point > start ? point : index;
      close(end);
      width = end === index ? 0 : sincePoint;
      start = end;
    }
    width += advance;
    sincePoint += advance;
  }
  if (start < text.length) close(text.length);
  return lines;
}

function breakPoints(text: string): ReadonlySet<number> {
  const points = new Set<number>();
  for (let index = 1; index < text.length; index += 1) if (BREAKS_AFTER.test(text[index - 1] ?? "")) points.add(index);
  for (const { index } of words.segment(text))
    if (WITHOUT_SPACES.test(text.slice(Math.max(0, index - 1), index)) && WITHOUT_SPACES.test(text.slice(index, index + 1)))
      points.add(index);
  return points;
}
