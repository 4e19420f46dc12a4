import { countText } from "./count-text.ts";
import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { callStatusWords, endReasonWords } from "./call-words.ts";
import type { CallQuery, CustomerQuery, PaymentQuery } from "../lists.ts";
import { declineReasonWords, disputeHandledWords, dollarText, paymentStateWords } from "./money-words.ts";
import { declarationOf, type OperationName, operationNames, secondFor } from "../operations.ts";
import { settingTitle } from "./setting-words.ts";
import { customerStatusWords, type DetailWords, freezeWords, roleWords, termWords, tierWords, wordFor } from "./words.ts";

/** How a detail is written: as it is, as a time, by words or a text of its own, or not at all, as what only programs need. */
type Written = "text" | "time" | "hidden" | Readonly<Record<string, string>> | ((value: string) => string);
type Described = readonly [name: string, written: Written];

const yesNo = { true: "yes", false: "no" } as const;
const searchedWords = {
  id: "an id",
  email: "an email address",
  number: "a phone number",
  card: "a card",
  receipt: "a receipt",
  case: "a question",
  provider_id: "an id of the payment provider",
  leg: "an id of the voice provider",
} as const;
export const breakerWords = {
  carrier_spend: "what carriers cost in a day",
  spend_note: "a share of that",
  prefix: "a prefix",
  country: "a country",
} as const;

/** What a list that was read was narrowed to. */
type FilterName = Exclude<keyof PaymentQuery | keyof CallQuery | keyof CustomerQuery, "cursor">;

/** Every detail that the audit log or a proposal can have. One without words does not compile. */
const details = {
  before: ["was", { earned: "as earned", ...tierWords }],
  value: ["now", { earned: "as earned", ...tierWords }],
  until: ["until", "time"],
  starts: ["from", "time"],
  valid_from: ["active from", "time"],
  effective_at: ["active from", "time"],
  because: ["customer is told", freezeWords],
  as: ["at the provider", disputeHandledWords],
  answer: ["customer reads", "text"],
  role: ["role", roleWords],
  role_before: ["role was", roleWords],
  name: ["name", "text"],
  email: ["email", "text"],
  device: ["device", "text"],
  network: ["network", "text"],
  deck: ["deck", "text"],
  left: ["left", "text"],
  trunk: ["trunk", "text"],
  replaces: ["replaces", "hidden"],
  jumps: ["unusual prices", "text"],
  rows: ["rows", "text"],
  preview: ["preview", "hidden"],
  columns: ["columns", "text"],
  prices: ["prices", "text"],
  left_out: ["lines left out", "text"],
  left_out_words: ["words left out", "text"],
  file: ["file", "text"],
  calls: ["calls", "text"],
  days: ["days", "text"],
  force: ["spent part becomes a debt", yesNo],
  outside: ["reference of a transfer made outside", "text"],
  refund_id: ["refund", "hidden"],
  percent: ["bonus in percent", "text"],
  fixedMicros: ["fixed bonus", microsText],
  maxBonusMicros: ["maximum bonus per top-up", microsText],
  minMicros: ["minimum top-up", microsText],
  budgetMicros: ["budget", microsText],
  packageId: ["package", "text"],
  maxUses: ["maximum uses", "text"],
  startsAt: ["starts", "time"],
  endsAt: ["ends", "time"],
  closing: ["customers' credit at the end", "text"],
  bonus: ["of which bonus", "text"],
  differences: ["open differences", "text"],
  action: ["proposal", "hidden"],
  subject: ["about", "hidden"],
  kind: ["kind", { ...searchedWords, ...breakerWords }],
  text: ["typed", "text"],
  found: ["found", "text"],
  breaker_subject: ["where", "text"],
  spent_micros: ["spent", microsText],
  limit_micros: ["limit", microsText],
  hour_micros: ["in an hour", microsText],
  mean_micros: ["in a usual hour", microsText],
  why: ["why a second operator", "text"],
  proposed_by: ["proposed by", "text"],
  operator: ["operator", "hidden"],
  approval: ["proposal", "hidden"],
  concerns: ["rules", "hidden"],
  key: ["key", "hidden"],
  state: ["state", { ...paymentStateWords, ...customerStatusWords }],
  status: ["state", callStatusWords],
  reason: ["because", { ...declineReasonWords, ...endReasonWords, ...freezeWords }],
  country: ["country", englishNameOf],
  prefix: ["number begins with", "text"],
  least: ["at least", dollarText],
  most: ["at most", dollarText],
  from: ["from day", "text"],
  to: ["to day", "text"],
  zone: ["days of the clock in", "text"],
  customer: ["customer", "hidden"],
} as const satisfies Readonly<Record<string, Described>> & Readonly<Record<FilterName, Described>>;
export type DetailName = keyof typeof details;

/** What the audit log has besides the declared operations, because it has no form. */
const otherActions = {
  "import-deck": "Import a deck",
  "first-admin": "Add the first administrator",
  "sign-in": "Sign in",
  search: "Search",
  list: "Read a list",
  "list-file": "Save a list as a file",
} as const;
export type RecordedAction = OperationName | `propose-${OperationName}` | keyof typeof otherActions;

const PROPOSED = "propose-";

/** An entry of the audit log: "Freeze", "Proposed: Refund". */
export function actionWords(action: string): string {
  if (action.startsWith(PROPOSED)) return `Proposed: ${actionWords(action.slice(PROPOSED.length))}`;
  const name = operationNames.find((one) => one === action);
  return name === undefined ? wordFor(otherActions, action) : declarationOf(name).label;
}

/** A proposal: "Add a credit of". Its amount and customer follow. */
export function proposalWords(action: string): string {
  return secondFor(action)?.title ?? actionWords(action);
}

/** What an operation or proposal was about, where its id is words: a limit, a setting, a month, a case. Null for an id that only programs read. */
export function subjectWords(action: string, subject: string | null): string | null {
  if (subject === null || /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(subject)) return null;
  const name = action.startsWith(PROPOSED) ? action.slice(PROPOSED.length) : action;
  if (name === "set-setting") return settingTitle(subject);
  return name === "set-term" ? wordFor(termWords, subject) : subject;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** The details of an operation or a proposal in words. What is empty, or only for programs, is left out. */
export function detailWords(detail: Readonly<Record<string, unknown>>): DetailWords[] {
  const { amount_micros: amount, reach, ...others } = detail;
  return [
    ...amountWords(amount),
    ...reachWords(reach),
    ...Object.entries(others).flatMap(([name, value]) => oneDetail(name, value)),
  ];
}

function oneDetail(key: string, value: unknown): DetailWords[] {
  const text = textOf(value);
  const [name, written]: Described = Object.hasOwn(details, key)
    ? details[key as DetailName]
    : [wordFor({}, key).toLowerCase(), "text"];
  if (written === "hidden" || text === "" || value === false || UUID.test(text)) return [];
  if (typeof written === "function") return [{ name, text: written(text), at: null }];
  if (written === "time")
    return [{ name, text: text === "now" ? "at once" : text, at: Number.isNaN(Date.parse(text)) ? null : text }];
  if (written === "text") return [{ name, text, at: null }];
  return [{ name, text: /^[a-z_-]+$/.test(text) ? wordFor(written, text) : text, at: null }];
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

function amountWords(micros: unknown): DetailWords[] {
  if (micros === undefined || micros === "0") return [];
  return [{ name: "amount", text: microsText(textOf(micros)), at: null }];
}

function microsText(micros: string): string {
  return /^-?\d+$/.test(micros) ? dollarText(toDecimalString(BigInt(micros))) : micros;
}

function reachWords(reach: unknown): DetailWords[] {
  if (reach === undefined || reach === 0) return [];
  const text = reach === "everyone" ? "every customer" : countText(Number(reach), "customer");
  return [{ name: "reaches", text, at: null }];
}
