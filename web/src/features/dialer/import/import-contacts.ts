import { plainDigits } from "@farline/domain/ascii-digits.ts";
import type { FileContact, FileNumber, FileProblem } from "@farline/domain/contacts/contact-file.ts";
import type { FileNumberReading } from "@farline/domain/contacts/stated-country.ts";
import { loadPart } from "../../../session/load-part.ts";
import { i18n } from "../../../text/i18n.ts";
import { toast } from "../../../ui/messages/toast.ts";
import { pause } from "../../../time/timers.ts";

/** Interval at which parsing yields to the main thread. */
const SLICE_MS = 12;
/** More than any address book holds; browsers store 5 MB. */
const MAX_CONTACTS = 5000;

/** A contact imported into this browser. It is stored here only and never sent anywhere. */
export interface LocalContact {
  name: string;
  /** Digits, with or without a leading plus. */
  phone: string;
}

/**
 * Imports a file of contacts into this browser and reports how many were added, in the words of the specification.
 * @returns all contacts after the import; null when the file had none
 */
export async function importContacts(file: File, present: readonly LocalContact[]): Promise<readonly LocalContact[] | null> {
  if (!/\.(vcf|csv)$/i.test(file.name)) {
    toast.error(i18n.t("dialer-parts:import.wrongType"));
    return null;
  }
  try {
    const outcome = await readPhones(file);
    if ("kind" in outcome) {
      failed(problemText(outcome));
      return null;
    }
    const { phones, leftOut } = outcome;
    const { contacts, added } = mergeContacts(present, phones);
    if (phones.length === 0) toast.warning(i18n.t("dialer-parts:import.none"));
    else toast.success(i18n.t("dialer-parts:import.done", { imported: added }));
    if (leftOut > 0) toast.warning(i18n.t("dialer-parts:import.leftOut", { total: leftOut }));
    return phones.length === 0 ? null : contacts;
  } catch {
    // The file disappeared while it was read, or the parser could not be loaded.
    failed(i18n.t("dialer:import.unreadable"));
    return null;
  }
}

type Phone = { name: string; phone: string };
interface Found {
  readonly phones: readonly Phone[];
  /** Contacts without a callable number. */
  readonly leftOut: number;
}

/** Contacts with a callable number: full name and first such number. Or why the file cannot be read. */
async function readPhones(file: File): Promise<Found | FileProblem> {
  const [{ readContactFile }, { contactFileLimits, NO_CHOICES }, { readFileNumber }] = await loadPart(() =>
    Promise.all([
      import("@farline/domain/contacts/parse-contact-file.ts"),
      import("@farline/domain/contacts/contact-file.ts"),
      import("@farline/domain/contacts/stated-country.ts"),
    ]),
  );
  if (file.size > contactFileLimits.bytesWithPictures) return { kind: "too_large", row: null };
  const phones: Phone[] = [];
  let leftOut = 0;
  const take = ({ firstName, lastName, numbers, damage }: FileContact) => {
    const safe = damage === null ? numbers : [];
    const phone = safe.map((number) => usable(number, readFileNumber(number, null))).find((found) => found !== null);
    if (phone === undefined) leftOut += 1;
    else phones.push({ name: `${firstName} ${lastName}`.trim(), phone });
  };
  const bytes = new Uint8Array(await file.arrayBuffer());
  const { problem } = await readContactFile(bytes, NO_CHOICES, { sliceMs: SLICE_MS, pause: () => pause(0), take });
  return problem ?? { phones, leftOut };
}

/** In E.164, or as written if it needs a country first and its row names none; null if it cannot be called. */
function usable({ text: written, stated }: FileNumber, number: FileNumberReading): string | null {
  if (number.ok) return number.valid ? number.e164 : null;
  return number.problem === "country_required" && stated === null ? written : null;
}

function problemText({ kind, row }: FileProblem): string {
  const reason = i18n.t(`dialer-parts:import.problem.${kind}`);
  return row === null ? reason : i18n.t("dialer-parts:import.inRow", { row, reason });
}

function failed(reason: string): void {
  toast.error(i18n.t("dialer-parts:import.failed", { reason }));
}

/**
 * Adds contacts of a file. Known and repeated numbers, and contacts without a number, are skipped (specification §5).
 * @returns the merged list, sorted by name, and how many were added
 */
export function mergeContacts(
  present: readonly LocalContact[],
  found: readonly { name: string; phone: string }[],
): { contacts: readonly LocalContact[]; added: number } {
  const numbers = new Set(present.map((contact) => contact.phone));
  const added: LocalContact[] = [];
  for (const { name, phone: written } of found) {
    const phone = strippedNumber(written);
    if (phone === "" || numbers.has(phone) || present.length + added.length >= MAX_CONTACTS) continue;
    numbers.add(phone);
    added.push({ name: name.trim() === "" ? phone : name.trim(), phone });
  }
  const contacts = [...present, ...added].toSorted((a, b) => a.name.localeCompare(b.name));
  return { contacts, added: added.length };
}

/** Digits and a leading plus. A pause or the word "ext" ends the number. */
function strippedNumber(written: string): string {
  const number = written.replace(/(?:[,;]|ext|x).*$/isu, "");
  const digits = plainDigits(number).replace(/\D/g, "");
  return digits === "" ? "" : (/^\D*\+/.test(number) ? "+" : "") + digits;
}
