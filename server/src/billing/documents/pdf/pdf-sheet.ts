import type { Language } from "@farline/contract/languages.ts";
import type { Readable } from "node:stream";
import PdfDocument from "pdfkit";
import { isRightToLeft, withoutIsolates } from "@farline/domain/text/text-direction.ts";
import { ClusterFonts } from "./cluster-fonts.ts";
import { layOutText, type Line } from "./lay-out-text.ts";
import type { Weight } from "./typefaces.ts";

/** A4, in points (1/72 inch). */
const PAGE = { width: 595.28, height: 841.89, margin: 56 };
const BOTTOM = PAGE.height - PAGE.margin;
const INK = "#0b2830";
const FAINT = "#45606a";
const LINE = "#c9d6d6";
const CREDIT = "#ffc933";
const LOGO = 26;
const TITLE_SIZE = 17;
const PAGE_NUMBER_SIZE = 8;
/** Distance from the top of a line to the baseline, in font sizes, the same for every script. */
const BASELINE = 1.07;
/** Of a line, in font sizes: enough for scripts with marks above and below. */
const LINE_HEIGHT = 1.5;

/** Which cells a head of a table is for. The library's types lack it. */
const COLUMN_HEAD: object = { scope: "Column" };

/** For a table's heads and its first rows. */
const HEADS_ROOM = 60;

type Direction = "ltr" | "rtl";
type Element = PDFKit.PDFStructureElement;

/** A text in one style. */
export interface Phrase {
  readonly text: string;
  readonly weight?: Weight;
  readonly faint?: boolean;
  /** A name, address or number, whose own letters tell its direction. */
  readonly value?: boolean;
}

/** A column of a row. Its phrases are wrapped to its width, one below the other. */
export interface Cell {
  readonly x: number;
  readonly width: number;
  readonly phrases: readonly Phrase[];
  /** `end`: the text ends where the cell does. */
  readonly align?: "start" | "end";
}

/** A line of a cell that has its place. */
interface PlacedLine {
  readonly line: Line;
  readonly cell: Cell;
  readonly phrase: Phrase;
}

interface RowStyle {
  readonly size?: number;
  /** Below the row, in points. */
  readonly gap?: number;
}

interface About {
  readonly title: string;
  readonly author: string;
  readonly at: Date;
  readonly language: Language;
  readonly direction: Direction;
  /** "Page 2" */
  readonly pageName: (page: number) => string;
}

/**
 * An A4 PDF document written from top to bottom, in any script that our fonts have: archivable (PDF/A-2b), and tagged, so that its text can be
 * read aloud and copied. Nothing is cut: what is too long wraps, and goes on on the next page. Right-to-left documents are mirrored: `x`
 * counts from the right.
 */
export class PdfSheet {
  static readonly left = PAGE.margin;
  static readonly right = PAGE.width - PAGE.margin;

  readonly #doc: PDFKit.PDFDocument;
  readonly #fonts: ClusterFonts;
  readonly #about: About;
  readonly #root: Element;
  #table: { readonly element: Element; readonly heads: readonly Cell[]; readonly size: number } | null = null;
  #pages = 1;
  #y = PAGE.margin;

  private constructor(doc: PDFKit.PDFDocument, about: About) {
    this.#doc = doc;
    this.#about = about;
    this.#fonts = new ClusterFonts(doc);
    this.#root = doc.struct("Document");
    doc.addStructure(this.#root);
  }

  static open(about: About): PdfSheet {
    const doc = new PdfDocument({
      size: [PAGE.width, PAGE.height],
      margin: 0,
      // Without the library's own font, which would not be embedded.
      font: null as unknown as string,
      lang: about.language,
      displayTitle: true,
      pdfVersion: "1.7",
      subset: "PDF/A-2b",
      tagged: true,
      info: { Title: about.title, Author: about.author, CreationDate: about.at },
    });
    return new PdfSheet(doc, about);
  }

  /** The document's bytes. Read them to the end, while it is being written. */
  get bytes(): Readable {
    return this.#doc;
  }

  space(points: number): void {
    this.#y += points;
  }

  rule(): void {
    const { left, right } = PdfSheet;
    this.#decorate(() => this.#doc.moveTo(left, this.#y).lineTo(right, this.#y).lineWidth(0.75).strokeColor(LINE).stroke());
  }

  /** The logo at the top of the page, with the document's title on the other side. */
  async head(what: string, detail: string): Promise<void> {
    const { left, right } = PdfSheet;
    const middle = (left + right) / 2;
    const x = this.#about.direction === "rtl" ? PAGE.width - left - LOGO : left;
    const letter = await this.#lines({ x: left + 8, width: LOGO, phrases: [{ text: "F", weight: 700 }] }, TITLE_SIZE);
    const name = await this.#lines({ x: left + 36, width: middle, phrases: [{ text: "Farline", weight: 700 }] }, TITLE_SIZE);
    this.#decorate(() => {
      this.#doc.roundedRect(x, this.#y, LOGO, LOGO, 7).fill(CREDIT);
      for (const line of [...letter, ...name]) this.#draw(line, this.#y + 1, TITLE_SIZE);
    });
    this.space(1);
    const title: Cell = { x: middle, width: right - middle, phrases: [{ text: what, weight: 700 }], align: "end" };
    await this.#row([title], { size: TITLE_SIZE }, this.#root, "H1");
    await this.row([{ x: left, width: right - left, phrases: [{ text: detail, faint: true }], align: "end" }]);
  }

  /** Writes cells side by side, as lines of text. */
  row(cells: readonly Cell[], style: RowStyle = {}): Promise<void> {
    return this.#row(cells, style, this.#root, "P");
  }

  /** Starts a table, whose heads are repeated on each page, and never stand at the end of one. */
  async startTable(heads: readonly Cell[], size: number): Promise<void> {
    await this.#makeRoom(HEADS_ROOM);
    const element = this.#doc.struct("Table");
    this.#root.add(element);
    const row = this.#doc.struct("TR");
    element.add(row);
    await this.#row(heads, { size }, row, "TH");
    row.end();
    this.#underline();
    this.#table = { element, heads, size };
  }

  async tableRow(cells: readonly Cell[], style: RowStyle): Promise<void> {
    if (this.#table === null) throw new Error("A row of a table needs its heads.");
    const row = this.#doc.struct("TR");
    this.#table.element.add(row);
    await this.#row(cells, { size: this.#table.size, ...style }, row, "TD");
    row.end();
  }

  end(): void {
    this.#table?.element.end();
    this.#root.end();
    this.#fonts.end();
    this.#doc.end();
  }

  async #row(cells: readonly Cell[], { size = 10, gap = 0 }: RowStyle, parent: Element, role: string): Promise<void> {
    const columns = await Promise.all(cells.map(async (cell) => ({ cell, lines: await this.#lines(cell, size) })));
    const height = size * LINE_HEIGHT;
    const rows = Math.max(...columns.map(({ lines }) => lines.length));
    const elements = columns.map(({ cell, lines }) => {
      const actual = cell.phrases.map(({ text }) => withoutIsolates(text)).join("\n");
      // Text that is drawn from right to left gets its own for reading aloud, in reading order.
      const reading = isRightToLeft(actual) ? { actual } : {};
      const element = this.#doc.struct(role, { ...(role === "TH" ? COLUMN_HEAD : {}), ...reading });
      parent.add(element);
      return { element, lines };
    });
    // A row that fits on a page stays together.
    if (rows * height < PAGE.height / 2) await this.#makeRoom(rows * height);
    for (let drawn = 0; drawn < rows;) {
      await this.#makeRoom(height);
      const fitting = Math.min(rows - drawn, Math.floor((BOTTOM - this.#y) / height));
      // One column after the other, so that a wrapped text is copied in one piece.
      for (const { element, lines } of elements)
        for (const [nth, line] of lines.slice(drawn, drawn + fitting).entries())
          element.add(() => this.#draw(line, this.#y + nth * height, size));
      this.#y += fitting * height;
      drawn += fitting;
    }
    for (const { element } of elements) element.end();
    this.#y += gap;
  }

  async #makeRoom(height: number): Promise<void> {
    if (this.#y + height <= BOTTOM) return;
    this.#doc.addPage();
    this.#pages += 1;
    this.#y = BOTTOM;
    await this.#repeat({
      cells: [{ x: PdfSheet.left, width: PdfSheet.right - PdfSheet.left, phrases: [this.#pageNumber()], align: "end" }],
      size: PAGE_NUMBER_SIZE,
    });
    this.#y = PAGE.margin;
    if (this.#table === null) return;
    await this.#repeat({ cells: this.#table.heads, size: this.#table.size });
    this.#underline();
  }

  #pageNumber(): Phrase {
    return { text: this.#about.pageName(this.#pages), faint: true };
  }

  /** Writes what is on each page and so is not read aloud. */
  async #repeat({ cells, size }: { cells: readonly Cell[]; size: number }): Promise<void> {
    const columns = await Promise.all(cells.map((cell) => this.#lines(cell, size)));
    this.#decorate(() => {
      for (const lines of columns)
        for (const [nth, line] of lines.entries()) this.#draw(line, this.#y + nth * size * LINE_HEIGHT, size);
    });
    this.#y += Math.max(...columns.map((lines) => lines.length)) * size * LINE_HEIGHT;
  }

  #underline(): void {
    this.space(1.5);
    this.rule();
    this.space(6);
  }

  /** Draws what assistive technology passes over. */
  #decorate(draw: () => void): void {
    this.#doc.markContent("Artifact");
    draw();
    this.#doc.endMarkedContent();
  }

  async #lines(cell: Cell, size: number): Promise<PlacedLine[]> {
    const wrapped = cell.phrases.map(async (phrase) => {
      const { text, weight = 400, value = false } = phrase;
      const direction = value ? "auto" : this.#about.direction;
      const lines = await layOutText(text, { size, weight, width: cell.width, direction });
      return lines.map((line) => ({ line, cell, phrase }));
    });
    return (await Promise.all(wrapped)).flat();
  }

  #draw({ line, cell, phrase }: PlacedLine, y: number, size: number): void {
    const mirrored = this.#about.direction === "rtl";
    const start = cell.align === "end" ? cell.x + cell.width - line.width : cell.x;
    let x = mirrored ? PAGE.width - start - line.width : start;
    this.#doc.fillColor(phrase.faint === true ? FAINT : INK);
    for (const { font, codes, advance } of this.#fonts.encode(line.clusters)) {
      this.#doc.page.fonts[font.name] = font.reference;
      const place = `1 0 0 -1 ${x.toFixed(2)} ${(y + BASELINE * size).toFixed(2)} Tm`;
      this.#doc.addContent(`BT /${font.name} ${size} Tf ${place} <${codes}> Tj ET`);
      x += (advance * size) / 1_000;
    }
  }
}
