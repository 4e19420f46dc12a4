import { writing } from "@farline/domain/languages.ts";
import type { Language } from "@farline/contract/languages.ts";
import { commonDecimals } from "@farline/domain/money.ts";
import type { Readable } from "node:stream";
import { setImmediate as otherWork } from "node:timers/promises";
import type { LedgerLine } from "../../../ledger/ledger.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { Seller } from "../../../platform/settings/seller.ts";
import { describeLine, documentTexts, fill, type DocumentTexts } from "../document-texts.ts";
import { monthText, timeText } from "../document-date.ts";
import { isPrintable } from "./pdf-fonts.ts";
import { pdfMoney } from "./pdf-money.ts";
import { PdfSheet } from "./pdf-sheet.ts";
import { reconciledLines, type Statement, type StatementTotals } from "../read-statement.ts";

/** About a hundred pages. CSV suits longer statements better. */
const MAX_PDF_LINES = 5_000;
const ROW_HEIGHT = 17;
/** Yields to the event loop after this many lines. */
const ROWS_AT_ONCE = 50;

const AMOUNT_END = PdfSheet.right - 82;
const DESCRIPTION_START = PdfSheet.left + 92;

interface Paper {
  readonly statement: Statement;
  readonly seller: Seller;
  readonly texts: DocumentTexts;
  readonly language: Language;
  /** Decimals of all amounts. */
  readonly decimals: 2 | 4 | 6;
}

/**
 * Writes a month's statement as PDF, in its customer's language: opening balance, sums by kind, closing balance, then each line with
 * its running balance.
 * @throws AppError conflict if it has too many lines for a PDF
 */
export async function statementPdf(
  statement: Statement,
  { seller, language }: { seller: Seller; language: Language },
): Promise<Readable> {
  if (statement.ledger.entries > MAX_PDF_LINES) throw new AppError("conflict", { reason: "statement_too_long" });
  const totals: StatementTotals = new Map();
  const lines: LedgerLine[] = [];
  for await (const line of reconciledLines(statement.ledger, totals)) lines.push(line);
  const texts = documentTexts(language);
  const { openingMicros, closingMicros } = statement.ledger;
  const decimals = commonDecimals([openingMicros, closingMicros, ...lines.map(({ amountMicros }) => amountMicros)]);
  const paper = { statement, seller, texts, language, decimals };
  const month = monthText(statement.from, language);
  const { title } = texts.statement;
  const about = { title: `${title} ${month}`, author: seller.name, at: statement.to };
  const sheet = await PdfSheet.open({ ...about, language, direction: writing[language].direction });
  await sheet.head(title, month);
  const headEnd = await writeHead(sheet, paper);
  const totalsEnd = await writeTotals(sheet, paper, { totals, y: headEnd + 18 });
  // Streamed while being written, so that finished pages are released from memory.
  void writeLines(sheet, lines, { ...paper, start: totalsEnd + 22 }).catch((error: unknown) =>
    sheet.bytes.destroy(error as Error),
  );
  return sheet.bytes;
}

async function writeHead(sheet: PdfSheet, { statement, seller, texts, language }: Paper): Promise<number> {
  const { customer, from, to } = statement;
  const names = texts.statement;
  const named = (await isPrintable(customer.name)) ? `${customer.name}, ${customer.email}` : customer.email;
  const facts = [
    [names.account, named],
    [names.from, timeText(from, language)],
    [names.to, timeText(to, language)],
    [names.seller, [seller.name, ...seller.address].join(", ")],
  ] as const;
  const top = PdfSheet.top + 64;
  const width = PdfSheet.right - PdfSheet.left - 90;
  for (const [index, [name, value]] of facts.entries()) {
    await sheet.text(name, { x: PdfSheet.left, y: top + index * 15, faint: true });
    await sheet.text(value, { x: PdfSheet.left + 90, y: top + index * 15, width });
  }
  return top + facts.length * 15;
}

async function writeTotals(
  sheet: PdfSheet,
  { statement: { ledger }, texts, language, decimals }: Paper,
  { totals, y }: { totals: StatementTotals; y: number },
): Promise<number> {
  const rows: [text: string, sum: string, bold: boolean][] = [
    [texts.statement.opening, pdfMoney(ledger.openingMicros, language, { decimals }), true],
    ...Array.from(totals, ([kind, total]): [string, string, boolean] => [
      `${texts.statement.sums[kind]} (${total.entries})`,
      pdfMoney(total.amountMicros, language, { decimals, signed: true }),
      false,
    ]),
    [texts.statement.closing, pdfMoney(ledger.closingMicros, language, { decimals }), true],
  ];
  sheet.rule(y - 6);
  for (const [index, [text, sum, bold]] of rows.entries()) {
    const place = { y: y + index * ROW_HEIGHT, weight: bold ? (700 as const) : (400 as const) };
    await sheet.text(text, { ...place, x: PdfSheet.left });
    await sheet.text(sum, { ...place, x: PdfSheet.right, align: "end" });
  }
  const end = y + rows.length * ROW_HEIGHT;
  sheet.rule(end + 2);
  return end;
}

async function writeLines(
  sheet: PdfSheet,
  lines: readonly LedgerLine[],
  { texts, language, decimals, start }: Pick<Paper, "texts" | "language" | "decimals"> & { readonly start: number },
): Promise<void> {
  let y = await writeColumns(sheet, texts, start);
  if (lines.length === 0) await sheet.text(texts.statement.empty, { x: PdfSheet.left, y, faint: true });
  for (const [index, line] of lines.entries()) {
    if (y + ROW_HEIGHT > PdfSheet.bottom - ROW_HEIGHT) {
      sheet.newPage();
      const page = fill(texts.statement.page, { page: String(sheet.pages) });
      await sheet.text(page, { x: PdfSheet.right, y: PdfSheet.bottom, faint: true, align: "end", size: 8 });
      y = await writeColumns(sheet, texts, PdfSheet.top);
    }
    await writeLine(sheet, line, { texts, language, decimals, y });
    y += ROW_HEIGHT;
    if (index % ROWS_AT_ONCE === 0) await otherWork();
  }
  sheet.end();
}

async function writeColumns(sheet: PdfSheet, { statement: names }: DocumentTexts, y: number): Promise<number> {
  const place = { y, faint: true, size: 9 };
  await sheet.text(names.date, { ...place, x: PdfSheet.left });
  await sheet.text(names.description, { ...place, x: DESCRIPTION_START });
  await sheet.text(names.amount, { ...place, x: AMOUNT_END, align: "end" });
  await sheet.text(names.balance, { ...place, x: PdfSheet.right, align: "end" });
  sheet.rule(y + 15);
  return y + 21;
}

async function writeLine(
  sheet: PdfSheet,
  line: LedgerLine,
  { texts, language, decimals, y }: Pick<Paper, "texts" | "language" | "decimals"> & { readonly y: number },
): Promise<void> {
  const place = { y, size: 9 };
  const at = line.createdAt.toISOString();
  await sheet.text(`${at.slice(0, 10)} ${at.slice(11, 16)}`, { ...place, x: PdfSheet.left });
  const what = describeLine(line, texts.statement.lines);
  await sheet.text(what, { ...place, x: DESCRIPTION_START, width: AMOUNT_END - DESCRIPTION_START - 70 });
  await sheet.text(pdfMoney(line.amountMicros, language, { decimals, signed: true }), { ...place, x: AMOUNT_END, align: "end" });
  await sheet.text(pdfMoney(line.balanceAfterMicros, language, { decimals }), { ...place, x: PdfSheet.right, align: "end" });
}
