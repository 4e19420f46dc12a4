import type { ImportResponse } from "@farline/contract/contacts.ts";
import { charsetLabels, type CharsetLabel } from "@farline/domain/contacts/charset/charset-labels.ts";
import { columnRoles, type ColumnRole, type FileChoices } from "@farline/domain/contacts/contact-file.ts";
import { useTranslation } from "react-i18next";
import { formatCount } from "../../../text/format.ts";
import { SelectField } from "../../../ui/forms/form-fields.tsx";
import * as styles from "./file-settings.module.css";

interface FileSettingsProps {
  readonly file: NonNullable<ImportResponse["file"]>;
  readonly choices: FileChoices;
  readonly onChange: (choices: FileChoices) => void;
  /** Whether the file cannot be read without a choice. */
  readonly isOpen: boolean;
}

/** How a file was understood: its character set, and what each column holds. Both can be corrected. */
export function FileSettings({ file, choices, onChange, isOpen }: FileSettingsProps) {
  const { t } = useTranslation("contacts");
  return (
    <details className={styles.ctfile} open={isOpen}>
      <summary>{t("import.settings")}</summary>
      <SelectField
        label={t("import.charset")}
        hint={file.is_mixed ? t("import.charsetMixed") : t("import.charsetHint")}
        value={file.charset}
        onChange={(event) => onChange({ ...choices, charset: event.target.value as CharsetLabel })}
      >
        {charsetLabels.map((label) => (
          <option key={label} value={label}>
            {label.toUpperCase()}
          </option>
        ))}
      </SelectField>
      {file.columns.length > 0 && (
        <fieldset>
          <legend className="t-sub">{t("import.columns")}</legend>
          <ColumnRoles columns={file.columns} onChange={(columns) => onChange({ ...choices, columns })} />
        </fieldset>
      )}
    </details>
  );
}

interface ColumnRolesProps {
  readonly columns: FileSettingsProps["file"]["columns"];
  readonly onChange: (roles: ColumnRole[]) => void;
}

function ColumnRoles({ columns, onChange }: ColumnRolesProps) {
  const { t } = useTranslation("contacts");
  const roles = columns.map(({ role }) => role);
  return columns.map(({ head, samples, role }, index) => {
    // Address books export dozens of empty columns.
    if (samples.length === 0 && role === "ignore") return null;
    return (
      <SelectField
        // oxlint-disable-next-line react/no-array-index-key -- a column is its place
        key={index}
        label={head === "" ? t("import.column", { position: formatCount(index + 1) }) : head}
        hint={samples.join(" · ")}
        value={role}
        onChange={(event) => onChange(roles.with(index, event.target.value as ColumnRole))}
      >
        {columnRoles.map((one) => (
          <option key={one} value={one}>
            {t(`role.${one}`)}
          </option>
        ))}
      </SelectField>
    );
  });
}
