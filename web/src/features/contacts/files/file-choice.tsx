import { IconAddressBook, IconFileImport } from "@tabler/icons-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { hasPhoneBook } from "../phone-book.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "./file-choice.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";

interface FileChoiceProps {
  readonly file: File | null;
  /** @param dropped true for a dropped file, false for a picked one */
  readonly onChoose: (file: File | null, dropped: boolean) => void;
  readonly onPhoneBook: () => void;
}

/** A drop zone that also opens the file picker, and a button for the phone's address book where the browser has one. */
export function FileChoice({ file, onChoose, onPhoneBook }: FileChoiceProps) {
  const { t } = useTranslation("contacts");
  const id = useId();
  const [over, setOver] = useState(false);
  return (
    <>
      <div
        className={over ? classNames(styles.filedrop, styles.over) : styles.filedrop}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          onChoose(event.dataTransfer.files[0] ?? null, true);
        }}
      >
        <input
          id={id}
          className={styles.input}
          type="file"
          accept=".csv,.vcf,.txt,text/csv,text/vcard,text/x-vcard,text/plain"
          aria-describedby={file === null ? `${id}-hint` : undefined}
          onChange={(event) => {
            onChoose(event.target.files?.[0] ?? null, false);
            // Reset, so that choosing the same file again after editing it works.
            event.target.value = "";
          }}
        />
        <label htmlFor={id} className={styles.label}>
          <Icon of={IconFileImport} />
          <span>{file === null ? t("import.choose") : <bdi>{file.name}</bdi>}</span>
          {file !== null && <span className={styles.other}>{t("import.chooseOther")}</span>}
        </label>
        {file === null && (
          <p className={fieldStyles.hint} id={`${id}-hint`}>
            {t("import.formats")}
          </p>
        )}
      </div>
      {hasPhoneBook() && (
        <Button onClick={onPhoneBook}>
          <Icon of={IconAddressBook} />
          <span>{t("import.fromPhone")}</span>
        </Button>
      )}
    </>
  );
}
