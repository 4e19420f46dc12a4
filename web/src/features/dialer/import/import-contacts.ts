import type { FileContact, FileNumber, FileProblem } from "@farline/domain/contacts/contact-file.ts";
import type { FileNumberReading } from "@farline/domain/contacts/stated-country.ts";
import { loadPart } from "../../../session/load-part.ts";
import { i18n } from "../../../text/i18n.ts";
import { toast } from "../../../ui/messages/toast.ts";
import { type LocalContact, mergeContacts } from "./local-contacts.ts";
import { pause } from "../../../time/timers.ts";

/** Interval at which parsing yields to the main thread. */
const SLICE_MS = 12;

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
