import { contactFileLimits, type FileChoices, isContactFileName, NO_CHOICES } from "@farline/domain/contacts/contact-file.ts";
import type { ImportResponse } from "@farline/contract/contacts.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconAddressBook } from "@tabler/icons-react";
import { mapDetails } from "@farline/domain/contacts/contact-details.ts";
import { splitName } from "@farline/domain/contacts/contact-texts.ts";
import { writeCard } from "@farline/domain/contacts/cards/write-card.ts";
import { formatCount } from "../../text/format.ts";
import { messageOf } from "../../service/http.ts";
import { Banner } from "../../ui/messages/banner.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Button, Spinner } from "../../ui/button.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { importContacts, previewImport } from "./contacts-queries.ts";
import { CountrySelect } from "./country-select.tsx";
import { FileSettings, ImportPreview } from "./import-plan.tsx";
import { FileDrop } from "../../ui/forms/file-drop.tsx";
import { Icon } from "../../ui/icon.tsx";
import * as styles from "./contacts-page.module.css";

/** Imports a file, after a preview of what happens to each row. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(["contacts", "common"]);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const file = chosen?.file ?? null;
  const turns = useRef(0);
  const [country, setCountry] = useState("");
  const [choices, setChoices] = useState(NO_CHOICES);
  const [problem, setProblem] = useState<string | null>(null);
  const preview = useImportPreview(chosen, country, choices);
  const run = useMutation({
    mutationFn: importContacts,
    onSuccess: (done) => {
      toast.success(importedText(t, done));
      onClose();
    },
  });

  function choose(next: File | null, dropped: boolean): void {
    if (next === null) return;
    const wrong = fileProblem(next, dropped);
    setProblem(wrong);
    setChoices(NO_CHOICES);
    setChosen(wrong === null ? { file: next, turn: ++turns.current } : null);
    run.reset();
  }
  async function chooseFromPhone(): Promise<void> {
    try {
      choose(await pickFromPhoneBook(), false);
    } catch {
      setProblem(t("import.phoneClosed"));
    }
  }
  function fileProblem({ name, size }: File, dropped: boolean): string | null {
    if (!isContactFileName(name)) return dropped ? t("import.dropWrong") : t("import.selectWrong");
    return size > contactFileLimits.bytesWithPictures ? problemText(t, { kind: "too_large", row: null }) : null;
  }
  const error = problem ?? (run.isError ? messageOf(run.error, t("failure.import")) : null);
  const refusal = preview.isError ? messageOf(preview.error, t("failure.import")) : problemText(t, preview.data?.problem ?? null);
  const response = file === null || preview.isError ? undefined : preview.data;
  const plan = response?.problem === null ? response : undefined;
  // Without a number column, only choosing one helps.
  const readable = plan !== undefined || response?.problem?.kind === "no_phone_column" ? (response?.file ?? null) : null;
  const nothing = plan !== undefined && plan.imported === 0;
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("import.title")}
      foot={
        <>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button
            pair="action"
            busy={run.isPending}
            disabled={nothing || (file !== null && plan === undefined)}
            onClick={() => (file === null ? setProblem(t("import.noFile")) : run.mutate({ file, country, choices }))}
          >
            {run.isPending ? t("import.importing") : importLabel(t, plan)}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <FileChoice file={file} onChoose={choose} onPhoneBook={() => void chooseFromPhone()} />
        {error !== null && <Banner kind="error">{error}</Banner>}
        {refusal !== null && error === null && <Banner kind="error">{refusal}</Banner>}
        {file !== null && preview.isPending && (
          <p className="row" role="status">
            <Spinner />
            <span>{t("import.reading")}</span>
          </p>
        )}
        {plan !== undefined && (
          <>
            {(country !== "" || (plan.skipped_by_reason.country_required ?? 0) > 0) && (
              <CountrySelect value={country} onChange={(event) => setCountry(event.target.value)} />
            )}
            <ImportPreview plan={plan} />
          </>
        )}
        {readable !== null && (
          <FileSettings file={readable} choices={choices} onChange={setChoices} isOpen={plan === undefined} />
        )}
      </div>
    </Dialog>
  );
}

/** The chosen file, with a number that distinguishes files of the same name. */
interface Chosen {
  readonly file: File;
  readonly turn: number;
}

function useImportPreview(chosen: Chosen | null, country: string, choices: FileChoices) {
  return useQuery({
    queryKey: ["contact-import-preview", chosen?.turn, country, choices],
    queryFn: ({ signal }) => previewImport({ file: (chosen as Chosen).file, country, choices }, signal),
    enabled: chosen !== null,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // Keep the previous preview while another country, column or charset loads.
    placeholderData: (before, query) => (query?.queryKey[1] === chosen?.turn ? before : undefined),
  });
}

type Translate = ReturnType<typeof useTranslation<["contacts", "common"]>>["t"];

function problemText(t: Translate, problem: ImportResponse["problem"]): string | null {
  if (problem === null) return null;
  const { rows, columns, bytes, bytesWithPictures } = contactFileLimits;
  const facts = {
    row: formatCount(problem.row ?? 0),
    rows: formatCount(rows),
    columns: formatCount(columns),
    megabytes: bytes / 1024 / 1024,
    withPictures: bytesWithPictures / 1024 / 1024,
  };
  return t(`problem.${problem.kind}`, facts);
}

function importLabel(t: Translate, plan: ImportResponse | undefined): string {
  if (plan === undefined || plan.imported === 0) return t("import.open");
  return t("import.run", { count: plan.imported, formatted: formatCount(plan.imported) });
}

function importedText(t: Translate, { imported, skipped, file }: ImportResponse): string {
  const source = file?.format === "cards" ? "vCard" : "CSV";
  const figures = { count: imported, formatted: formatCount(imported), skipped: formatCount(skipped) };
  return t("toast.imported", { ...figures, source });
}

interface FileChoiceProps {
  readonly file: File | null;
  /** @param dropped true for a dropped file, false for a picked one */
  readonly onChoose: (file: File | null, dropped: boolean) => void;
  readonly onPhoneBook: () => void;
}

/** A drop zone for contact files, and a button for the phone's address book where the browser has one. */
function FileChoice({ file, onChoose, onPhoneBook }: FileChoiceProps) {
  const { t } = useTranslation("contacts");
  return (
    <>
      <FileDrop
        file={file}
        accept=".csv,.vcf,.txt,text/csv,text/vcard,text/x-vcard,text/plain"
        texts={{ choose: t("import.choose"), chooseOther: t("import.chooseOther"), hint: t("import.formats") }}
        onChoose={onChoose}
      />
      {hasPhoneBook() && (
        <Button onClick={onPhoneBook}>
          <Icon of={IconAddressBook} />
          <span>{t("import.fromPhone")}</span>
        </Button>
      )}
    </>
  );
}

/** Contact Picker API (WICG Contact Picker, 2024); Chrome on Android has it. */
interface ContactPicker {
  select(properties: readonly ("name" | "tel" | "email")[], options: { multiple: boolean }): Promise<PickedPerson[]>;
}

/** Lists are missing or empty where the address book has no value. */
interface PickedPerson {
  readonly name?: readonly string[];
  readonly tel?: readonly string[];
  readonly email?: readonly string[];
}

function picker(): ContactPicker | undefined {
  return (navigator as { contacts?: ContactPicker }).contacts;
}

/** Whether this browser can show the phone's own address book. */
function hasPhoneBook(): boolean {
  return picker() !== undefined;
}

/**
 * Opens the phone's address book. Returns the chosen people as a vCard file, which is imported like any other.
 * @returns null if no contact was chosen
 * @throws DOMException when the browser does not open the address book
 */
async function pickFromPhoneBook(): Promise<File | null> {
  const people = (await picker()?.select(["name", "tel", "email"], { multiple: true })) ?? [];
  if (people.length === 0) return null;
  return new File(people.map(cardOf), "contacts.vcf", { type: "text/vcard" });
}

function cardOf({ name = [], tel = [], email = [] }: PickedPerson): string {
  return writeCard({
    ...splitName(name[0] ?? ""),
    ...mapDetails(() => ""),
    email: email[0] ?? "",
    notes: "",
    favorite: false,
    numbers: tel.map((text) => ({ text, type: "mobile" })),
  });
}
