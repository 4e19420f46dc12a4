import { useQuery } from "@tanstack/react-query";
import { IconFilter, IconSearch, IconX } from "@tabler/icons-react";
import { type ReactElement, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePhoneText } from "../../text/phone-text.ts";
import { Icon } from "../../ui/icon.tsx";
import { Button } from "../../ui/button.tsx";
import { countParts, type FilterChoice, noFilter } from "./call-filter.ts";
import { calledCountriesQuery } from "./history-queries.ts";
import { classNames } from "../../ui/class-names.ts";
import { after } from "../../time/timers.ts";
import * as styles from "./history-page.module.css";
import * as fieldStyles from "../../ui/forms/field.module.css";
import { countryName } from "../../text/i18n.ts";

/** Debounce delay before the list is requested. */
const TYPING_PAUSE_MS = 300;

interface FilterBarProps {
  readonly choice: FilterChoice;
  /** Name of the contact whose calls are shown, taken from the first call. */
  readonly contactName: string | null;
  readonly onChange: (change: Partial<FilterChoice>) => void;
}

/** Search, date range, country and state. On phones only the search is always visible. */
export function FilterBar({ choice, contactName, onChange }: FilterBarProps) {
  const { t } = useTranslation("history");
  const [open, setOpen] = useState(false);
  const id = useId();
  const folded = countParts({ ...choice, search: "", contact: "", number: "" });
  return (
    <search className={styles.filters} aria-label={t("filter.title")}>
      <div className={styles.first}>
        <SearchField value={choice.search} onChange={(search) => onChange({ search })} />
        <Button className={styles.fold} aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          <Icon of={IconFilter} />
          <span>{folded === 0 ? t("filter.show") : t("filter.active", { count: folded })}</span>
        </Button>
      </div>
      <div className={styles.fields} id={id} data-open={open}>
        <Days choice={choice} onChange={onChange} />
        <Country choice={choice} onChange={onChange} />
        <Status choice={choice} onChange={onChange} />
        {countParts(choice) > 0 && (
          <Button size="sm" className={styles.clear} onClick={() => onChange(noFilter)}>
            <Icon of={IconX} />
            <span>{t("filter.clear")}</span>
          </Button>
        )}
      </div>
      <OneContact choice={choice} name={contactName} onChange={onChange} />
    </search>
  );
}

function SearchField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const { t } = useTranslation("history");
  const id = useId();
  const [typed, setTyped] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  if (lastValue !== value) {
    // The address changed elsewhere: the filter was cleared, or the reader went back.
    setLastValue(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return undefined;
    return after(TYPING_PAUSE_MS, () => {
      setLastValue(typed);
      onChange(typed);
    });
  }, [typed, value, onChange]);
  return (
    <div className={classNames(styles.search, fieldStyles.adorn)}>
      <label className="sr-only" htmlFor={id}>
        {t("filter.search")}
      </label>
      <Icon of={IconSearch} />
      <input
        id={id}
        className={fieldStyles.input}
        type="search"
        autoComplete="off"
        value={typed}
        maxLength={100}
        placeholder={t("filter.searchHint")}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}

type PartProps = Pick<FilterBarProps, "choice" | "onChange">;

function Labelled({ label, children }: { readonly label: string; readonly children: (id: string) => ReactElement }) {
  const id = useId();
  return (
    <div className={styles.one}>
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  );
}

function Days({ choice, onChange }: PartProps) {
  const { t } = useTranslation("history");
  return (["from", "to"] as const).map((end) => (
    <Labelled key={end} label={t(`filter.${end}`)}>
      {(id) => (
        <input
          id={id}
          className={fieldStyles.input}
          type="date"
          autoComplete="off"
          value={choice[end]}
          {...(end === "from" ? { max: choice.to || undefined } : { min: choice.from || undefined })}
          onChange={(event) => onChange({ [end]: event.target.value })}
        />
      )}
    </Labelled>
  ));
}

function Country({ choice, onChange }: PartProps) {
  const { t } = useTranslation("history");
  const { data: countries = [] } = useQuery(calledCountriesQuery);
  const known = countries.some(({ country_code }) => country_code === choice.country);
  return (
    <Labelled label={t("filter.country")}>
      {(id) => (
        <select
          id={id}
          className={fieldStyles.select}
          value={choice.country}
          onChange={(event) => onChange({ country: event.target.value })}
        >
          <option value="">{t("filter.anyCountry")}</option>
          {choice.country !== "" && !known && (
            <option value={choice.country}>{countryName(choice.country, choice.country)}</option>
          )}
          {countries.map(({ country_code, country_name }) => (
            <option key={country_code} value={country_code}>
              {countryName(country_code, country_name)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

const STATUSES = ["completed", "failed", "live"] as const;

function Status({ choice, onChange }: PartProps) {
  const { t } = useTranslation("history");
  return (
    <Labelled label={t("filter.status")}>
      {(id) => (
        <select
          id={id}
          className={fieldStyles.select}
          value={choice.status}
          onChange={(event) => onChange({ status: event.target.value as FilterChoice["status"] })}
        >
          <option value="">{t("filter.anyStatus")}</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {t(`filter.${status}`)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** The contact or number whose calls are shown: selected on another page, removed here. */
function OneContact({ choice, name, onChange }: PartProps & { readonly name: string | null }) {
  const { t } = useTranslation("history");
  const write = usePhoneText();
  if (choice.contact === "" && choice.number === "") return null;
  const who = name ?? (choice.number === "" ? null : write(choice.number));
  return (
    <p className={styles.contact}>
      <span>{who === null ? t("filter.contactUnknown") : t("filter.contact", { name: who })}</span>
      <Button size="sm" iconOnly aria-label={t("filter.remove")} onClick={() => onChange({ contact: "", number: "" })}>
        <Icon of={IconX} />
      </Button>
    </p>
  );
}
