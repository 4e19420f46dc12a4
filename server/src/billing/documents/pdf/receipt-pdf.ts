import { writing } from "@farline/domain/languages.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import { commonDecimals, formatDollars, type Micros } from "@farline/domain/money.ts";
import type { Language } from "@farline/contract/languages.ts";
import type { Readable } from "node:stream";
import { cardName, documentTexts, creditReceived, fill, type DocumentTexts, dateText, timeText } from "../document-texts.ts";
import { PdfSheet, type Phrase } from "./pdf-sheet.ts";
import type { ReceiptRow } from "../receipt.store.ts";
import { taxOf } from "../tax-within.ts";

const NAMES_WIDTH = 90;
const SUMS_WIDTH = 110;

interface Paper {
  readonly receipt: ReceiptRow;
  readonly texts: DocumentTexts;
  readonly language: Language;
}

/** Writes a receipt as PDF, in its customer's language. */
export async function receiptPdf(receipt: ReceiptRow, language: Language): Promise<Readable> {
  const texts = documentTexts(language);
  const paper = { receipt, texts, language };
  const { title } = texts.receipt.kinds[receipt.kind];
  const sheet = PdfSheet.open({
    title: `${title} ${receipt.number}`,
    author: receipt.seller.name,
    at: receipt.issued_at,
    language,
    direction: writing[language].direction,
    pageName: (page) => fill(texts.statement.page, { page: String(page) }),
  });
  await sheet.head(title, fill(texts.receipt.number, { number: receipt.number }));
  sheet.space(28);
  await writeParties(sheet, paper);
  sheet.space(24);
  await writeReceiptFacts(sheet, paper);
  sheet.space(20);
  await writeSums(sheet, paper);
  sheet.space(16);
  await writeNotes(sheet, paper);
  sheet.end();
  return sheet.bytes;
}

async function writeParties(sheet: PdfSheet, { receipt, texts }: Paper): Promise<void> {
  const { seller } = receipt;
  const middle = (PdfSheet.left + PdfSheet.right) / 2;
  const width = middle - PdfSheet.left - 16;
  const from = [seller.name, ...seller.address].map(
    (text, nth) => ({ text, value: true, weight: nth === 0 ? 700 : 400 }) as const,
  );
  const taxId = seller.taxId === null ? [] : [{ text: fill(texts.receipt.taxId, { id: seller.taxId }) }];
  const to = [
    { text: receipt.buyer_name, value: true, weight: 700 },
    { text: receipt.buyer_email, value: true },
  ] as const;
  const columns = (left: readonly Phrase[], right: readonly Phrase[]) => [
    { x: PdfSheet.left, width, phrases: left },
    { x: middle, width, phrases: right },
  ];
  await sheet.row(columns([{ text: texts.receipt.from, faint: true }], [{ text: texts.receipt.to, faint: true }]), { gap: 3 });
  await sheet.row(columns([...from, ...taxId], to));
}

async function writeReceiptFacts(sheet: PdfSheet, { receipt, texts, language }: Paper): Promise<void> {
  const card = cardName(receipt);
  const value = (text: string) => [{ text, value: true }];
  const facts: Fact[] = [
    [texts.receipt.date, [{ text: timeText(receipt.paid_at, language) }]],
    [texts.receipt.issued, [{ text: dateText(receipt.issued_at, language) }]],
  ];
  if (card !== null) facts.push([texts.receipt.card, value(card)]);
  if (receipt.corrects_number !== null) facts.push([texts.receipt.corrects, value(receipt.corrects_number)]);
  if (receipt.books_month !== null) facts.push([texts.receipt.booksMonth, value(receipt.books_month)]);
  facts.push([texts.receipt.payment, value(receipt.payment_id)]);
  await writeFacts(sheet, facts);
}

export type Fact = readonly [name: string, values: readonly Phrase[]];

/** Writes facts below each other, each beside its name. */
export async function writeFacts(sheet: PdfSheet, facts: readonly Fact[]): Promise<void> {
  const x = PdfSheet.left + NAMES_WIDTH;
  for (const [name, phrases] of facts)
    await sheet.row([
      { x: PdfSheet.left, width: NAMES_WIDTH - 6, phrases: [{ text: name, faint: true }] },
      { x, width: PdfSheet.right - x, phrases },
    ]);
}

async function writeSums(sheet: PdfSheet, { receipt, texts, language }: Paper): Promise<void> {
  const kind = texts.receipt.kinds[receipt.kind];
  const tax = taxOf(receipt);
  const credit = creditReceived(receipt);
  // Money is whole cents; bonus may be any part of one, and both must add up to the credit.
  const dollars = (micros: Micros) => moneyText(formatDollars(micros, commonDecimals([micros, receipt.bonus_micros])), language);
  const money = (micros: Micros) => moneyText(formatDollars(micros, 2), language);
  const amount = money(receipt.amount_micros);
  const rows: [text: string, sum: string, bold: boolean][] = [
    [kind.what, amount, false],
    [fill(texts.receipt.inDollars, { total: kind.total }), amount, true],
  ];
  if (tax !== null) rows.push([fill(texts.receipt.tax, { percent: tax.percent }), money(tax.amountMicros), false]);
  if (receipt.bonus_micros > 0n) rows.push([kind.bonus, dollars(receipt.bonus_micros), false]);
  if (credit !== null) rows.push([texts.receipt.credited, dollars(credit), true]);
  sheet.rule();
  for (const [text, sum, bold] of rows) {
    sheet.space(7);
    await writeSum(sheet, [text, sum], { bold, size: bold ? 13 : 11 });
    sheet.space(4);
    sheet.rule();
  }
}

/** Writes a description and, at the end of the line, its sum. */
export async function writeSum(
  sheet: PdfSheet,
  [text, sum]: readonly [text: string, sum: string],
  { bold, size }: { bold: boolean; size: number },
): Promise<void> {
  const weight = bold ? 700 : 400;
  const x = PdfSheet.right - SUMS_WIDTH;
  await sheet.row(
    [
      { x: PdfSheet.left, width: x - PdfSheet.left - 12, phrases: [{ text, weight }] },
      { x, width: SUMS_WIDTH, phrases: [{ text: sum, weight }], align: "end" },
    ],
    { size },
  );
}

async function writeNotes(sheet: PdfSheet, { receipt, texts }: Paper): Promise<void> {
  const { taxNote } = receipt.seller;
  const phrases = [
    ...(receipt.sample ? [{ text: texts.receipt.sample, faint: true }] : []),
    ...(taxNote === null ? [] : [{ text: taxNote, faint: true, value: true }]),
    { text: texts.timesAreUtc, faint: true },
  ];
  await sheet.row([{ x: PdfSheet.left, width: PdfSheet.right - PdfSheet.left, phrases }]);
}
