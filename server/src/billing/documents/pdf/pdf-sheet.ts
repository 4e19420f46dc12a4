import type { Language } from "@farline/contract/languages.ts";
import type { Readable } from "node:stream";
import { fontFile, fontRuns, type Weight } from "./pdf-fonts.ts";
import { directionOf, rightToLeftRuns, visualOrder, type Direction } from "./right-to-left.ts";

/** A4, in points (1/72 inch). */
const PAGE = { width: 595.28, height: 841.89, margin: 56 };
const INK = "#0b2830";
const FAINT = "#45606a";
const LINE = "#c9d6d6";
const CREDIT = "#ffc933";
const LOGO = 26;
/** Without explicit features, the library shapes a run by its script's rules, which also orders right-to-left words. */
const DEFAULT_FEATURES: PDFKit.Mixins.OpenTypeFeatures[] = [];
/** Distance from the top of a line to the baseline, in font sizes, the same for every script. */
const BASELINE = 1.07;

/** A measured part of a line in one font. */
interface MeasuredRun {
  readonly text: string;
  readonly font: string;
  readonly width: number;
  readonly direction: Direction;
}

interface TextPlace {
  readonly x: number;
  /** Top of the line. */
  readonly y: number;
  readonly size?: number;
  readonly weight?: Weight;
  readonly faint?: boolean;
  /** `end`: the text ends at `x`. */
  readonly align?: "start" | "end";
  /** Longer text is truncated with an ellipsis. */
  readonly width?: number;
}

/**
 * An A4 PDF document written line by line, in any script that our fonts cover. Right-to-left documents are mirrored: `x` counts from
 * the right.
 */
export class PdfSheet {
  static readonly left = PAGE.margin;
  static readonly right = PAGE.width - PAGE.margin;
  /** The lower margin. */
  static readonly bottom = PAGE.height - PAGE.margin;
  static readonly top = PAGE.margin;

  readonly #doc: PDFKit.PDFDocument;
  readonly #registered = new Set<string>();
  readonly #mirrored: boolean;
  #pages = 1;

  private constructor(doc: PDFKit.PDFDocument, mirrored: boolean) {
    this.#doc = doc;
    this.#mirrored = mirrored;
  }

  /** Loads the library with the first document, so that it does not slow the service's start. */
  static async open(about: {
    title: string;
    author: string;
    at: Date;
    language: Language;
    direction: "ltr" | "rtl";
  }): Promise<PdfSheet> {
    const { default: PDFDocument } = await import("pdfkit");
    const doc = new PDFDocument({
      size: [PAGE.width, PAGE.height],
      margin: 0,
      lang: about.language,
      displayTitle: true,
      info: { Title: about.title, Author: about.author, CreationDate: about.at },
    });
    return new PdfSheet(doc, about.direction === "rtl");
  }

  /** The document's bytes. Read them to the end, while it is being written. */
  get bytes(): Readable {
    return this.#doc;
  }

  get pages(): number {
    return this.#pages;
  }

  newPage(): void {
    this.#doc.addPage();
    this.#pages += 1;
  }

  /** Writes one line. */
  async text(text: string, place: TextPlace): Promise<void> {
    const { size = 10, weight = 400, faint = false, align = "start", width } = place;
    this.#doc.fontSize(size).fillColor(faint ? FAINT : INK);
    const line = width === undefined ? text : await this.#cut(text, weight, width);
    const runs = await this.#runs(line, weight);
    const from = this.#mirrored ? PAGE.width - place.x : place.x;
    let x = (align === "start") === this.#mirrored ? from - total(runs) : from;
    for (const run of this.#mirrored ? visualOrder(runs) : runs) {
      this.#doc.font(run.font).text(run.text, x, place.y + BASELINE * size, {
        lineBreak: false,
        features: DEFAULT_FEATURES,
        baseline: "alphabetic",
      });
      x += run.width;
    }
  }

  rule(y: number): void {
    this.#doc.moveTo(PdfSheet.left, y).lineTo(PdfSheet.right, y).lineWidth(0.75).strokeColor(LINE).stroke();
  }

  /** The logo at the top of the page, with the document's title on the other side. */
  async head(what: string, detail: string): Promise<void> {
    const { left, right, top } = PdfSheet;
    this.#doc.roundedRect(this.#mirrored ? PAGE.width - left - LOGO : left, top, LOGO, LOGO, 7).fill(CREDIT);
    await this.text("F", { x: left + 8, y: top + 1, size: 17, weight: 700 });
    await this.text("Farline", { x: left + 36, y: top + 1, size: 17, weight: 700 });
    await this.text(what, { x: right, y: top + 1, size: 17, weight: 700, align: "end" });
    await this.text(detail, { x: right, y: top + 26, faint: true, align: "end" });
  }

  end(): void {
    this.#doc.end();
  }

  async #runs(text: string, weight: Weight): Promise<MeasuredRun[]> {
    const runs: MeasuredRun[] = [];
    for (const run of this.#mirrored ? rightToLeftRuns(await fontRuns(text)) : await fontRuns(text)) {
      const font = `${run.font.name}-${weight}`;
      if (!this.#registered.has(font)) {
        this.#doc.registerFont(font, await fontFile(run.font, weight));
        this.#registered.add(font);
      }
      const width = this.#doc.font(font).widthOfString(run.text, { features: DEFAULT_FEATURES });
      runs.push({ text: run.text, font, width, direction: directionOf(run) });
    }
    return runs;
  }

  async #cut(text: string, weight: Weight, width: number): Promise<string> {
    if (total(await this.#runs(text, weight)) <= width) return text;
    const signs = Array.from(text);
    while (signs.length > 0 && total(await this.#runs(`${signs.join("")}…`, weight)) > width) signs.pop();
    return `${signs.join("").trimEnd()}…`;
  }
}

function total(runs: readonly { width: number }[]): number {
  return runs.reduce((sum, run) => sum + run.width, 0);
}
