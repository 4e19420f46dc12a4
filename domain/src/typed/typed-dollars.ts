import { asciiDigits } from "../ascii-digits.ts";
import { type Micros, parseDollars, toDecimalString } from "../money.ts";

const SIGN = /^\$\s*|\s*\$$/g;
/** A point, a comma, an Arabic comma or the Arabic decimal separator before at most two decimals. More digits may be a group. */
const DECIMAL_MARK = /[.,\u060c\u066b](\d{0,2})$/;

/**
 * Reads dollars as people type them: digits of every script, one decimal mark, at most two decimals, without group marks. Requests
 * contain the result in the contract's form (`dollarsToSend`).
 * @returns null if it is not such an amount
 */
export function readDollars(typed: string): Micros | null {
  const plain = asciiDigits(typed).trim().replace(SIGN, "");
  return parseDollars(plain.replace(DECIMAL_MARK, (_, cents: string) => (cents === "" ? "" : `.${cents}`)));
}

/** The typed amount as a request contains it. What cannot be read is sent unchanged, for the service to refuse at its field. */
export function dollarsToSend(typed: string): string {
  const micros = readDollars(typed);
  return micros === null ? typed : toDecimalString(micros);
}
