import { useQuery } from "@tanstack/react-query";
import { IconFileImport, IconTrash } from "@tabler/icons-react";
import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatCount } from "../../../text/format.ts";
import { loadTexts } from "../../../text/i18n.ts";
import { userQuery } from "../../../service/queries.ts";
import { Field } from "../../../ui/forms/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { toast } from "../../../ui/messages/toast.ts";
import { useNumberText } from "../number/use-dial-library.ts";
import { findContacts, type LocalContact, readLocalContacts, writeLocalContacts } from "./local-contacts.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as cardStyles from "../../../ui/card.module.css";
import * as styles from "./imported-contacts.module.css";
import * as sidePanelStyles from "../side-panel.module.css";
import * as rowsStyles from "../../../ui/rows.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";

/** Accepted files (specification §5); the contacts page accepts more kinds. */
const IMPORT_TYPES = ".vcf,.csv";
/** Maximum listed; search finds the rest. */
const SHOWN = 6;

export interface LocalBook {
  readonly contacts: readonly LocalContact[];
  readonly busy: boolean;
  add(file: File): Promise<void>;
  forget(): void;
}

/** `importContacts`, which few people need, loaded with its texts. */
async function importFile(file: File, present: readonly LocalContact[]): Promise<readonly LocalContact[] | null> {
  const [{ importContacts }] = await Promise.all([import("./import-contacts.ts"), loadTexts("dialer-parts")]);
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

interface ImportedContactsProps {
  readonly book: LocalBook;
  readonly onChoose: (contact: LocalContact) => void;
}

/** The imported contacts. A press enters the number and its name into the field. */
export function ImportedContacts({ book, onChoose }: ImportedContactsProps) {
  const { t } = useTranslation("dialer");
  const id = useId();
  const [search, setSearch] = useState("");
  const write = useNumberText();
  if (book.contacts.length === 0) return null;
  const found = findContacts(book.contacts, search, SHOWN);
  return (
    <section className={classNames(cardStyles.card, styles.imported)} aria-labelledby={id}>
      <div className={cardStyles.head}>
        <h2 className="t-sub" id={id}>
          {t("import.title", { total: formatCount(book.contacts.length) })}
        </h2>
        <Button size="sm" onClick={book.forget}>
          <Icon of={IconTrash} />
          <span>{t("import.forget")}</span>
        </Button>
      </div>
      {book.contacts.length > SHOWN && (
        <Field
          type="search"
          label={t("import.search")}
          labelHidden
          placeholder={t("import.search")}
          autoComplete="off"
          value={search}
          onValue={setSearch}
        />
      )}
      {found.length === 0 && <p className={classNames(sidePanelStyles.none, "muted")}>{t("import.noMatch")}</p>}
      <ul className={rowsStyles.rows}>
        {found.map((contact) => (
          <li key={contact.phone}>
            <button
              type="button"
              className={classNames(rowsStyles.crow, rowsStyles.button, styles.plain)}
              onClick={() => onChoose(contact)}
            >
              <span className={rowsStyles.name}>{contact.name}</span>
              <span className={classNames(rowsStyles.meta, "fig")}>
                {contact.phone.startsWith("+") ? write(contact.phone) : contact.phone}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p className={fieldStyles.hint}>{t("import.where")}</p>
    </section>
  );
}
