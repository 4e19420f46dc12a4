import type { Language } from "@farline/contract/languages.ts";
import type { Readable } from "node:stream";
import { fontFile, fontRuns, type Weight } from "./pdf-fonts.ts";
import { directionOf, rightToLeftRuns, visualOrder, type Reads } from "./right-to-left.ts";

/** A4, in points (1/72 inch). */
const PAGE = { width: 595.28, height: 841.89, margin: 56 };
const INK = "#0b2830";
const FAINT = "#45606a";
const LINE = "#c9d6d6";
const CREDIT = "#ffc933";
const LOGO = 26;
/** A run is shaped as a whole by its script's rules, which also orders right-to-left words. */
const WHOLE_RUN: PDFKit.Mixins.OpenTypeFeatures[] = [];
/** The baseline of every script below the top of a line, in font sizes. */
const BASELINE = 1.07;

/** A piece of a line in one font, measured. */
interface SetRun {
  readonly text: string;
  readonly font: string;
  readonly width: number;
  readonly reads: Reads;
}

export interface TextPlace {
  readonly x: number;
  /** Top of the line. */
  readonly y: number;
  readonly size?: number;
  readonly weight?: Weight;
  readonly faint?: boolean;
  /** `end`: the text ends at `x`. */
  readonly align?: "start" | "end";
  /** Text that does not fit is cut with an ellipsis. */
  readonly width?: number;
}

/**
 * A PDF document written line by line, on A4, in any script our fonts cover. A right-to-left
 * document is mirrored: `x` counts from the side where reading begins.
 */
export class PdfSheet {
  static readonly left = PAGE.margin;
  static readonly right = PAGE.width - PAGE.margin;
  /** Nothing is written below this. */
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

  /** The library is loaded with the first document, so that a service starts without it. */
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

  /** The document's bytes; read them while it is written, to the end. */
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
        features: WHOLE_RUN,
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

  async #runs(text: string, weight: Weight): Promise<SetRun[]> {
    const runs: SetRun[] = [];
    for (const run of this.#mirrored ? rightToLeftRuns(await fontRuns(text)) : await fontRuns(text)) {
      const font = `${run.font.name}-${weight}`;
      if (!this.#registered.has(font)) {
        this.#doc.registerFont(font, await fontFile(run.font, weight));
        this.#registered.add(font);
      }
      const width = this.#doc.font(font).widthOfString(run.text, { features: WHOLE_RUN });
      runs.push({ text: run.text, font, width, reads: directionOf(run) });
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
