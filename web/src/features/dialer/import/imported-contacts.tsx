import { isFoundBy, searchKey, searchWords } from "@farline/domain/contacts/fold-text.ts";
import { searchedDigits } from "@farline/domain/numbers/searched-digits.ts";
import { IconTrash } from "@tabler/icons-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatCount } from "../../../text/format.ts";
import { Field } from "../../../ui/forms/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/button.tsx";
import { useNumberText } from "../call-intent.ts";
import type { LocalContact } from "./import-contacts.ts";
import type { LocalBook } from "./local-book.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as cardStyles from "../../../ui/card.module.css";
import * as styles from "../dialer-parts.module.css";
import * as rowsStyles from "../../../ui/rows.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";

/** Maximum listed; search finds the rest. */
const SHOWN = 6;

interface ImportedContactsProps {
  readonly book: LocalBook;
  readonly onChoose: (contact: LocalContact) => void;
}

/** The imported contacts. A press enters the number and its name into the field. */
export default function ImportedContacts({ book, onChoose }: ImportedContactsProps) {
  const { t } = useTranslation("dialer-parts");
  const id = useId();
  const [search, setSearch] = useState("");
  const write = useNumberText();
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
      {found.length === 0 && <p className="muted">{t("import.noMatch")}</p>}
      <ul className={rowsStyles.rows}>
        {found.map((contact) => (
          <li key={contact.phone}>
            <button
              type="button"
              className={classNames(rowsStyles.crow, rowsStyles.button, styles.plain)}
              onClick={() => onChoose(contact)}
            >
              <bdi className={rowsStyles.name}>{contact.name}</bdi>
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

/** The first `most` contacts whose name or number contains the search. Formatting of numbers does not matter. */
export function findContacts(contacts: readonly LocalContact[], search: string, max: number): readonly LocalContact[] {
  const words = searchWords(search);
  const digits = searchedDigits(search);
  const found: LocalContact[] = [];
  for (const contact of contacts) {
    if (found.length === max) break;
    if (isFoundBy(searchKey(contact.name), words) || (digits !== null && contact.phone.includes(digits))) found.push(contact);
  }
  return found;
}
