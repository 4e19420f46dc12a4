import { asciiDigits } from "@farline/domain/ascii-digits.ts";
import { cleanLine } from "@farline/domain/text/clean-text.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { emailKey } from "@farline/domain/email-address.ts";
import type { Micros } from "@farline/domain/money.ts";
import { readDollars } from "@farline/domain/typed/typed-dollars.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { shortNetworkOf } from "../accounts/accounts.ts";
import { isProviderId } from "./resolve-provider-id.ts";

/** What a search text means. */
export type SearchTerm =
  | { readonly kind: "id"; readonly id: string }
  /** The start of an address, or a whole one. */
  | { readonly kind: "email"; readonly start: string }
  /** A mail domain; without an at sign it may be the start of an address, too. */
  | { readonly kind: "domain"; readonly domain: string; readonly start: string | null }
  /** The starts of words of a name; one word may be the start of an address, too. */
  | { readonly kind: "name"; readonly words: readonly string[]; readonly start: string | null }
  /** As sessions record it. */
  | { readonly kind: "network"; readonly network: string }
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
/** The Call-ID of an attempt over a trunk begins with its session's id; proxies append their host. */
const SIP_CALL_ID = /^(?:Call-ID: *)?([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-[\da-f]{16}(?:@\S+)?$/i;
const RECEIPT = /^(20\d{2})-(\d{6,9})$/;
const CASE = /^#([1-9]\d{0,14})$/;
const SHORT_CASE = /^([1-9]\d{0,2}|[1-9]\d{4,5})$/;
/** No phone number, although slashes separate digits there. */
const WIDE_NETWORK = /^\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}$/;
/** Two labels at least, the last of letters: `mail.example.co.uk`, and what a domain in another script is in ASCII. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
/** Letters with what joins them in names: "O'Brien", "Anne-Marie", "J. R. Ewing". */
const NAME = /^[\p{L}\p{M}][\p{L}\p{M}\p{N} ,.'’-]*$/u;
const NAME_WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** More words are a sentence. */
const MAX_NAME_WORDS = 4;
/** Scripts without an alphabet write a name in two characters. */
const MIN_NAME_CHARACTERS = 2;
const ASCII = /^[\u0020-\u007e]*$/;
/** Amounts have at most five digits before the point, so that this matches no phone number. */
const CARD = /^(?:[*•.]{2,4} ?)?(\d{4})(?: \$?(\d{1,5}(?:[.,]\d{1,2})?))?(?: (\d{4}-\d{2}-\d{2}))?$/;
/** Digits with the separators that people type. A zero in brackets is dialled only within the country. */
const NUMBER = /^(\+|00|011)?([\d\s().·•/-]+)$/;
/** A link to a number, or its SIP address, as a phone copies it or a carrier's ticket has it. */
const LINKED = /^<?(?:tel|sips?):(\+?[\d().-]+)(?:[@;>].*)?$/i;
const TRUNK_ZERO = /\(\s*0\s*\)/;

/** Reads one search text: an id, an address, a name, a domain, a network, a number, a card with an amount, a receipt or a question. */
export function classifySearch(text: string): SearchTerm | Unsearchable {
  const typed = cleanLine(asciiDigits(text));
  if (typed === "" || typed.length > MAX_CHARACTERS) return "unclear";
  const bare = typed.replace(/^\{(.*)\}$/, "$1");
  if (isUuid(bare)) return { kind: "id", id: bare.toLowerCase() };
  const session = SIP_CALL_ID.exec(typed)?.[1];
  if (session !== undefined) return { kind: "id", id: session.toLowerCase() };
  if (isProviderId(typed)) return { kind: "provider_id", id: typed, behind: [] };
  if (LEG.test(typed)) return { kind: "leg", id: typed };
  const network = /[.:]/.test(typed) ? shortNetworkOf(typed) : null;
  if (network !== null) return { kind: "network", network };
  if (WIDE_NETWORK.test(typed)) return "unclear";
  return classifyDigits(typed) ?? classifyPerson(typed);
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
  const match = NUMBER.exec((LINKED.exec(typed)?.[1] ?? typed).replace(TRUNK_ZERO, ""));
  if (match === null) return null;
  const [, international, rest = ""] = match;
  const digits = rest.replaceAll(/\D/g, "");
  if (digits.length < MIN_NUMBER_DIGITS || digits.length > MAX_NUMBER_DIGITS) return "unclear";
  if (digits.startsWith("0")) return international === undefined ? "national_number" : "unclear";
  return { kind: "number", start: `+${digits}` };
}

function classifyPerson(typed: string): SearchTerm | Unsearchable {
  const text = typed.replace(/^mailto:/i, "");
  const start = emailKey(text);
  const bare = text.replace(/^@/, "");
  const domain = bare.includes("@") ? undefined : DOMAIN.exec(emailKey(`x@${bare}`).slice(2))?.[0];
  if (domain !== undefined) return { kind: "domain", domain, start: bare === text ? start : null };
  if (NAME.test(text)) return classifyName(text, start);
  return start.length < MIN_EMAIL_CHARACTERS || start.includes(" ") ? "unclear" : { kind: "email", start };
}

function classifyName(text: string, start: string): SearchTerm | Unsearchable {
  const words = nameWords(text);
  const letters = words.join("").length;
  if (words.length > MAX_NAME_WORDS) return "unclear";
  if (letters < (ASCII.test(text) ? MIN_EMAIL_CHARACTERS : MIN_NAME_CHARACTERS)) return "unclear";
  return { kind: "name", words, start: start.includes(" ") ? null : start };
}

/** The words of a name as the index of names has them: without accents, in lower case. */
function nameWords(text: string): string[] {
  const plain = text.normalize("NFKD").replaceAll(/[\u0300-\u036F]/g, "");
  return [...plain.toLowerCase().matchAll(NAME_WORD)].map(([word]) => word);
}
