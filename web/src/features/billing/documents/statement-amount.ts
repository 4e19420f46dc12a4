import { fromDecimalString } from "@farline/domain/money.ts";
import { formatExact, formatMoney } from "../../../text/format.ts";
import { leftToRight } from "../../../text/left-to-right.ts";

const CENT_MICROS = 10_000n;
const MINUS = "\u2212";

/** An amount without loss: in cents where they are enough, "$24.60", else as exact as the account is, "$0.596401". */
export function exactAmount(dollars: string): string {
  return fromDecimalString(dollars) % CENT_MICROS === 0n ? formatMoney(dollars) : formatExact(dollars);
}

/** The same of a size and its side: "+$20.00", "−$4.00". */
export function signedAmount(dollars: string, type: "credit" | "debit"): string {
  return leftToRight(`${type === "credit" ? "+" : MINUS}${exactAmount(dollars)}`);
}
