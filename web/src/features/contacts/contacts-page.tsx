import type { Contact, ExportFormat } from "@farline/contract/contacts.ts";
import {
  IconAddressBook,
  IconFileExport,
  IconFileImport,
  IconPlus,
  IconSearch,
  IconStar,
  IconStarFilled,
  IconTable,
} from "@tabler/icons-react";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { useTitle } from "../../browser/page-hooks.ts";
import { Icon } from "../../ui/icon.tsx";
import { Button } from "../../ui/button.tsx";
import { ContactFormDialog } from "./contact-form-dialog.tsx";
import { ContactList } from "./contact-list.tsx";
import { type ContactFilter, contactsQuery, deleteContact, exportAddress } from "./contacts-queries.ts";
import { ImportDialog } from "./import-dialog.tsx";
import { ReminderDialog } from "./reminder-dialog.tsx";
import { useDebounced } from "../../time/use-now.ts";
import { classNames } from "../../ui/class-names.ts";
import { messageOf, wasCancelled } from "../../service/http.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { downloadFrom } from "../../browser/save-file.ts";
import * as styles from "./contacts-page.module.css";
import * as fieldStyles from "../../ui/forms/field.module.css";

/** Debounce delay: one search per typed word, without a noticeable wait. */
const SEARCH_AFTER_MS = 120;
const MAX_SEARCH_CHARACTERS = 100;

/** The open dialog. */
type Shown =
  | { readonly what: "form"; readonly contact: Contact | null; readonly number: string }
  | { readonly what: "delete" | "remind"; readonly contact: Contact }
  | { readonly what: "import" | "export" }
  | null;

export function ContactsPage() {
  const { t } = useTranslation("contacts");
  useTitle(t("title"));
  const [shown, show] = useShown();
  const [search, setSearch] = useState("");
  const [favorites, setFavorites] = useState(false);
  const filter: ContactFilter = { search: useDebounced(search.trim(), SEARCH_AFTER_MS), favorites };
  const list = useInfiniteQuery(contactsQuery(filter));
  const nobody = filter.search === "" && !favorites && list.data?.pages[0]?.total === 0;
  const close = () => show(null);
  const edit = useCallback((contact: Contact) => show({ what: "form", contact, number: "" }), [show]);
  const remind = useCallback((contact: Contact) => show({ what: "remind", contact }), [show]);
  const remove = useCallback((contact: Contact) => show({ what: "delete", contact }), [show]);
  return (
    <>
      <div className={styles.bar}>
        <h1 className="t-page">{t("title")}</h1>
        <Button size="sm" className={styles.imp} onClick={() => show({ what: "import" })}>
          <Icon of={IconFileImport} />
          <span>{t("import.open")}</span>
        </Button>
        <Button size="sm" className={styles.exp} disabled={nobody} onClick={() => show({ what: "export" })}>
          <Icon of={IconFileExport} />
          <span>{t("export.open")}</span>
        </Button>
        <Button size="sm" pair="action" className={styles.add} onClick={() => show({ what: "form", contact: null, number: "" })}>
          <Icon of={IconPlus} />
          <span>{t("add")}</span>
        </Button>
        <div className={classNames(fieldStyles.adorn, styles.search)}>
          <Icon of={IconSearch} />
          <input
            className={fieldStyles.input}
            type="search"
            aria-label={t("search")}
            placeholder={t("search")}
            autoComplete="off"
            spellCheck={false}
            maxLength={MAX_SEARCH_CHARACTERS}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
        <Button size="sm" className={styles.fav} aria-pressed={favorites} onClick={() => setFavorites(!favorites)}>
          <Icon of={favorites ? IconStarFilled : IconStar} />
          <span>{t("favorites")}</span>
        </Button>
      </div>
      <ContactList
        list={list}
        filter={filter}
        onAdd={() => show({ what: "form", contact: null, number: "" })}
        onImport={() => show({ what: "import" })}
        onEdit={edit}
        onDelete={remove}
        onRemind={remind}
      />
      {shown?.what === "form" && <ContactFormDialog contact={shown.contact} number={shown.number} onClose={close} />}
      {shown?.what === "delete" && <DeleteContactDialog contact={shown.contact} onClose={close} />}
      {shown?.what === "remind" && <ReminderDialog contact={shown.contact} onClose={close} />}
      {shown?.what === "import" && <ImportDialog onClose={close} />}
      {shown?.what === "export" && <ExportDialog onClose={close} />}
    </>
  );
}

/** `/contacts?add=NUMBER` opens the form with that number; closing it removes the parameter. */
function useShown(): [Shown, (next: Shown) => void] {
  const [params, setParams] = useSearchParams();
  const number = params.get("add");
  const [shown, setShown] = useState<Shown>(number === null ? null : { what: "form", contact: null, number });
  const show = useCallback(
    (next: Shown) => {
      setShown(next);
      if (number !== null) setParams({}, { replace: true });
    },
    [number, setParams],
  );
  return [shown, show];
}

/** Asks for confirmation before deletion. Cancel has the focus. */
function DeleteContactDialog({ contact, onClose }: { readonly contact: Contact; readonly onClose: () => void }) {
  const { t } = useTranslation(["contacts", "common"]);
  const remove = useMutation({
    mutationFn: () => deleteContact(contact.id),
    onSuccess: () => {
      toast.success(t("toast.deleted"));
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={contact.full_name}
      foot={
        <>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button pair="end" busy={remove.isPending} onClick={() => remove.mutate()}>
            {t("delete")}
          </Button>
        </>
      }
    >
      <p className="muted">{t("deleteQuestion")}</p>
      {remove.isError && <Banner kind="error">{messageOf(remove.error, t("failure.delete"))}</Banner>}
    </Dialog>
  );
}

/** Downloads all contacts as CSV or vCard. */
function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(["contacts", "common"]);
  const download = useMutation({ mutationFn: downloadContacts, onSuccess: onClose });
  return (
    <Dialog open onClose={onClose} title={t("export.title")} foot={<Button onClick={onClose}>{t("common:cancel")}</Button>}>
      <p className="muted">{t("export.text")}</p>
      {download.isError && !wasCancelled(download.error) && (
        <Banner kind="error">{messageOf(download.error, t("failure.export"))}</Banner>
      )}
      <div className={styles.formats}>
        <Button busy={download.isPending && download.variables === "table"} onClick={() => download.mutate("table")}>
          <Icon of={IconTable} />
          <span>{t("export.table")}</span>
        </Button>
        <Button busy={download.isPending && download.variables === "csv"} onClick={() => download.mutate("csv")}>
          <Icon of={IconTable} />
          <span>{t("export.csv")}</span>
        </Button>
        <Button busy={download.isPending && download.variables === "vcf"} onClick={() => download.mutate("vcf")}>
          <Icon of={IconAddressBook} />
          <span>{t("export.vcf")}</span>
        </Button>
      </div>
    </Dialog>
  );
}

async function downloadContacts(format: ExportFormat): Promise<void> {
  downloadFrom(await exportAddress(format));
}
