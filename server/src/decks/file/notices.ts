import { countries } from "@farline/domain/countries/countries.ts";
import { currencyIn } from "./currencies.ts";
import type { DeckColumns } from "./deck-columns.ts";
import { isHeaderWord, type DeckColumn } from "./header-words.ts";
import { isClosedPrice, nameCondition, plainWords } from "./status-words.ts";

/** A row that prices nothing: a notice, a total, or the header repeated on the next page. */
export type SideRow = "notice" | "total" | "repeated_header";

/** What a notice says: nothing about prices, when they begin, or something that an operator must read. */
type NoticeMeaning = "harmless" | "unclear" | { readonly starts: readonly string[] };

const PRICES = ["price", "firstPrice", "nextPrice", "callPrice"] as const;
const PREFIXES = ["prefixes", "callingCode", "areaCodes"] as const;
/** A notice with a value in more cells may be a row whose prefix was lost. */
const NOTICE_CELLS = 2;
/** A longer notice is read by the operator. */
const MAX_CHARS = 300;
const TOTAL =
  /^\W*(?:(?:sub|grand)[\s-]*)?(?:totals?|sum|count|number)(?:\s+(?:number|count|of|all))*(?:\s+(?:rows?|records?|prefix(?:es)?|codes?|destinations?|routes?|entries|lines))?\W*[\d.,\s]*$/i;
const PAGE = /(?<!\p{L})(?:page|seite|página|pagina|strona|страница|sayfa)\s*\d+(?:\s*(?:\/|of|von|de|di|van|z|из)\s*\d+)?/giu;
/** Spreadsheets name the delimiter in the first line. */
const DELIMITER_LINE = /^sep=.?$/i;
const ADDRESSES = /\S+@\S+\.\S+|(?:https?:\/\/|www\.)\S+/g;
/** Names and addresses of the sender and the customer. After a label such as "attention", anything may follow. */
const LABELLED_NAME =
  /^(?:customer|client|company|carrier|vendor|supplier|account(?: manager| name)?|contact|e-?mail|phone|tel|telephone|fax|address|website|prepared (?:by|for)|kunde|cliente|klant|klient)\.?\s*[:#№|]/i;
/** The list's own number, in one word. */
const LABELLED_NUMBER =
  /^(?:ref|reference|notice|list|sheet|version|rev|revision)(?: (?:no|number|id))?\.?\s*[:#№|]\s*[\p{L}\p{N}._-]{1,40}$/iu;
const MAX_NAME_WORDS = 12;
/** Words of a name: with a capital or a figure, in scripts that have capitals, or a particle. */
const NAME_WORD = /^(?:[^\p{Ll}]*|\P{L}*[\p{Lu}\p{Lt}].*|de|da|di|del|der|van|von|of|and|y|e|la|le|du)$/u;
const THANKS = /^thank you(?: for (?:choosing|your business with) [\p{L} ]{2,40})?[.!]?$/iu;
const COMPANY =
  /(?:^|\s)(?:ltd|limited|inc|llc|gmbh|ag|s\.?a\.?|s\.?r\.?l\.?|b\.?v\.?|plc|corp|corporation|oy|ab|s\.?p\.?a\.?|sarl|sas|pty|pte|kg|a\.?ş\.?|ооо|telecom|telekom|communications|carrier services)\.?$/iu;
const MAX_COMPANY_WORDS = 6;
/** A date in a sentence, with the words by which the list begins then. */
const DATE =
  /(?:(?:date|dated|effective|valid|issued?|as|of|from|on|since|gültig|ab|stand|vom|valable|en vigueur|à partir du|du|vigente|válido|desde|el|a partir de|in vigore|dal|ingang|vanaf|per|od|ważny|с|действует)[\s:.|-]+)*((?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}(?:st|nd|rd|th)?[-\s./]+\p{L}{3,9}\.?[-\s./,]+\d{2,4}|\p{L}{3,9}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4})(?!\d)(?:[T\s]+\d{1,2}:\d{2}(?::\d{2})?(?:\s*[AP]M)?(?:\s*(?:UTC|GMT|Z))?)?)/giu;
/** With a date, it may be the last one. */
const ENDS =
  /(?<!\p{L})(?:end(?:s|ed|ing)?|validity|expir\p{L}*|through|thru|till|bis|fin|hasta|fino|jusqu|do|до|по|valid(?![\s:]+(?:from|since|as\s+of|on)\b)|g[üu]ltig(?!\s+(?:ab|seit|vom|von)\b))(?!\p{L})/iu;
/** "Rates of December 2026" begin on its first day. */
const MONTH_YEAR =
  /(?<!\p{L})(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)[\s,-]+(20\d\d)(?!\d)/giu;

/** All words of these sentences are harmless in any order. A word about money, time, origin or exceptions must never be added. */
const HARMLESS: ReadonlySet<string> = new Set(
  [
    "price prices pricelist pricing list lists rate rates ratesheet ratecard card sheet sheets tariff tariffs table deck voice voip sip wholesale retail",
    "carrier carriers international global worldwide world a to z az of the and for in all are is our your by with at this following services service",
    "dear partner partners customer customers sir madam please find attached below thank you thanks regards best kind sincerely confidential proprietary",
    "copyright rights reserved usd us dollar dollars per minute min date dated issue issued generated created printed published sent effective immediately asap now",
    "termination terminating destination destinations code codes prefix prefixes standard quality premium direct gold silver platinum mobile fixed landline proper",
    "new update updated notification notice amendment full complete currency name country countries end report file page validity",
    "europe european asia africa american america americas north south latin central middle east oceania caribbean pacific islands",
    "preisliste preise preis tarif tarife alle und der die das in us pro minute stand datum seite gultig liste prix tarifs tous les en dollars par page valable",
    "lista precios precio tarifas todos por minuto fecha pagina listino prezzi tariffe tutti al data precos preco os",
    "prijslijst prijzen tarieven minuut datum cennik ceny wszystkie dolarach minute data прайс лист цены тарифы все в долларах сша за минуту дата",
    "fiyat listesi fiyatlar dolar dakika basina tarih قائمة الاسعار الأسعار بالدولار للدقيقة 价格表 价目表 价格 美元 每分钟 美元/分钟 日期",
    countries.map(({ name }) => name).join(" "),
  ].flatMap((line) => plainWords(line).split(" ")),
);

/** A row's cells as one text. */
export function textOf(cells: readonly string[]): string {
  return cells
    .map((cell) => cell.trim().replaceAll(/\s+/g, " "))
    .filter((cell) => cell !== "")
    .join(" | ");
}

/** Understands a line that is neither header nor price. Whatever is not known to be harmless is unclear. */
export function readNotice(text: string): NoticeMeaning {
  if (text.length > MAX_CHARS) return "unclear";
  if (DELIMITER_LINE.test(text) || THANKS.test(text)) return "harmless";
  const starts: string[] = [];
  const rest = text
    .replaceAll(ADDRESSES, " ")
    .replaceAll(PAGE, " ")
    .replaceAll(DATE, (_, date: string) => {
      starts.push(date);
      return " ";
    })
    .replaceAll(MONTH_YEAR, (_, month: string, year: string) => {
      starts.push(`1 ${month} ${year}`);
      return " ";
    });
  if (nameCondition(rest.replaceAll(/\beffective\b/gi, "")) === "conditional") return "unclear";
  const isHarmless =
    plainWords(rest)
      .split(" ")
      .every((word) => word === "" || HARMLESS.has(word)) ||
    (!isAboutPrices(rest) && (isLabelled(rest.trim()) || isCompany(rest.trim())));
  // Of two dates one may be the end.
  if (!isHarmless || starts.length > 1 || (starts.length === 1 && ENDS.test(text))) return "unclear";
  return starts.length === 0 ? "harmless" : { starts };
}

function isLabelled(text: string): boolean {
  if (LABELLED_NUMBER.test(text)) return true;
  const words = text.replace(LABELLED_NAME, "").trim().split(/\s+/);
  return LABELLED_NAME.test(text) && words.length <= MAX_NAME_WORDS && words.every((word) => NAME_WORD.test(word));
}

function isCompany(text: string): boolean {
  return COMPANY.test(text) && text.split(/\s+/).length <= MAX_COMPANY_WORDS;
}

const PRICE_TERMS =
  /\d\s*[/+]\s*\d|[$%]|(?<!\p{L})(?:rates?|prices?|pric\w*|costs?|tariffs?|doubl\w*|twice|times|plus|minus|percent|increas\w*|decreas\w*|surcharges?|fees?|charges?|connect\w*|peak|weekends?|minimum|increments?|bill\w*|pulse|round\w*|tax\w*|vat|gst|discounts?|calls?|origin\w*|callers?|cli|ani|eea|valid\w*|until|expir\w*|except\w*|excl\w*|only|not|per|sec\w*|hour\w*|block\w*|closed?|tech\w*)(?!\p{L})/iu;
function isAboutPrices(text: string): boolean {
  return PRICE_TERMS.test(text) || currencyIn(text) === "other";
}

interface Columns {
  readonly names: readonly string[];
  readonly columns: DeckColumns;
}

/** A prefix or a price. */
const FIGURE = /^\W*\d/;
const WORD = /^\P{N}*?\p{L}{2}/u;

/** Whether a row below the header is another header, under which the columns may mean something else. */
export function isOtherHeader(cells: readonly string[], { names, columns }: Columns): boolean {
  const place = columns.get("prefixes")?.[0] ?? columns.get("areaCodes")?.[0] ?? 0;
  if (FIGURE.test(cells[place] ?? "")) return false;
  const trimmed = cells.map((cell) => cell.trim());
  const [prefix, price] = [wordsIn(trimmed, columns, PREFIXES), wordsIn(trimmed, columns, ["price", "firstPrice"])];
  if (FIGURE.test(prefix) || FIGURE.test(price)) return false;
  if (names.every((name, at) => name === (trimmed[at] ?? ""))) return false;
  const isText = WORD.test(prefix) && WORD.test(price) && !isClosedPrice(price);
  return isText || trimmed.filter((cell) => isHeaderWord(cell)).length >= NOTICE_CELLS;
}

/**
 * Recognises rows beside the prices. A row with a digit where a price or a prefix belongs is none, except for totals, so that no price
 * is overlooked and no prefix is sold at a shorter one's price.
 */
export function readSideRow(cells: readonly string[], { names, columns }: Columns): SideRow | null {
  const trimmed = cells.map((cell) => cell.trim());
  if (names.every((name, place) => name === (trimmed[place] ?? ""))) return "repeated_header";
  const price = wordsIn(trimmed, columns, PRICES);
  if (/\d/.test(price)) return null;
  const written = trimmed.filter((cell) => cell !== "");
  if (TOTAL.test(written.join(" "))) return "total";
  if (/\d/.test(wordsIn(trimmed, columns, PREFIXES)) || (price !== "" && written.length > NOTICE_CELLS)) return null;
  return "notice";
}

function wordsIn(cells: readonly string[], columns: DeckColumns, wanted: readonly DeckColumn[]): string {
  return wanted.flatMap((column) => (columns.get(column) ?? []).map((place) => cells[place] ?? "")).join("");
}
