import type { ChangedRow, ImportResponse, SkippedRow } from "@farline/contract/contacts.ts";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { type CharsetLabel, charsetLabels } from "@farline/domain/contacts/charset/charset-labels.ts";
import { type ColumnRole, columnRoles, type FileChoices } from "@farline/domain/contacts/contact-file.ts";
import { formatCount } from "../../text/format.ts";
import { usePhoneText } from "../../text/phone-text.ts";
import { Flag } from "../../ui/flag.tsx";
import { classNames } from "../../ui/class-names.ts";
import { SelectField } from "../../ui/forms/form-fields.tsx";
import * as styles from "./contacts-page.module.css";

/** Preview of an import: the imported contacts, and the skipped rows with reasons. */
export function ImportPreview({ plan }: { readonly plan: ImportResponse }) {
  const { t } = useTranslation("contacts");
  const write = usePhoneText();
  const { imported, merged, skipped, changed } = plan;
  const coming = [
    t("import.coming", { count: imported, formatted: formatCount(imported) }),
    ...(merged > 0 ? [t("import.merged", { count: merged, formatted: formatCount(merged) })] : []),
    ...(skipped > 0 ? [t("import.skipped", { count: skipped, formatted: formatCount(skipped) })] : []),
  ].join(" ");
  return (
    <div className={styles.plan}>
      <p className={styles.sum} role="status">
        {coming}
      </p>
      <ColumnsRead columns={plan.file?.columns ?? []} />
      {imported > 0 && (
        <Rows title={t("import.comingTitle")} more={imported - plan.imported_rows.length}>
          {plan.imported_rows.map(({ row, name, phone_numbers, country_code, merged: isMerged }) => (
            <li key={row}>
              <span className={styles.row}>{t("import.row", { row: formatCount(row) })}</span>
              <span className={styles.rowWho}>
                <bdi>{name}</bdi>
                <span className={classNames(styles.rowNumber, "fig")}>
                  <Flag code={country_code} size="sm" />
                  <span>{phone_numbers.map(write).join(", ")}</span>
                </span>
                {isMerged && <span className={styles.why}>{t("import.merges")}</span>}
              </span>
            </li>
          ))}
        </Rows>
      )}
      {skipped > 0 && (
        <Rows title={t("import.skippedTitle")} more={skipped - plan.skipped_rows.length}>
          {plan.skipped_rows.map((row, index) => (
            <Skipped key={index} row={row} />
          ))}
        </Rows>
      )}
      {changed > 0 && (
        <Rows title={t("import.changedTitle")} more={changed - plan.changed_rows.length}>
          {plan.changed_rows.map((row) => (
            <Changed key={row.row} row={row} />
          ))}
        </Rows>
      )}
    </div>
  );
}

/** Says how a table's columns were understood, and which were left out, before anything is stored. */
function ColumnsRead({ columns }: { readonly columns: NonNullable<ImportResponse["file"]>["columns"] }) {
  const { t } = useTranslation("contacts");
  const named = columns.map(({ head, role, samples }, index) => {
    const name = head === "" ? t("import.column", { position: formatCount(index + 1) }) : head;
    return {
      text: role === "ignore" ? name : `${name} (${t(`role.${role}`)})`,
      isRead: role !== "ignore",
      isFilled: samples.length > 0,
    };
  });
  const [read, leftOut] = [true, false].map((isRead) => named.filter((one) => one.isRead === isRead && one.isFilled));
  const list = (texts: typeof named = []) => texts.map(({ text }) => text).join(", ");
  return (
    <>
      {list(read) !== "" && <p className="muted small">{t("import.columnsRead", { columns: list(read) })}</p>}
      {list(leftOut) !== "" && <p className="muted small">{t("import.columnsLeftOut", { columns: list(leftOut) })}</p>}
    </>
  );
}

interface RowsProps {
  readonly title: string;
  /** Number of rows that the service did not list. */
  readonly more: number;
  readonly children: ReactNode;
}

function Rows({ title, more, children }: RowsProps) {
  const { t } = useTranslation("contacts");
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="t-sub">
        {title}
      </h3>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scroll container must be reachable by keyboard */}
      <div className={styles.rows} tabIndex={0} role="group" aria-labelledby={id}>
        <ul>{children}</ul>
        {more > 0 && <p className="muted small">{t("import.more", { count: more, formatted: formatCount(more) })}</p>}
      </div>
    </section>
  );
}

function Skipped({ row }: { readonly row: SkippedRow }) {
  const { t } = useTranslation("contacts");
  const { name, number, reason, other_row, choices, country } = row;
  const write = usePhoneText();
  const facts = { row: formatCount(other_row ?? 0), numbers: choices.map(write).join(", "), country };
  return (
    <li>
      <span className={styles.row}>{t("import.row", { row: formatCount(row.row) })}</span>
      <span className={styles.rowWho}>
        <span>
          <bdi>{name}</bdi> {number !== "" && <bdi className="fig">{number}</bdi>}
        </span>
        <span className={styles.why}>{t(`reason.${reason}`, facts)}</span>
      </span>
    </li>
  );
}

function Changed({ row: { row, name, repairs } }: { readonly row: ChangedRow }) {
  const { t } = useTranslation("contacts");
  return (
    <li>
      <span className={styles.row}>{t("import.row", { row: formatCount(row) })}</span>
      <span className={styles.rowWho}>
        <bdi>{name}</bdi>
        {repairs.map((repair) => (
          <span key={repair} className={styles.why}>
            {t(`repair.${repair}`)}
          </span>
        ))}
      </span>
    </li>
  );
}

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
    <details className={styles.settings} open={isOpen}>
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
