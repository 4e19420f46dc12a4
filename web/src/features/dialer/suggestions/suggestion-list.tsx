import { withExtension } from "@farline/domain/numbers/extension.ts";
import { IconMoon, IconWorld } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Flag } from "../../../ui/flag.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { keepFocus } from "../number/dial-keys.tsx";
import { useMinute } from "../../../time/use-now.ts";
import { timeThere } from "../../../text/time-there.ts";
import { useNumberText } from "../number/use-dial-library.ts";
import type { Suggestion, Suggestions } from "./use-suggestions.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "./suggestion-list.module.css";

/** The id of an option, for the field that names the active one. */
export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

/** The open list under the number field. */
export function SuggestionList({ id, suggestions }: { readonly id: string; readonly suggestions: Suggestions }) {
  const { t } = useTranslation("dialer");
  const now = useMinute();
  return (
    <div id={id} className={styles.suggest} role="listbox" aria-label={t("suggestions.title")}>
      {suggestions.shown.map((suggestion, index) => (
        // The field keeps the focus and takes the keys.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={
            suggestion.kind === "country" ? suggestion.countryCode : suggestion.number.phone_number + suggestion.number.extension
          }
          id={optionId(id, index)}
          className={styles.one}
          role="option"
          aria-selected={index === suggestions.active}
          onMouseDown={keepFocus}
          onClick={() => suggestions.take(suggestion)}
        >
          <Content of={suggestion} now={now} />
        </div>
      ))}
    </div>
  );
}

function Content({ of, now }: { readonly of: Suggestion; readonly now: Date }) {
  const { t } = useTranslation("dialer");
  const write = useNumberText();
  if (of.kind === "country")
    return (
      <>
        <Flag code={of.countryCode} size="sm" />
        <span className={styles.who}>{of.name}</span>
        <span className={styles.more}>
          <Icon of={IconWorld} />
          <span>{t("suggestions.country")}</span>
        </span>
      </>
    );
  const { phone_number: number, extension, country_code: code, name } = of.number;
  const there = timeThere(code, now);
  return (
    <>
      <Flag code={code} size="sm" />
      <span className={styles.who}>
        {name !== null && <bdi>{name}</bdi>}
        <span className={name === null ? "fig" : classNames(styles.number, "fig")}>
          {withExtension(write(number), extension)}
        </span>
      </span>
      {there !== null && (
        <span className={classNames(styles.more, "fig")}>
          {there.night && <Icon of={IconMoon} />}
          <span className="sr-only">{t("there.time", { time: there.time })}</span>
          <span aria-hidden="true">{there.time}</span>
        </span>
      )}
    </>
  );
}
