import { writing } from "@farline/domain/languages.ts";
import type { Language } from "@farline/contract/languages.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import { commonDecimals, formatDollars, type Micros } from "@farline/domain/money.ts";
import type { Readable } from "node:stream";
import { setImmediate as otherWork } from "node:timers/promises";
import type { LedgerLine } from "../../../ledger/ledger.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { Seller } from "../../../platform/settings/seller.ts";
import { describeLine, documentTexts, fill, type DocumentTexts, monthText, timeText } from "../document-texts.ts";
import { PdfSheet, type Cell, type Phrase } from "./pdf-sheet.ts";
import { writeFacts, writeSum } from "./receipt-pdf.ts";
import { reconciledLines, type Statement, type StatementTotals } from "../read-statement.ts";

/** About a hundred pages. CSV suits longer statements better. */
const MAX_PDF_LINES = 5_000;
/** Yields to the event loop after this many lines. */
const ROWS_AT_ONCE = 10;
const SIZE = 9;
const ROW_GAP = 3.5;
const DATE_WIDTH = 80;
const AMOUNT_WIDTH = 84;
const GAP = 10;

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
  const paper: Paper = { statement, seller, texts, language, decimals };
  const month = monthText(statement.from, language);
  const { title } = texts.statement;
  const sheet = PdfSheet.open({
    title: `${title} ${month}`,
    author: seller.name,
    at: statement.to,
    language,
    direction: writing[language].direction,
    pageName: (page) => fill(texts.statement.page, { page: String(page) }),
  });
  await sheet.head(title, month);
  sheet.space(22);
  await writeHead(sheet, paper);
  sheet.space(12);
  await writeTotals(sheet, paper, totals);
  sheet.space(20);
  // Streamed while being written, so that finished pages are released from memory.
  void writeLines(sheet, lines, paper).catch((error: unknown) => sheet.bytes.destroy(error as Error));
  return sheet.bytes;
}

async function writeHead(sheet: PdfSheet, { statement, seller, texts, language }: Paper): Promise<void> {
  const { customer, from, to } = statement;
  const names = texts.statement;
  const value = (text: string) => ({ text, value: true });
  await writeFacts(sheet, [
    [names.account, [value(customer.name), value(customer.email)]],
    [names.from, [{ text: timeText(from, language) }]],
    [names.to, [{ text: timeText(to, language) }]],
    [names.seller, [seller.name, ...seller.address].map(value)],
  ]);
}

async function writeTotals(sheet: PdfSheet, paper: Paper, totals: StatementTotals): Promise<void> {
  const { statement, texts } = paper;
  const { openingMicros, closingMicros } = statement.ledger;
  const write = (text: string, sum: string, bold: boolean) => writeSum(sheet, [text, sum], { bold, size: 10 });
  sheet.rule();
  sheet.space(6);
  await write(texts.statement.opening, dollars(openingMicros, paper), true);
  for (const [kind, total] of totals)
    await write(`${texts.statement.sums[kind]} (${total.entries})`, dollars(total.amountMicros, paper, { signed: true }), false);
  await write(texts.statement.closing, dollars(closingMicros, paper), true);
  sheet.space(4);
  sheet.rule();
}

async function writeLines(sheet: PdfSheet, lines: readonly LedgerLine[], paper: Paper): Promise<void> {
  const { statement: names } = paper.texts;
  const heads = [names.date, names.description, names.amount, names.balance].map((text) => ({ text, faint: true }));
  await sheet.startTable(columns(heads), SIZE);
  if (lines.length === 0)
    await sheet.row([{ x: PdfSheet.left, width: DATE_WIDTH * 2, phrases: [{ text: names.empty, faint: true }] }]);
  for (const [index, line] of lines.entries()) {
    const at = line.createdAt.toISOString();
    const cells = [
      { text: `${at.slice(0, 10)} ${at.slice(11, 16)}`, value: true },
      { text: describeLine(line, names.lines) },
      { text: dollars(line.amountMicros, paper, { signed: true }) },
      { text: dollars(line.balanceAfterMicros, paper) },
    ];
    await sheet.tableRow(columns(cells), { gap: ROW_GAP });
    if (index % ROWS_AT_ONCE === 0) await otherWork();
  }
  sheet.end();
}

/** Date, description, amount and balance beside each other. */
function columns(phrases: readonly Phrase[]): Cell[] {
  const { left, right } = PdfSheet;
  const places = [
    { x: left, width: DATE_WIDTH },
    { x: left + DATE_WIDTH + GAP, width: right - left - DATE_WIDTH - 2 * (AMOUNT_WIDTH + GAP) - GAP },
    { x: right - 2 * AMOUNT_WIDTH - GAP, width: AMOUNT_WIDTH, align: "end" },
    { x: right - AMOUNT_WIDTH, width: AMOUNT_WIDTH, align: "end" },
  ] as const;
  return places.map((place, nth) => ({ ...place, phrases: phrases.slice(nth, nth + 1) }));
}

function dollars(micros: Micros, { language, decimals }: Paper, form: { signed?: boolean } = {}): string {
  return moneyText(formatDollars(micros, decimals), language, form);
}
