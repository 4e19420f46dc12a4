import { useQuery } from "@tanstack/react-query";
import { IconFileImport } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { readOwn, writeOwn } from "../../../browser/own-storage.ts";
import { withTexts } from "../../../text/i18n.ts";
import { loadPart } from "../../../session/load-part.ts";
import { userQuery } from "../../../service/queries.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import type { LocalContact } from "./import-contacts.ts";

/** Accepted files (specification §5); the contacts page accepts more kinds. */
const IMPORT_TYPES = ".vcf,.csv";
const STORE = "contacts";

export interface LocalBook {
  readonly contacts: readonly LocalContact[];
  readonly busy: boolean;
  add(file: File): Promise<void>;
  forget(): void;
}

/** `importContacts`, which few people need, loaded with its texts. */
async function importFile(file: File, present: readonly LocalContact[]): Promise<readonly LocalContact[] | null> {
  const { importContacts } = await loadPart(() => withTexts(import("./import-contacts.ts"), "dialer-parts"));
  return importContacts(file, present);
}

/** The contacts that this customer imported into this browser. */
export function useLocalBook(): LocalBook {
  const { t } = useTranslation("dialer");
  const { data: user } = useQuery(userQuery);
  const customerId = user?.id ?? null;
  const [book, setBook] = useState<{ of: string | null; contacts: readonly LocalContact[] }>({ of: null, contacts: [] });
  const [busy, setBusy] = useState(false);
  if (book.of !== customerId) setBook({ of: customerId, contacts: customerId === null ? [] : readLocalContacts(customerId) });
  const keep = (contacts: readonly LocalContact[]): void => {
    if (customerId !== null) writeLocalContacts(customerId, contacts);
    setBook({ of: customerId, contacts });
  };
  return {
    contacts: book.contacts,
    busy,
    async add(file) {
      setBusy(true);
      const contacts = await importFile(file, book.contacts).catch(() => {
        toast.error(t("import.unreadable"));
        return null;
      });
      if (contacts !== null) keep(contacts);
      setBusy(false);
    },
    forget: () => keep([]),
  };
}

/** Opens the file picker for a file of contacts. */
export function ImportButton({ book }: { readonly book: LocalBook }) {
  const { t } = useTranslation("dialer");
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button size="sm" busy={book.busy} onClick={() => chooser.current?.click()}>
        {!book.busy && <Icon of={IconFileImport} />}
        <span>{t("import.key")}</span>
      </Button>
      <input
        ref={chooser}
        type="file"
        className="sr-only"
        tabIndex={-1}
        aria-hidden="true"
        data-testid="import-file"
        accept={IMPORT_TYPES}
        onChange={(event) => {
          const file = event.target.files?.[0];
          // Reset, so that choosing the same file again works.
          event.target.value = "";
          if (file !== undefined) void book.add(file);
        }}
      />
    </>
  );
}

function readLocalContacts(customerId: string): readonly LocalContact[] {
  try {
    const kept: unknown = JSON.parse(readOwn(customerId, STORE) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isContact) : [];
  } catch {
    return []; // Malformed or truncated: treat as empty.
  }
}

/** Stores the contacts; an empty list removes the entry. */
function writeLocalContacts(customerId: string, contacts: readonly LocalContact[]): void {
  writeOwn(customerId, STORE, contacts.length === 0 ? null : JSON.stringify(contacts));
}

function isContact(value: unknown): value is LocalContact {
  return typeof value === "object" && value !== null && "name" in value && "phone" in value;
}
