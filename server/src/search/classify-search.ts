import { asciiDigits } from "@farline/domain/ascii-digits.ts";
import { cleanLine } from "@farline/domain/clean-text.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { emailKey } from "@farline/domain/email-address.ts";
import type { Micros } from "@farline/domain/money.ts";
import { readDollars } from "@farline/domain/typed/typed-dollars.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { isProviderId } from "./resolve-provider-id.ts";

/** What a search text means. */
export type SearchTerm =
  | { readonly kind: "id"; readonly id: string }
  /** The start of an address, or a whole one. */
  | { readonly kind: "email"; readonly start: string }
  /** The start of a number in E.164, or a whole one. */
  | { readonly kind: "number"; readonly start: string }
  | { readonly kind: "card"; readonly last4: string; readonly amountMicros: Micros | null; readonly day: DayRange | null }
  | { readonly kind: "receipt"; readonly year: number; readonly sequence: number }
  | { readonly kind: "case"; readonly number: bigint }
  /** `behind`: the ids that the provider says it leads to. */
  | { readonly kind: "provider_id"; readonly id: string; readonly behind: readonly string[] }
  | { readonly kind: "leg"; readonly id: string };

interface DayRange {
  readonly from: Date;
  readonly to: Date;
}

/** The text cannot be searched for: too short, or a number without its country code. */
type Unsearchable = "unclear" | "national_number";

const MAX_CHARACTERS = 255;
/** Fewer would match too many customers or calls. */
const MIN_EMAIL_CHARACTERS = 3;
const MIN_NUMBER_DIGITS = 7;
const MAX_NUMBER_DIGITS = 15;
const LEG = /^v3:\S+$/;
const RECEIPT = /^(20\d{2})-(\d{6,9})$/;
const CASE = /^#([1-9]\d{0,14})$/;
const SHORT_CASE = /^([1-9]\d{0,2}|[1-9]\d{4,5})$/;
/** Amounts have at most five digits before the point, so that this matches no phone number. */
const CARD = /^(?:[*•.]{2,4} ?)?(\d{4})(?: \$?(\d{1,5}(?:[.,]\d{1,2})?))?(?: (\d{4}-\d{2}-\d{2}))?$/;
/** Digits with the separators that people type. A zero in brackets is dialled only within the country. */
const NUMBER = /^(\+|00|011)?([\d\s().·•/-]+)$/;
const TRUNK_ZERO = /\(\s*0\s*\)/;

/** Reads one search text: an id, an address, a number, a card with an amount, a receipt or a question. */
export function classifySearch(text: string): SearchTerm | Unsearchable {
  const typed = cleanLine(asciiDigits(text));
  if (typed === "" || typed.length > MAX_CHARACTERS) return "unclear";
  const bare = typed.replace(/^\{(.*)\}$/, "$1");
  if (isUuid(bare)) return { kind: "id", id: bare.toLowerCase() };
  if (isProviderId(typed)) return { kind: "provider_id", id: typed, behind: [] };
  if (LEG.test(typed)) return { kind: "leg", id: typed };
  return classifyDigits(typed) ?? classifyEmail(typed);
}

function classifyDigits(typed: string): SearchTerm | Unsearchable | null {
  const receipt = RECEIPT.exec(typed);
  if (receipt !== null) return { kind: "receipt", year: Number(receipt[1]), sequence: Number(receipt[2]) };
  const number = (CASE.exec(typed) ?? SHORT_CASE.exec(typed))?.[1];
  if (number !== undefined) return { kind: "case", number: BigInt(number) };
  const card = CARD.exec(typed);
  return card === null ? classifyNumber(typed) : classifyCard(card);
}

function classifyCard([, last4 = "", amount, day]: RegExpExecArray): SearchTerm | Unsearchable {
  const amountMicros = amount === undefined ? null : readDollars(amount);
  const from = day === undefined ? null : new Date(`${day}T00:00:00Z`);
  if (amount !== undefined && amountMicros === null) return "unclear";
  if (from !== null && Number.isNaN(from.getTime())) return "unclear";
  return { kind: "card", last4, amountMicros, day: from && { from, to: new Date(from.getTime() + DAY_MS) } };
}

function classifyNumber(typed: string): SearchTerm | Unsearchable | null {
  const match = NUMBER.exec(typed.replace(TRUNK_ZERO, ""));
  if (match === null) return null;
  const [, international, rest = ""] = match;
  const digits = rest.replaceAll(/\D/g, "");
  if (digits.length < MIN_NUMBER_DIGITS || digits.length > MAX_NUMBER_DIGITS) return "unclear";
  if (digits.startsWith("0")) return international === undefined ? "national_number" : "unclear";
  return { kind: "number", start: `+${digits}` };
}

function classifyEmail(typed: string): SearchTerm | Unsearchable {
  const start = emailKey(typed.replace(/^mailto:/i, ""));
  return start.length < MIN_EMAIL_CHARACTERS || start.includes(" ") ? "unclear" : { kind: "email", start };
}
