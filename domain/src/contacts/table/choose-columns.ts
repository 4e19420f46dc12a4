import { type ContactDetails, detailNames, mapDetails } from "../contact-details.ts";
import type { ColumnRole, FileColumn, PhoneType } from "../contact-file.ts";
import { cleanHeader, isKnownHeader, type NamedRole, rankOfHeader } from "./header-words.ts";
import { isEmailHeader, ownerOf, phoneHeaderOf, phoneTypeOf, placeHeaderOf, typeColumnOf } from "./phone-headers.ts";
import { statedCountry } from "../stated-country.ts";
import { plainDigits } from "../../ascii-digits.ts";

/** A column of phone numbers, with the indexes of the columns that say more about them. */
export interface PhoneColumn {
  readonly column: number;
  readonly type: PhoneType;
  readonly typeColumn: number | null;
  readonly countries: readonly number[];
  readonly addressCountries: readonly number[];
  readonly areas: readonly number[];
  readonly extensions: readonly number[];
}

/** The columns of a table. Indexes are in the order in which their texts are joined or tried. */
export interface TableColumns {
  /** Index of the header row, below any title; -1 without one. */
  readonly headerAt: number;
  readonly columns: readonly FileColumn[];
  readonly full: readonly number[];
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly details: ContactDetails<readonly number[]>;
  readonly email: readonly number[];
  readonly notes: readonly number[];
  readonly favorite: readonly number[];
  /** Fax and pager numbers, which are skipped. */
  readonly fax: readonly number[];
  readonly phones: readonly PhoneColumn[];
}

const ROLES: readonly (readonly [NamedRole, ColumnRole])[] = [
  ["full", "full_name"],
  ["first", "first_name"],
  ["last", "last_name"],
  ...detailNames.map((detail) => [detail, detail] as const),
  ["notes", "notes"],
  ["favorite", "favorite"],
];

/** Share of a column's non-empty cells that must match. */
const MIN_SHARE = 0.6;

const MIN_DIGITS = 7;

const MAX_DIGITS = 15;

const MAX_CHARACTERS = 200;

const DATE = /^(\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})\b/;

const POSTCODE = /^\d{5}-\d{3,4}$/;

/** A number as people write it: separators between digits, possibly after a label and before an extension. */
const NUMBER = /^[^\p{L}\p{Nd}]*(?:[\p{L}.]{1,8}[:\s]\s*)?[+(]*\p{Nd}[\p{Nd}\s\p{Pd}().+/·]*(?:\s*(?:[,;/x#p]|\p{L}).*)?$/iu;

const MAX_COUNTRY_CHARACTERS = 60;

const AREA_CODE = /^\(?\d{1,6}\)?$/;

/** What most cells of a column contain, judged by the first rows. */
interface ColumnContent {
  readonly phones: boolean;
  /** Whether most numbers start with a plus, a zero or a bracket, like phone numbers. */
  readonly clearPhones: boolean;
  readonly emails: boolean;
  readonly words: boolean;
  /** Names of countries, or dialling codes with a plus. */
  readonly countries: boolean;
  /** Dialling codes, with or without a plus. */
  readonly dialCodes: boolean;
  readonly areaCodes: boolean;
  readonly extensions: boolean;
  readonly samples: readonly string[];
}

const MAX_SAMPLES = 3;
const CELLS_LOOKED_UP = 10;

const SAMPLE_CHARACTERS = 40;

/**
 * Decides each column's role by its header, or by its content if the header is unknown.
 * @param rows the first rows, including the header
 * @param chosen the user's roles in order, or null
 */
export function chooseColumns(rows: readonly (readonly string[])[], chosen: readonly ColumnRole[] | null): TableColumns {
  const width = Math.max(...rows.map((row) => row.length));
  const contentBelow = (from: number) =>
    Array.from({ length: width }, (_, column) => contentOf(rows.slice(from).map((row) => row[column] ?? "")));
  const headerAt = headerRow(rows, (row) => contentBelow(row + 1));
  const content = contentBelow(headerAt + 1);
  const written = Array.from({ length: width }, (_, column) => rows[headerAt]?.[column]?.trim() ?? "");
  const heads = written.map((head) => cleanHeader(head));
  const found = headerAt === -1 ? written.map(() => null) : rolesByHeader(heads, content);
  const roles = chosen === null ? rolesByContent(found, content) : written.map((_, column) => chosen[column] ?? "ignore");
  const columns = roles.map((role, column) => ({
    head: (written[column] ?? "").slice(0, 60).toWellFormed(),
    samples: content[column]?.samples ?? [],
    role,
  }));
  return { headerAt, columns, ...indexesByRole(roles, heads) };
}

/** Titles may stand in this many rows above the header. */
const MAX_TITLE_ROWS = 10;

/**
 * The row above the first number or email address that has the most known headers; -1 if there is none. Without a known header, it
 * is the first row above a column of numbers.
 */
function headerRow(rows: readonly (readonly string[])[], contentBelow: (row: number) => readonly ColumnContent[]): number {
  const isTitle = (cells: readonly string[]) => cells.length < 2 || cells.filter((cell) => cell.trim() !== "").length < 2;
  const isTable = rows.some((cells) => !isTitle(cells));
  const isData = (cell: string) => looksLikeNumber(cell) || /\S@\S/.test(cell);
  const firstData = rows.findIndex((cells) => cells.some(isData) && !(isTable && isTitle(cells)));
  const above = rows.slice(0, firstData === -1 ? MAX_TITLE_ROWS : Math.min(firstData, MAX_TITLE_ROWS));
  const known = above.map((cells) =>
    isTable && isTitle(cells) ? 0 : cells.map((cell) => cleanHeader(cell)).filter(isHeader).length,
  );
  const most = Math.max(0, ...known);
  if (most > 0) return known.indexOf(most);
  const first = above.findIndex((cells) => !isTable || !isTitle(cells));
  return first !== -1 && contentBelow(first).some(({ phones }) => phones) ? first : -1;
}

function isHeader(head: string): boolean {
  return isKnownHeader(head) || phoneHeaderOf(head) !== "none" || placeHeaderOf(head) !== null;
}

/** Null for a column with an unknown header. */
function rolesByHeader(heads: readonly string[], content: readonly ColumnContent[]): (ColumnRole | null)[] {
  const types = new Set(
    heads.flatMap((head, column) => (phoneHeaderOf(head) === "phone" ? (typeColumnOf(heads, column) ?? []) : [])),
  );
  const roles = heads.map((head, column): ColumnRole | null => {
    if (types.has(column)) return "phone_type";
    const texts = content[column];
    const place = placeRole(head, texts);
    if (place !== null) return place;
    const kind = phoneHeaderOf(head);
    if (kind === "type") return "phone_type";
    if (kind === "fax") return "ignore";
    if (kind === "phone") return texts?.words === true ? "ignore" : "phone";
    if (kind === "bare" && texts?.phones === true) return "phone";
    if (isEmailHeader(head)) return "email";
    return ROLES.find(([role]) => rankOfHeader(role, head) !== null)?.[1] ?? null;
  });
  // "Number" may mean a customer or house number if another column is clearly for phone numbers.
  const isNumber = (column: number) => phoneHeaderOf(heads[column] ?? "") === "number" && content[column]?.phones === true;
  return roles.includes("phone") ? roles : roles.map((role, column) => (isNumber(column) ? "phone" : role));
}

/** The role of a column that says where its row's numbers are. */
function placeRole(head: string, content: ColumnContent | undefined): ColumnRole | null {
  const place = placeHeaderOf(head);
  if (place === "address_country" && content?.dialCodes === true) return "country";
  if (place === "prefix") return content?.countries === true ? "country" : content?.areaCodes === true ? "area_code" : null;
  if (place === "code") return content?.dialCodes === true ? "country" : null;
  if (place === "extension") return content?.extensions === true ? "extension" : null;
  return place === "area_code" && content?.areaCodes !== true ? null : place;
}

/** Decides the roles that the headers leave open. */
function rolesByContent(found: readonly (ColumnRole | null)[], content: readonly ColumnContent[]): ColumnRole[] {
  const roles = [...found];
  const fill = (role: ColumnRole, wanted: (texts: ColumnContent) => boolean) => {
    for (const [column, texts] of content.entries()) if (roles[column] === null && wanted(texts)) roles[column] = role;
  };
  if (!roles.includes("phone")) {
    const isClear = content.some(({ clearPhones }, column) => clearPhones && roles[column] === null);
    fill("phone", ({ phones, clearPhones }) => (isClear ? clearPhones : phones));
  }
  if (!roles.includes("email")) fill("email", ({ emails }) => emails);
  if (!roles.includes("country")) {
    const hasOtherWords = (column: number) => content.some(({ words }, other) => words && other !== column);
    for (const column of content.keys())
      if (roles[column] === null && hasOtherWords(column) && content[column]?.countries === true) roles[column] = "country";
  }
  const isNamed = roles.some(
    (role) => role === "full_name" || role === "first_name" || role === "last_name" || role === "company",
  );
  if (!isNamed) nameByContent(roles, content);
  return roles.map((role) => role ?? "ignore");
}

/** The first column of words is the name; two adjacent columns of single words are given and family name. */
function nameByContent(roles: (ColumnRole | null)[], content: readonly ColumnContent[]): void {
  const isFree = (column: number) => roles[column] === null && content[column]?.words === true;
  const column = content.findIndex((_, index) => isFree(index));
  if (column === -1) return;
  const isSingle = (index: number) => isFree(index) && content[index]?.samples.every((text) => !/\S\s+\S/.test(text)) === true;
  const isPair = isSingle(column) && isSingle(column + 1);
  roles[column] = isPair ? "first_name" : "full_name";
  if (isPair) roles[column + 1] = "last_name";
}

function indexesByRole(roles: readonly ColumnRole[], heads: readonly string[]): Omit<TableColumns, "headerAt" | "columns"> {
  const of = (wanted: ColumnRole) => roles.flatMap((role, column) => (role === wanted ? [column] : []));
  const place = (column: number) => rankOfHeader("full", heads[column] ?? "") ?? 0;
  const general = roles.indexOf("phone_type");
  const phones = of("phone");
  const ownersOf = (column: number) => phones.filter((one) => isOwner(heads[one] ?? "", ownerOf(heads[column] ?? "")));
  /** Columns whose header names this number, or no other number. */
  const about = (phone: number, role: ColumnRole) =>
    of(role).filter((column) => ownersOf(column).includes(phone) || ownersOf(column).length === 0);
  /** An extension whose header names no number belongs to the one before it. */
  const numberOf = (extension: number) => phones.findLast((phone) => phone < extension) ?? phones[0];
  return {
    full: of("full_name").toSorted((a, b) => place(a) - place(b)),
    first: of("first_name"),
    last: of("last_name"),
    details: mapDetails(of),
    email: of("email"),
    notes: of("notes"),
    favorite: of("favorite"),
    fax: roles.flatMap((role, column) => (role === "ignore" && phoneHeaderOf(heads[column] ?? "") === "fax" ? [column] : [])),
    phones: phones.map((column) => {
      const head = heads[column] ?? "";
      return {
        column,
        type: phoneTypeOf(head),
        typeColumn: typeColumnOf(heads, column) ?? (general === -1 ? null : general),
        countries: about(column, "country"),
        addressCountries: about(column, "address_country"),
        areas: about(column, "area_code"),
        extensions: about(column, "extension").filter((one) => ownersOf(one).length > 0 || numberOf(one) === column),
      };
    }),
  };
}

/** Whether a phone column's header has all words of another header that may belong to it: "mobile phone" and "mobile". */
function isOwner(phoneHead: string, owner: string): boolean {
  const words = phoneHead.split(" ");
  return owner !== "" && owner.split(" ").every((word) => words.includes(word));
}

/** Whether a cell looks like a phone number, in digits of any script. */
export function looksLikeNumber(cell: string): boolean {
  const text = plainSigns(cell);
  const first = text.split(/[,;]|\s\/\s|\s\p{L}/u, 1)[0] ?? "";
  const digits = first.match(/\p{Nd}/gu)?.length ?? 0;
  return NUMBER.test(text) && digits >= MIN_DIGITS && digits <= MAX_DIGITS + 5 && !DATE.test(text) && !POSTCODE.test(text);
}

function isCountry(cell: string): boolean {
  const isNamed = cell.length <= MAX_COUNTRY_CHARACTERS && statedCountry(wholeNumber(cell), false)?.codes.length !== 0;
  return isNamed && !looksLikeNumber(cell);
}

function contentOf(cells: readonly string[]): ColumnContent {
  const filled = cells.filter((cell) => cell.trim() !== "");
  const isMost = (texts: readonly string[], wanted: (cell: string) => boolean) =>
    texts.length > 0 && texts.filter((cell) => wanted(cell)).length >= texts.length * MIN_SHARE;
  const mostly = (wanted: (cell: string) => boolean) => isMost(filled, wanted);
  const first = (wanted: (cell: string) => boolean) => isMost(filled.slice(0, CELLS_LOOKED_UP), wanted);
  return {
    phones: mostly(looksLikeNumber),
    clearPhones: mostly((cell) => looksLikeNumber(cell) && /^[^\p{L}\p{Nd}]*[+0(]/u.test(plainSigns(cell))),
    emails: mostly((cell) => /^\S+@\S+\.\S+$/.test(cell.trim())),
    words: mostly((cell) => /\p{L}/u.test(cell) && !/[@\d]/.test(cell) && cell.length <= 80),
    // Looking countries up takes a while, and few columns need it.
    get countries() {
      return first((cell) => /\p{L}{4}|^\s*(?:\+|00)\d/u.test(cell) && isCountry(cell));
    },
    get dialCodes() {
      return first((cell) => /\d/.test(cell) && isCountry(cell));
    },
    get areaCodes() {
      return first((cell) => AREA_CODE.test(plainSigns(cell)));
    },
    get extensions() {
      return first((cell) => /^\D{0,12}\d{1,8}$/.test(plainSigns(cell)));
    },
    samples: filled.slice(0, MAX_SAMPLES).map((cell) => cell.trim().slice(0, SAMPLE_CHARACTERS).toWellFormed()),
  };
}

/** The cell with ASCII digits and dashes, without direction marks and a spreadsheet's leading apostrophe. */
function plainSigns(cell: string): string {
  const plain = cell.slice(0, MAX_CHARACTERS).normalize("NFKC");
  return wholeNumber(plainDigits(plain.replace(/\p{Cf}|^\s*'/gu, "").replace(/\p{Pd}/gu, "-")).trim());
}

/** The digits of "447700900142.0", as programs write a column that they take for decimals; other texts stay unchanged. */
export function wholeNumber(text: string): string {
  return text.replace(/^(\+?\d+)\.0+$/, "$1");
}
