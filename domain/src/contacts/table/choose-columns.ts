import { type ContactDetails, detailNames, mapDetails } from "../contact-details.ts";
import type { ColumnRole, FileColumn, PhoneType } from "../contact-file.ts";
import { cleanHeader, isKnownHeader, type NamedRole, rankOfHeader } from "./header-words.ts";
import { isEmailHeader, phoneHeaderOf, phoneTypeOf, typeColumnOf } from "./phone-headers.ts";
import { plainDigits } from "../../ascii-digits.ts";

/** A column of phone numbers. `typeColumn` is the index of the column with their types, if there is one. */
export interface PhoneColumn {
  readonly column: number;
  readonly type: PhoneType;
  readonly typeColumn: number | null;
}

/** The columns of a table. Indexes are in the order in which their texts are joined or tried. */
export interface TableColumns {
  /** Whether the first row is a header. */
  readonly hasHeader: boolean;
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

/** What most cells of a column contain, judged by the first rows. */
interface ColumnContent {
  readonly phones: boolean;
  /** Whether most numbers start with a plus, a zero or a bracket, like phone numbers. */
  readonly clearPhones: boolean;
  readonly emails: boolean;
  readonly words: boolean;
  readonly samples: readonly string[];
}

const MAX_SAMPLES = 3;

const SAMPLE_CHARACTERS = 40;

/**
 * Decides each column's role by its header, or by its content if the header is unknown.
 * @param rows the first rows, including the header
 * @param chosen the user's roles in order, or null
 */
export function chooseColumns(rows: readonly (readonly string[])[], chosen: readonly ColumnRole[] | null): TableColumns {
  const width = Math.max(...rows.map((row) => row.length));
  const below = Array.from({ length: width }, (_, column) => contentOf(rows.slice(1).map((row) => row[column] ?? "")));
  const written = Array.from({ length: width }, (_, column) => rows[0]?.[column]?.trim() ?? "");
  const hasHeader = isHeader(written, below);
  const heads = hasHeader ? written.map((head) => cleanHeader(head)) : written.map(() => "");
  const content = hasHeader ? below : below.map((_, column) => contentOf(rows.map((row) => row[column] ?? "")));
  const found = hasHeader ? rolesByHeader(heads, content) : written.map(() => null);
  const roles = chosen === null ? rolesByContent(found, content) : written.map((_, column) => chosen[column] ?? "ignore");
  const columns = roles.map((role, column) => ({
    head: hasHeader ? (written[column] ?? "").slice(0, 60).toWellFormed() : "",
    samples: content[column]?.samples ?? [],
    role,
  }));
  return { hasHeader, columns, ...indexesByRole(roles, heads) };
}

/** A header row has a known header or is above a column of numbers, and contains no number or email address itself. */
function isHeader(cells: readonly string[], below: readonly ColumnContent[]): boolean {
  if (cells.some((cell) => looksLikeNumber(cell) || /\S@\S/.test(cell))) return false;
  const isNamed = cells.map((cell) => cleanHeader(cell)).some((head) => isKnownHeader(head) || phoneHeaderOf(head) !== "none");
  return isNamed || below.some(({ phones }) => phones);
}

/** Null for a column with an unknown header. */
function rolesByHeader(heads: readonly string[], content: readonly ColumnContent[]): (ColumnRole | null)[] {
  const types = new Set(heads.flatMap((head) => (phoneHeaderOf(head) === "phone" ? (typeColumnOf(heads, head) ?? []) : [])));
  const roles = heads.map((head, column): ColumnRole | null => {
    if (types.has(column)) return "phone_type";
    const texts = content[column];
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

function indexesByRole(roles: readonly ColumnRole[], heads: readonly string[]): Omit<TableColumns, "hasHeader" | "columns"> {
  const of = (wanted: ColumnRole) => roles.flatMap((role, column) => (role === wanted ? [column] : []));
  const place = (column: number) => rankOfHeader("full", heads[column] ?? "") ?? 0;
  const general = roles.indexOf("phone_type");
  return {
    full: of("full_name").toSorted((a, b) => place(a) - place(b)),
    first: of("first_name"),
    last: of("last_name"),
    details: mapDetails(of),
    email: of("email"),
    notes: of("notes"),
    favorite: of("favorite"),
    fax: roles.flatMap((role, column) => (role === "ignore" && phoneHeaderOf(heads[column] ?? "") === "fax" ? [column] : [])),
    phones: of("phone").map((column) => {
      const head = heads[column] ?? "";
      const own = typeColumnOf(heads, head);
      return { column, type: phoneTypeOf(head), typeColumn: own ?? (general === -1 ? null : general) };
    }),
  };
}

/** Whether a cell looks like a phone number, in digits of any script. */
function looksLikeNumber(cell: string): boolean {
  const text = plainSigns(cell);
  const first = text.split(/[,;]|\s\/\s|\s\p{L}/u, 1)[0] ?? "";
  const digits = first.match(/\p{Nd}/gu)?.length ?? 0;
  return NUMBER.test(text) && digits >= MIN_DIGITS && digits <= MAX_DIGITS + 5 && !DATE.test(text) && !POSTCODE.test(text);
}

function contentOf(cells: readonly string[]): ColumnContent {
  const filled = cells.filter((cell) => cell.trim() !== "");
  const mostly = (wanted: (cell: string) => boolean) =>
    filled.length > 0 && filled.filter((cell) => wanted(cell)).length >= filled.length * MIN_SHARE;
  return {
    phones: mostly(looksLikeNumber),
    clearPhones: mostly((cell) => looksLikeNumber(cell) && /^[^\p{L}\p{Nd}]*[+0(]/u.test(plainSigns(cell))),
    emails: mostly((cell) => /^\S+@\S+\.\S+$/.test(cell.trim())),
    words: mostly((cell) => /\p{L}/u.test(cell) && !/[@\d]/.test(cell) && cell.length <= 80),
    samples: filled.slice(0, MAX_SAMPLES).map((cell) => cell.trim().slice(0, SAMPLE_CHARACTERS).toWellFormed()),
  };
}

/** The cell with ASCII digits and dashes, without direction marks and a spreadsheet's leading apostrophe. */
function plainSigns(cell: string): string {
  const plain = cell.slice(0, MAX_CHARACTERS).normalize("NFKC");
  return plainDigits(plain.replace(/\p{Cf}|^\s*'/gu, "").replace(/\p{Pd}/gu, "-")).trim();
}
