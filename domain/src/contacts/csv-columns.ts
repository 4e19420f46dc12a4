import type { PhoneType } from "./contact-file.ts";
import { foldText } from "./fold-text.ts";

/** A column of phone numbers. `typeColumn` is the index of the column that says which kind each one is, if there is one. */
export interface PhoneColumn {
  readonly column: number;
  readonly type: PhoneType;
  readonly typeColumn: number | null;
}

/** The columns of a table. A list of indexes is in the order in which its texts are joined or tried. */
export interface CsvColumns {
  readonly full: readonly number[];
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly company: readonly number[];
  readonly email: readonly number[];
  readonly notes: readonly number[];
  readonly favorite: readonly number[];
  /** Google keeps its star among these: "* myContacts ::: * starred". */
  readonly labels: readonly number[];
  readonly phones: readonly PhoneColumn[];
}

/** Headers as programs write them, in small letters, without accents and signs. In the languages of the app, and German. */
const HEADERS = {
  full: /^(name|full name|display name|contact|contact name|file as|nom complet|nombre completo|vollstandiger name|नाम|الاسم|الاسم الكامل)$/,
  first:
    /^(first|first name|firstname|given name|middle name|additional name|vorname|prenom|deuxieme prenom|nombre|nombre de pila|segundo nombre|पहला नाम|الاسم الاول)$/,
  last: /^(last|last name|lastname|surname|family name|nachname|nom|nom de famille|apellido|apellidos|उपनाम|اسم العائلة)$/,
  company:
    /^(company|company name|organization|organisation|organization name|organization 1 name|firma|unternehmen|societe|entreprise|empresa|organizacion|कंपनी|الشركة)$/,
  email: /^(e ?mail|mail|courriel|correo|correo electronico|ईमेल|البريد الالكتروني)( \d+)?( address| adresse)?( \d+)?( value)?$/,
  notes: /^(notes?|comments?|notizen|remarques?|notas?|नोट|ملاحظات)$/,
  favorite: /^(favou?rite|starred|favorit|favori|favorito|पसंदीदा|مفضل)$/,
  labels: /^(labels|group membership|categories)$/,
} as const;

const PHONE_WORD =
  /\b(phone|telephone|tel|mobile|cell|cellular|telefon|telefono|handy|mobil|mobiltelefon|portable|movil|celular|whatsapp)\b|फ़?ोन|मोबाइल|هاتف|الهاتف|جوال/;
/** Only where no other column says more clearly that it holds phone numbers. */
const NUMBER_WORD = /^(number|numero|nummer|नंबर|رقم)$/;
const NO_PHONE = /\b(type|label|fax|telefax|pager|telex|tty|tdd|isdn|country|area|code|extension|ext|carrier|notes?)\b/;
const PHONE_TYPE = /^(phone number type|phone type)$/;

const TYPE_WORDS: readonly (readonly [RegExp, PhoneType])[] = [
  [/mobile|cell|car\b|iphone|android|mobil|handy|portable|movil|celular|मोबाइल|جوال/, "mobile"],
  [/work|business|company|office|assistant|arbeit|buro|geschaft|travail|bureau|trabajo|oficina/, "work"],
  [/home|privat|domicile|maison|casa|particular/, "home"],
];

/** The kind of number a label names, in the words of Google, Outlook, Apple and vCard; `other` when it names none. */
export function phoneTypeOf(label: string): PhoneType {
  const words = foldText(label);
  return TYPE_WORDS.find(([word]) => word.test(words))?.[1] ?? "other";
}

/** Reads the columns from a table's header. Without a phone column it is not a header, or not a table of contacts. */
export function readHead(cells: readonly string[]): CsvColumns {
  const heads = cells.map((cell) =>
    foldText(cell)
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
      .trim(),
  );
  const at = (header: RegExp) => indexesOf(heads, (head) => header.test(head));
  return {
    first: at(HEADERS.first),
    last: at(HEADERS.last),
    full: at(HEADERS.full),
    company: at(HEADERS.company),
    email: at(HEADERS.email),
    notes: at(HEADERS.notes),
    favorite: at(HEADERS.favorite),
    labels: at(HEADERS.labels),
    phones: phoneColumns(heads),
  };
}

function phoneColumns(heads: readonly string[]): PhoneColumn[] {
  const clear = indexesOf(heads, (head) => PHONE_WORD.test(head) && !NO_PHONE.test(head));
  const found = clear.length > 0 ? clear : indexesOf(heads, (head) => NUMBER_WORD.test(head));
  const general = heads.findIndex((head) => PHONE_TYPE.test(head));
  return found.map((column) => {
    const head = heads[column] ?? "";
    const own = typeColumnOf(heads, head);
    return { column, type: phoneTypeOf(head), typeColumn: own ?? (general === -1 ? null : general) };
  });
}

/** Ours: "phone_number_2_type" beside "phone_number_2". Google: "Phone 1 - Label" (before 2024 "Type") beside "Phone 1 - Value". */
function typeColumnOf(heads: readonly string[], head: string): number | null {
  const stem = head.replace(/ value$/, "");
  const index = heads.findIndex((one) => one === `${stem} label` || one === `${stem} type`);
  return index === -1 ? null : index;
}

/**
 * A table without a head: the column that holds a phone number in the first row, and the first other one for the name.
 * Null when the first row holds no phone number.
 */
export function guessColumns(firstRow: readonly string[]): CsvColumns | null {
  const column = firstRow.findIndex((cell) => looksLikeNumber(cell));
  if (column === -1) return null;
  const name = firstRow.findIndex((cell, index) => index !== column && /\p{L}/u.test(cell));
  const none: readonly number[] = [];
  return {
    full: name === -1 ? none : [name],
    first: none,
    last: none,
    company: none,
    email: indexesOf(firstRow, (cell, index) => index !== name && cell.includes("@")),
    notes: none,
    favorite: none,
    labels: none,
    phones: [{ column, type: "other", typeColumn: null }],
  };
}

function looksLikeNumber(cell: string): boolean {
  return /^['\s]*[+(]?[\p{Nd}\s().+/-]+$/u.test(cell) && (cell.match(/\p{Nd}/gu)?.length ?? 0) >= 7;
}

function indexesOf<T>(list: readonly T[], wanted: (item: T, index: number) => boolean): number[] {
  return list.flatMap((item, index) => (wanted(item, index) ? [index] : []));
}
