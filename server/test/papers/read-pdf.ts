import { buffer } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";

/** Marks of direction, which readers leave out or add. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

interface PdfText {
  /** The lines of each page, as a reader copies them. */
  readonly pages: readonly (readonly string[])[];
  /** All lines. */
  readonly text: string;
  readonly title: string | undefined;
  readonly language: string | undefined;
  /** The roles of the structure's elements, in order: "Document H1 P". */
  readonly roles: string;
  readonly bytes: number;
}

interface StructureNode {
  readonly role?: string;
  readonly children?: readonly StructureNode[];
}

/** Reads a PDF back with the reader of Firefox. */
export async function readPdf(stream: Readable): Promise<PdfText> {
  const bytes = await buffer(stream);
  const document = await openPdf(bytes);
  const pages: string[][] = [];
  const roles: string[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    pages.push(text.replace(DIRECTION_MARKS, "").split("\n"));
    roles.push(...rolesOf((await page.getStructTree()) as StructureNode));
  }
  const { info } = (await document.getMetadata()) as { info: { Title?: string; Language?: string } };
  const text = pages.flat().join("\n");
  return { pages, text, title: info.Title, language: info.Language, roles: roles.join(" "), bytes: bytes.length };
}

/** Draws the first page as PNG, white behind it. */
export async function drawPdf(stream: Readable, scale: number): Promise<Buffer> {
  const document = await openPdf(await buffer(stream));
  const page = await document.getPage(1);
  const viewport = page.getViewport({ scale });
  const factory = document.canvasFactory as { create(width: number, height: number): { canvas: PngCanvas } };
  const { canvas } = factory.create(viewport.width, viewport.height);
  await page.render({ canvas: canvas as never, viewport }).promise;
  return canvas.toBuffer("image/png");
}

interface PngCanvas {
  toBuffer(type: "image/png"): Buffer;
}

function openPdf(bytes: Buffer) {
  return getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
}

function rolesOf(node: StructureNode): string[] {
  const inner = (node.children ?? []).flatMap(rolesOf);
  return node.role === undefined || node.role === "Root" ? inner : [node.role, ...inner];
}
