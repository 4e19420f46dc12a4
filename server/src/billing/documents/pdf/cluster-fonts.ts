import { EM } from "./typefaces.ts";
import type { Cluster } from "./lay-out-text.ts";

type Reference = PDFKit.PDFKitReference;

/** Codes of one byte, without zero. */
const MAX_CODES = 255;
/** Entries of one block (Adobe Technical Note 5411). */
const MAX_MAPPED = 100;

interface Shape {
  readonly code: number;
  readonly text: string;
  readonly advance: number;
  readonly drawing: string;
}

/** Part of a line in one of the document's fonts. */
interface EncodedRun {
  readonly font: Font;
  /** Hexadecimal. */
  codes: string;
  advance: number;
}

interface Font {
  /** "F1" */
  readonly name: string;
  readonly reference: Reference;
  readonly shapes: Map<string, Shape>;
}

/**
 * The fonts of a document. Each cluster has a code of its own, with the outline of all its glyphs and its text, so that every reader copies
 * the text as it was written (PDF 32000-1, 9.6.5 "Type 3 fonts" and 9.10.3 "ToUnicode CMaps"). A font of glyphs cannot do that for scripts
 * that join, split or reorder their letters.
 */
export class ClusterFonts {
  readonly #doc: PDFKit.PDFDocument;
  readonly #fonts: Font[] = [];

  constructor(doc: PDFKit.PDFDocument) {
    this.#doc = doc;
  }

  /** Encodes a line, from left to right. */
  encode(clusters: readonly Cluster[]): EncodedRun[] {
    const runs: EncodedRun[] = [];
    for (const cluster of clusters) {
      const { font, shape } = this.#shapeOf(cluster);
      const last = runs.at(-1);
      const run = last?.font === font ? last : { font, codes: "", advance: 0 };
      if (run !== last) runs.push(run);
      run.codes += shape.code.toString(16).padStart(2, "0");
      run.advance += shape.advance;
    }
    return runs;
  }

  /** Writes the fonts, when all texts are encoded. */
  end(): void {
    for (const { reference, shapes } of this.#fonts) {
      const all = [...shapes.values()];
      Object.assign(reference.data, {
        Type: "Font",
        Subtype: "Type3",
        FontBBox: [0, 0, 0, 0],
        FontMatrix: [1 / EM, 0, 0, 1 / EM, 0, 0],
        FirstChar: 1,
        LastChar: all.length,
        Widths: all.map(({ advance }) => advance),
        Encoding: { Type: "Encoding", Differences: [1, ...all.map(({ code }) => `c${code}`)] },
        CharProcs: Object.fromEntries(all.map(({ code, drawing }) => [`c${code}`, this.#stream(drawing)])),
        Resources: {},
        ToUnicode: this.#stream(unicodeMap(all)),
      });
      reference.end(null);
    }
  }

  #shapeOf(cluster: Cluster): { font: Font; shape: Shape } {
    const { typeface, weight, glyphs, text, advance } = cluster;
    const key = [typeface.name, weight, text, ...glyphs.map(({ id, x, y }) => `${id},${x},${y}`)].join(" ");
    for (const font of this.#fonts) {
      const shape = font.shapes.get(key);
      if (shape !== undefined) return { font, shape };
    }
    const font = this.#fontWithRoom();
    const shape = { code: font.shapes.size + 1, text, advance, drawing: drawingOf(cluster) };
    font.shapes.set(key, shape);
    return { font, shape };
  }

  #fontWithRoom(): Font {
    const last = this.#fonts.at(-1);
    if (last !== undefined && last.shapes.size < MAX_CODES) return last;
    const font = { name: `F${this.#fonts.length + 1}`, reference: this.#doc.ref({}), shapes: new Map<string, Shape>() };
    this.#fonts.push(font);
    return font;
  }

  #stream(content: string): Reference {
    const stream = this.#doc.ref({});
    stream.end(content);
    return stream;
  }
}

/** The operators that draw a cluster in the colour of the text. */
function drawingOf({ typeface, weight, glyphs, advance }: Cluster): string {
  const xs = [0, advance];
  const ys = [0];
  const path = glyphs.map(({ id, x: left, y: top }) => {
    let [x, y] = [0, 0];
    const at = (values: readonly number[]) =>
      values.map((value, nth) => {
        const moved = Math.round(value + (nth % 2 === 0 ? left : top));
        (nth % 2 === 0 ? xs : ys).push(moved);
        return moved;
      });
    return typeface.fonts[weight]
      .glyphToJson(id)
      .map(({ type, values }) => {
        const points = type === "Q" ? cubic([x, y], values) : values;
        [x = 0, y = 0] = points.slice(-2);
        return `${at(points).join(" ")} ${OPERATORS[type] ?? ""}`;
      })
      .join(" ");
  });
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  return `${advance} 0 ${box.join(" ")} d1 ${path.join(" ")} f`;
}

const OPERATORS: Readonly<Record<string, string>> = { M: "m", L: "l", Q: "c", C: "c", Z: "h" };

/** PDF has no quadratic curves. */
function cubic([x, y]: readonly [number, number], [controlX = 0, controlY = 0, endX = 0, endY = 0]: readonly number[]): number[] {
  const towards = (from: number, control: number) => from + (2 / 3) * (control - from);
  return [towards(x, controlX), towards(y, controlY), towards(endX, controlX), towards(endY, controlY), endX, endY];
}

function unicodeMap(shapes: readonly Shape[]): string {
  const entries = shapes.map(({ code, text }) => `<${code.toString(16).padStart(2, "0")}> <${utf16(text)}>`);
  const blocks = Array.from({ length: Math.ceil(entries.length / MAX_MAPPED) }, (_, nth) => {
    const block = entries.slice(nth * MAX_MAPPED, (nth + 1) * MAX_MAPPED);
    return `${block.length} beginbfchar\n${block.join("\n")}\nendbfchar`;
  });
  return [
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
    "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
    "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
    "1 begincodespacerange <00> <ff> endcodespacerange",
    ...blocks,
    "endcmap CMapName currentdict /CMap defineresource pop end end",
  ].join("\n");
}

/** UTF-16, most significant byte first, as hexadecimal. */
function utf16(text: string): string {
  return Array.from({ length: text.length }, (_, nth) => text.charCodeAt(nth).toString(16).padStart(4, "0")).join("");
}
