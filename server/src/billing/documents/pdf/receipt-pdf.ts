import { writing } from "@farline/domain/languages.ts";
import type { Language } from "@farline/contract/languages.ts";
import type { Readable } from "node:stream";
import { cardName, documentTexts, fill, isTopUp, type DocumentTexts } from "../document-texts.ts";
import { dateText, timeText } from "../document-date.ts";
import { isPrintable } from "./pdf-fonts.ts";
import { pdfMoney } from "./pdf-money.ts";
import { PdfSheet } from "./pdf-sheet.ts";
import type { ReceiptRow } from "../receipt.store.ts";
import { taxOf } from "../tax-within.ts";

const LINE_HEIGHT = 15;

interface Paper {
  readonly receipt: ReceiptRow;
  readonly texts: DocumentTexts;
  readonly language: Language;
}

/**
 * Writes a receipt as PDF, in its customer's language. A name in a script without a font is left out, because the email address
 * identifies the payer.
 */
export async function receiptPdf(receipt: ReceiptRow, language: Language): Promise<Readable> {
  const texts = documentTexts(language);
  const paper = { receipt, texts, language };
  const { title } = texts.receipt.kinds[receipt.kind];
  const sheet = await PdfSheet.open({
    title: `${title} ${receipt.number}`,
    author: receipt.seller.name,
    at: receipt.issued_at,
    language,
    direction: writing[language].direction,
  });
  await sheet.head(title, fill(texts.receipt.number, { number: receipt.number }));
  const partiesEnd = await writeParties(sheet, paper, PdfSheet.top + 70);
  const factsEnd = await writeFacts(sheet, paper, partiesEnd + 24);
  const sumsEnd = await writeSums(sheet, paper, factsEnd + 20);
  await writeNotes(sheet, paper, sumsEnd + 26);
  sheet.end();
  return sheet.bytes;
}

async function writeParties(sheet: PdfSheet, { receipt, texts }: Paper, y: number): Promise<number> {
  const { seller } = receipt;
  const middle = (PdfSheet.left + PdfSheet.right) / 2;
  const width = middle - PdfSheet.left - 16;
  const from = [
    seller.name,
    ...seller.address,
    ...(seller.taxId === null ? [] : [fill(texts.receipt.taxId, { id: seller.taxId })]),
  ];
  const name = (await isPrintable(receipt.buyer_name)) ? [receipt.buyer_name] : [];
  await writeBlock(sheet, { label: texts.receipt.from, lines: from, x: PdfSheet.left, y, width });
  await writeBlock(sheet, { label: texts.receipt.to, lines: [...name, receipt.buyer_email], x: middle, y, width });
  return y + 18 + Math.max(from.length, name.length + 1) * LINE_HEIGHT;
}

async function writeBlock(
  sheet: PdfSheet,
  block: { label: string; lines: readonly string[]; x: number; y: number; width: number },
): Promise<void> {
  const { x, width } = block;
  await sheet.text(block.label, { x, y: block.y, faint: true });
  for (const [index, line] of block.lines.entries())
    await sheet.text(line, { x, width, y: block.y + 18 + index * LINE_HEIGHT, weight: index === 0 ? 700 : 400 });
}

async function writeFacts(sheet: PdfSheet, { receipt, texts, language }: Paper, y: number): Promise<number> {
  const card = cardName(receipt);
  const facts: [name: string, value: string][] = [
    [texts.receipt.date, timeText(receipt.paid_at, language)],
    [texts.receipt.issued, dateText(receipt.issued_at, language)],
    ...(card === null ? [] : [[texts.receipt.card, card] satisfies [string, string]]),
    ...(receipt.corrects_number === null ? [] : [[texts.receipt.corrects, receipt.corrects_number] satisfies [string, string]]),
    ...(receipt.books_month === null ? [] : [[texts.receipt.booksMonth, receipt.books_month] satisfies [string, string]]),
    [texts.receipt.payment, receipt.payment_id],
  ];
  for (const [index, [name, value]] of facts.entries()) {
    const place = { y: y + index * LINE_HEIGHT };
    await sheet.text(name, { ...place, x: PdfSheet.left, faint: true });
    await sheet.text(value, { ...place, x: PdfSheet.left + 90 });
  }
  return y + facts.length * LINE_HEIGHT;
}

async function writeSums(sheet: PdfSheet, { receipt, texts, language }: Paper, y: number): Promise<number> {
  const kind = texts.receipt.kinds[receipt.kind];
  const tax = taxOf(receipt);
  const amount = pdfMoney(receipt.amount_micros, language);
  const rows: [text: string, sum: string, bold: boolean][] = [
    [kind.what, amount, false],
    [fill(texts.receipt.inDollars, { total: kind.total }), amount, true],
  ];
  if (tax !== null) rows.push([fill(texts.receipt.tax, { percent: tax.percent }), pdfMoney(tax.amountMicros, language), false]);
  if (receipt.bonus_micros > 0n) rows.push([kind.bonus, pdfMoney(receipt.bonus_micros, language), false]);
  if (isTopUp(receipt.kind))
    rows.push([texts.receipt.credited, pdfMoney(receipt.amount_micros + receipt.bonus_micros, language), true]);
  sheet.rule(y);
  for (const [index, [text, sum, bold]] of rows.entries()) {
    const place = { y: y + 9 + index * 28, size: bold ? 13 : 11, weight: bold ? (700 as const) : (400 as const) };
    await sheet.text(text, { ...place, x: PdfSheet.left });
    await sheet.text(sum, { ...place, x: PdfSheet.right, align: "end" });
    sheet.rule(y + (index + 1) * 28 + 2);
  }
  return y + rows.length * 28;
}

async function writeNotes(sheet: PdfSheet, { receipt, texts }: Paper, y: number): Promise<void> {
  const notes = [
    ...(receipt.sample ? [texts.receipt.sample] : []),
    ...(receipt.seller.taxNote === null ? [] : wrap(receipt.seller.taxNote)),
    texts.timesAreUtc,
  ];
  for (const [index, note] of notes.entries())
    await sheet.text(note, { x: PdfSheet.left, y: y + index * LINE_HEIGHT, faint: true, width: PdfSheet.right - PdfSheet.left });
}

const NOTE_LINE_LENGTH = 85;

function wrap(text: string): string[] {
  return text.match(new RegExp(`.{1,${NOTE_LINE_LENGTH}}(?:\\s|$)|\\S+`, "gu"))?.map((line) => line.trim()) ?? [];
}
