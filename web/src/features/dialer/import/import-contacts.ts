import type { FileProblem } from "@farline/domain/contacts/contact-file.ts";
import { i18n } from "../../../text/i18n.ts";
import { toast } from "../../../ui/toast.ts";
import { type LocalContact, mergeContacts } from "./local-contacts.ts";

/** Accepted files (specification §5); the contacts page accepts more kinds. */
export const IMPORT_TYPES = ".vcf,.csv";
/** Interval at which parsing yields to the main thread. */
const SLICE_MS = 12;

/**
 * Imports a file of contacts into this browser and reports how many were added, in the words of the specification.
 * @returns all contacts after the import; null when the file had none
 */
export async function importContacts(file: File, present: readonly LocalContact[]): Promise<readonly LocalContact[] | null> {
  if (!/\.(vcf|csv)$/i.test(file.name)) {
    toast.error(i18n.t("dialer:import.wrongType"));
    return null;
  }
  try {
    const outcome = await readPhones(file);
    if (!Array.isArray(outcome)) {
      failed(problemText(outcome));
      return null;
    }
    const { contacts, added } = mergeContacts(present, outcome);
    if (outcome.length === 0) toast.warning(i18n.t("dialer:import.none"));
    else toast.success(i18n.t("dialer:import.done", { imported: added }));
    return outcome.length === 0 ? null : contacts;
  } catch {
    // The file disappeared while it was read, or the parser could not be loaded.
    failed(i18n.t("dialer:import.unreadable"));
    return null;
  }
}

type Phone = { name: string; phone: string };

/** Everyone with a number: full name and first number. Or why the file cannot be read. */
async function readPhones(file: File): Promise<Phone[] | FileProblem> {
  const [{ readContactFile }, { contactFileLimits }] = await Promise.all([
    import("@farline/domain/contacts/parse-contact-file.ts"),
    import("@farline/domain/contacts/contact-limits.ts"),
  ]);
  if (file.size > contactFileLimits.bytes) return { kind: "too_large", row: null };
  const reading = readContactFile(new Uint8Array(await file.arrayBuffer()), file.name);
  const phones: Phone[] = [];
  let pausedAtMs = performance.now();
  for (let next = reading.next(); ; next = reading.next()) {
    if (next.done === true) return next.value ?? phones;
    const { firstName, lastName, company, numbers } = next.value;
    const name = `${firstName} ${lastName}`.trim();
    if (numbers[0] !== undefined) phones.push({ name: name === "" ? company : name, phone: numbers[0].text });
    if (performance.now() - pausedAtMs < SLICE_MS) continue;
    await new Promise((resume) => setTimeout(resume));
    pausedAtMs = performance.now();
  }
}

function problemText({ kind, row }: FileProblem): string {
  const reason = i18n.t(`dialer:import.problem.${kind}`);
  return row === null ? reason : i18n.t("dialer:import.inRow", { row, reason });
}

function failed(reason: string): void {
  toast.error(i18n.t("dialer:import.failed", { reason }));
}
