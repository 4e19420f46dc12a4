import type { Contact, ExportFormat } from "@farline/contract/contacts.ts";
import {
  IconAddressBook,
  IconDots,
  IconFileExport,
  IconFileImport,
  IconPlus,
  IconSearch,
  IconStar,
  IconTable,
} from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { useTitle } from "../../browser/page-hooks.ts";
import { Icon } from "../../ui/icon.tsx";
import { Button } from "../../ui/button.tsx";
import { CallSheet } from "./call-sheet.tsx";
import { ContactFormDialog } from "./contact-form-dialog.tsx";
import { ContactList, rowBeside } from "./contact-list.tsx";
import { type ContactFilter, contactsQuery, deleteContact, exportAddress, guessedCountryQuery } from "./contacts-queries.ts";
import { ImportDialog } from "./import-dialog.tsx";
import { ReminderDialog } from "./reminder-dialog.tsx";
import { useDebounced } from "../../time/use-now.ts";
import { classNames } from "../../ui/class-names.ts";
import { messageOf, wasCancelled } from "../../service/http.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { useDisclosure } from "../../ui/use-disclosure.ts";
import { favoritesQuery } from "../../service/queries.ts";
import { dialerAddress } from "../../session/requested-call.ts";
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
  const navigate = useNavigate();
  const [shown, show] = useShown();
  const [opened, setOpened] = useState<Contact | null>(null);
  const [search, setSearch] = useState("");
  const [favorites, setFavorites] = useState(false);
  const filter: ContactFilter = { search: useDebounced(search.trim(), SEARCH_AFTER_MS), favorites };
  const list = useInfiniteQuery(contactsQuery(filter));
  const starred = useQuery(favoritesQuery);
  const { data: country = "" } = useQuery(guessedCountryQuery);
  const nobody = filter.search === "" && !favorites && list.data?.pages[0]?.total === 0;
  const close = () => show(null);
  const remove = useCallback((contact: Contact) => show({ what: "delete", contact }), [show]);
  const closeSheet = useCallback(() => setOpened(null), []);
  const openDialer = useCallback(
    (contact: Contact) => void navigate(dialerAddress(contact.phone_number + contact.extension, contact.full_name)),
    [navigate],
  );
  const known = [...(list.data?.pages.flatMap((page) => page.contacts) ?? []), ...(starred.data ?? [])];
  const contact = opened && (known.find(({ id }) => id === opened.id) ?? opened);
  return (
    <>
      <div className={styles.bar}>
        <h1 className="t-page">{t("title")}</h1>
        <Button size="sm" pair="action" onClick={() => show({ what: "form", contact: null, number: "" })}>
          <Icon of={IconPlus} />
          <span>{t("add")}</span>
        </Button>
        <FileMenu canExport={!nobody} onChoose={(what) => show({ what })} />
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
        <Button
          className={styles.fav}
          aria-label={t("favorites")}
          aria-pressed={favorites}
          onClick={() => setFavorites(!favorites)}
        >
          <Icon of={IconStar} />
          <span>{t("favorites")}</span>
        </Button>
      </div>
      <div className={styles.page}>
        <div className={styles.list}>
          <ContactList
            list={list}
            filter={filter}
            chosenId={contact?.id ?? null}
            onImport={() => show({ what: "import" })}
            onOpen={setOpened}
            onDialer={openDialer}
            onDelete={remove}
          />
        </div>
        {contact !== null && (
          <CallSheet
            contact={contact}
            covered={shown !== null}
            onClose={closeSheet}
            onEdit={() => show({ what: "form", contact, number: "" })}
            onDelete={() => remove(contact)}
            onRemind={() => show({ what: "remind", contact })}
          />
        )}
        {contact === null && !nobody && <p className={classNames(styles.choose, "muted")}>{t("keys")}</p>}
      </div>
      {shown?.what === "form" && (
        <ContactFormDialog
          contact={shown.contact}
          number={shown.number}
          country={country}
          onAdded={() => {
            // The list may show only others.
            setSearch("");
            setFavorites(false);
          }}
          onClose={close}
        />
      )}
      {shown?.what === "delete" && <DeleteContactDialog contact={shown.contact} onDeleted={closeSheet} onClose={close} />}
      {shown?.what === "remind" && <ReminderDialog contact={shown.contact} onClose={close} />}
      {shown?.what === "import" && <ImportDialog onClose={close} />}
      {shown?.what === "export" && <ExportDialog onClose={close} />}
    </>
  );
}

interface FileMenuProps {
  readonly canExport: boolean;
  readonly onChoose: (what: "import" | "export") => void;
}

/** Import and export behind one button. */
function FileMenu({ canExport, onChoose }: FileMenuProps) {
  const { t } = useTranslation("contacts");
  const { open, toggle, close, key, region } = useDisclosure();
  const id = useId();
  const choose = (what: "import" | "export") => (): void => {
    close();
    onChoose(what);
  };
  return (
    <div className={styles.files}>
      <Button ref={key} size="sm" iconOnly aria-expanded={open} aria-controls={id} aria-label={t("menu")} onClick={toggle}>
        <Icon of={IconDots} />
      </Button>
      {open && (
        <div className={styles.menu} id={id} ref={region} role="group" aria-label={t("menu")}>
          <Button wide onClick={choose("import")}>
            <Icon of={IconFileImport} />
            <span>{t("import.open")}</span>
          </Button>
          <Button wide disabled={!canExport} onClick={choose("export")}>
            <Icon of={IconFileExport} />
            <span>{t("export.open")}</span>
          </Button>
        </div>
      )}
    </div>
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

interface DeleteContactProps {
  readonly contact: Contact;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation before deletion. Cancel has the focus. */
function DeleteContactDialog({ contact, onDeleted, onClose }: DeleteContactProps) {
  const { t } = useTranslation(["contacts", "common"]);
  const beside = useRef<HTMLElement>(null);
  useEffect(() => () => beside.current?.focus(), []);
  const remove = useMutation({
    mutationFn: () => {
      beside.current = rowBeside(contact.id);
      return deleteContact(contact.id);
    },
    onSuccess: () => {
      toast.success(t("toast.deleted"));
      onDeleted();
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
        {(["table", "csv", "vcf"] as const).map((format) => (
          <Button key={format} busy={download.isPending && download.variables === format} onClick={() => download.mutate(format)}>
            <Icon of={format === "vcf" ? IconAddressBook : IconTable} />
            <span>{t(`export.${format}`)}</span>
          </Button>
        ))}
      </div>
    </Dialog>
  );
}

async function downloadContacts(format: ExportFormat): Promise<void> {
  downloadFrom(await exportAddress(format));
}
