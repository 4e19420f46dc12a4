import { contactDetails, detailNames } from "../contact-details.ts";
import type { FileContact, FileNumber, PhoneType } from "../contact-file.ts";

type CardContact = Omit<FileContact, "row" | "repairs" | "damage" | "numbers"> & {
  readonly numbers: readonly Pick<FileNumber, "text" | "type">[];
};

/** RFC 2425, 5.8.1. */
const LINE_BYTES = 75;
const TYPES: Readonly<Record<PhoneType, string>> = { mobile: "CELL", work: "WORK,VOICE", home: "HOME,VOICE", other: "VOICE" };

/** Writes a card in version 3.0 (RFC 2426), which every address book reads. */
export function writeCard(contact: CardContact): string {
  const { firstName, lastName, email, notes, favorite, numbers } = contact;
  const details = detailNames.filter((detail) => contact[detail] !== "");
  const lines = [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `N:${escaped(lastName)};${escaped(firstName)};;;`,
    `FN:${escaped(`${firstName} ${lastName}`.trim())}`,
    ...details.map((detail) => `${contactDetails[detail].cardProperty}:${escaped(contact[detail])}`),
    ...numbers.map(({ text, type }) => `TEL;TYPE=${TYPES[type]}:${escaped(text)}`),
    ...(email === "" ? [] : [`EMAIL;TYPE=INTERNET:${escaped(email)}`]),
    ...(notes === "" ? [] : [`NOTE:${escaped(notes)}`]),
    ...(favorite ? ["CATEGORIES:starred"] : []),
    "END:VCARD",
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join("");
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replaceAll("\n", "\\n");
}

/** Folds a line between characters, so that no part exceeds 75 bytes of UTF-8. */
function folded(line: string): string {
  let result = "";
  let bytes = 0;
  for (const character of line) {
    const size = bytesOf(character);
    if (bytes + size > LINE_BYTES) {
      result += "\r\n ";
      bytes = 1;
    }
    result += character;
    bytes += size;
  }
  return result;
}

function bytesOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
