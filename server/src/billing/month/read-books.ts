import { type BookLine, bookLines } from "@farline/contract/operator/constants.ts";
import type { BookFault, BookMovement, MonthBooks } from "@farline/contract/operator/month.ts";
import { formatDollars, toDecimalString, sumOf } from "@farline/domain/money.ts";
import type { Context } from "../../context.ts";
import type { Credit, LedgerSpan, Movement } from "../../ledger/ledger.ts";
import { monthsAfter } from "../documents/statement-month.ts";
import { taxOf, taxWithin } from "../documents/tax-within.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Span } from "../../platform/split-span.ts";
import { readClosing, readLedgerMonth, readReceiptSums, type ReceiptSum } from "./month.store.ts";
import { bookedMonth } from "./month-span.ts";

/**
 * The books of a month, from the ledger alone, with what does not add up. A running month ends now.
 * @throws AppError not_found
 */
export async function readBooks(ctx: Pick<Context, "handle" | "clock">, month: string): Promise<MonthBooks> {
  const { db } = ctx.handle;
  const span = await bookedMonth(ctx, month);
  const ledger = await readLedgerMonth(db, span);
  const previous = await readClosing(db, monthsAfter(month, -1));
  const written = {
    month,
    from: span.from.toISOString(),
    to: span.to.toISOString(),
    complete: span.complete,
    opening: writeEnd(ledger.opening),
    closing: writeEnd(ledger.closing),
    movements: foldLines(ledger.movements),
    days: foldDays(ledger.movements),
    ...(await readTaxes(db, span)),
  };
  return { ...written, faults: findFaults(ledger, previous) };
}

/** The tax in a month's receipts. Receipts that came after their month was closed are in the books of another. */
export async function readTaxes(
  tx: Tx,
  span: Span & { readonly month: string },
): Promise<Pick<MonthBooks, "taxes" | "late_receipts">> {
  const receipts = await readReceiptSums(tx, span);
  const late = receipts.filter(({ booksMonth }) => booksMonth !== null);
  return {
    taxes: foldTaxes(receipts.filter(({ booksMonth }) => booksMonth === null || booksMonth === span.month)),
    late_receipts: [...Map.groupBy(late, ({ paidMonth, booksMonth }) => `${paidMonth} ${booksMonth}`)].map(([months, own]) => {
      const [paid = "", booked = ""] = months.split(" ");
      return {
        paid_month: paid,
        books_month: booked,
        count: own.reduce((total, { count }) => total + count, 0),
        tax: toDecimalString(sumOf(own.map(taxOfSum))),
      };
    }),
  };
}

/** What does not add up, to the micro-dollar. */
function findFaults(ledger: LedgerSpan, previous: { closing_micros: bigint; bonus_micros: bigint } | undefined): BookFault[] {
  const { opening, closing, accounts, movements } = ledger;
  const moved = sumOf(movements.map(({ micros }) => micros));
  const serviceMoved = sumOf(movements.map(({ serviceMicros }) => serviceMicros));
  const movedBonus = sumOf(movements.map(({ bonusMicros }) => bonusMicros));
  return [
    ...differs("movements", ["Opening and movements", opening.micros + moved], ["closing", closing.micros]),
    ...differs(
      "movements",
      ["Opening and movements of bonus", opening.bonusMicros + movedBonus],
      ["closing", closing.bonusMicros],
    ),
    ...differs("accounts", ["Accounts less later bookings", accounts.micros], ["closing", closing.micros]),
    ...differs("accounts", ["Accounts' bonus less later bookings", accounts.bonusMicros], ["closing", closing.bonusMicros]),
    ...differs("double_entry", ["The service's side of the movements", -serviceMoved], ["the customers' side", moved]),
    ...(previous === undefined
      ? []
      : [
          ...differs("previous_month", ["The previous month's closing", previous.closing_micros], ["opening", opening.micros]),
          ...differs(
            "previous_month",
            ["The previous month's closing bonus", previous.bonus_micros],
            ["opening", opening.bonusMicros],
          ),
        ]),
  ];
}

type Figure = readonly [name: string, micros: bigint];

function differs(check: BookFault["check"], [one, micros]: Figure, [other, otherMicros]: Figure): BookFault[] {
  if (micros === otherMicros) return [];
  const gap = exact(micros - otherMicros);
  return [{ check, text: `${one}: ${exact(micros)}, ${other}: ${exact(otherMicros)}; the difference is ${gap}.` }];
}

function writeEnd({ micros, bonusMicros, owedMicros }: Credit): MonthBooks["opening"] {
  return { ...writeCredit(micros, bonusMicros), owed: toDecimalString(owedMicros) };
}

function writeCredit(micros: bigint, bonusMicros: bigint): Pick<BookMovement, "total" | "bought" | "bonus"> {
  return {
    total: toDecimalString(micros),
    bought: toDecimalString(micros - bonusMicros),
    bonus: toDecimalString(bonusMicros),
  };
}

function foldLines(rows: readonly Movement<BookLine>[]): BookMovement[] {
  return bookLines.flatMap((line) => {
    const own = rows.filter((row) => row.line === line);
    if (own.length === 0) return [];
    const credit = writeCredit(sumOf(own.map(({ micros }) => micros)), sumOf(own.map(({ bonusMicros }) => bonusMicros)));
    return [{ line, count: own.reduce((total, { count }) => total + count, 0), ...credit }];
  });
}

function foldDays(rows: readonly Movement<BookLine>[]): MonthBooks["days"] {
  return [...Map.groupBy(rows, ({ day }) => day)].map(([day, own]) => {
    const of = (...lines: readonly string[]) => sumOf(own.filter(({ line }) => lines.includes(line)).map(({ micros }) => micros));
    return { day, top_ups: toDecimalString(of("top_up", "auto_top_up")), charges: toDecimalString(-of("charge", "call_refund")) };
  });
}

function foldTaxes(receipts: readonly ReceiptSum[]): MonthBooks["taxes"] {
  return [...Map.groupBy(receipts, ({ taxMillipercent }) => taxMillipercent)].map(([taxMillipercent, own]) => {
    let [paid, refunded, tax, percent] = [0n, 0n, 0n, ""];
    for (const receipt of own) {
      const { kind, amountMicros, count } = receipt;
      const sign = signOf(kind);
      percent = taxWithin(amountMicros, { taxMillipercent })?.percent ?? percent;
      tax += taxOfSum(receipt);
      if (sign > 0n) paid += BigInt(count) * amountMicros;
      else refunded += BigInt(count) * amountMicros;
    }
    return { percent, paid: toDecimalString(paid), refunded: toDecimalString(refunded), tax: toDecimalString(tax) };
  });
}

function signOf(kind: ReceiptSum["kind"]): 1n | -1n {
  return kind === "refund" || kind === "withdrawal" ? -1n : 1n;
}

function taxOfSum({ kind, amountMicros, statedMicros, taxMillipercent, count }: ReceiptSum): bigint {
  const tax = taxOf({ amount_micros: amountMicros, tax_micros: statedMicros, seller: { taxMillipercent } });
  return signOf(kind) * BigInt(count) * (tax?.amountMicros ?? 0n);
}

function exact(micros: bigint): string {
  return `$${formatDollars(micros, 6)}`;
}
