import { IconAddressBook } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../ui/button.tsx";
import { FileDrop } from "../../../ui/forms/file-drop.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { hasPhoneBook } from "../phone-book.ts";

interface FileChoiceProps {
  readonly file: File | null;
  /** @param dropped true for a dropped file, false for a picked one */
  readonly onChoose: (file: File | null, dropped: boolean) => void;
  readonly onPhoneBook: () => void;
}

/** A drop zone for contact files, and a button for the phone's address book where the browser has one. */
export function FileChoice({ file, onChoose, onPhoneBook }: FileChoiceProps) {
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
