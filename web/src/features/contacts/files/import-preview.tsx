import type { ChangedRow, ImportResponse, SkippedRow } from "@farline/contract/contacts.ts";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { formatCount } from "../../../text/format.ts";
import { usePhoneText } from "../../../text/phone-text.ts";
import { Flag } from "../../../ui/flag.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "./import-preview.module.css";

/** Preview of an import: the imported contacts, and the skipped rows with reasons. */
export function ImportPreview({ plan }: { readonly plan: ImportResponse }) {
  const { t } = useTranslation("contacts");
  const write = usePhoneText();
  const { imported, skipped, changed } = plan;
  const coming = [
    t("import.coming", { count: imported, formatted: formatCount(imported) }),
    ...(skipped > 0 ? [t("import.skipped", { count: skipped, formatted: formatCount(skipped) })] : []),
  ].join(" ");
  return (
    <div className={styles.ctplan}>
      <p className={styles.sum} role="status">
        {coming}
      </p>
      {imported > 0 && (
        <Rows title={t("import.comingTitle")} more={imported - plan.imported_rows.length}>
          {plan.imported_rows.map(({ row, name, phone_numbers, country_code }) => (
            <li key={row}>
              <span className={styles.row}>{t("import.row", { row: formatCount(row) })}</span>
              <span className={styles.who}>
                <bdi>{name}</bdi>
                <span className={classNames(styles.number, "fig")}>
                  <Flag code={country_code} size="sm" />
                  <span>{phone_numbers.map(write).join(", ")}</span>
                </span>
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
  const { name, number, reason, other_row, choices } = row;
  const write = usePhoneText();
  const facts = { row: formatCount(other_row ?? 0), numbers: choices.map(write).join(", ") };
  return (
    <li>
      <span className={styles.row}>{t("import.row", { row: formatCount(row.row) })}</span>
      <span className={styles.who}>
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
      <span className={styles.who}>
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
