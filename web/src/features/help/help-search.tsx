import { isFoundBy, searchKey, searchWords } from "@farline/domain/contacts/fold-text.ts";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import * as fieldStyles from "../../ui/forms/field.module.css";
import * as styles from "./help.module.css";

const MAX_SEARCH_CHARS = 60;

/**
 * Filters the page's answers while the reader types, and opens the answer that the address names. The answers stay as the
 * server rendered them: this hides and shows them.
 */
export function HelpSearch() {
  const { t } = useTranslation("help");
  const [typed, setTyped] = useState("");
  const [found, setFound] = useState<number | null>(null);
  useEffect(openNamedAnswer, []);
  const search = (words: string) => {
    setTyped(words);
    const count = showMatches(words);
    setFound(words.trim() === "" ? null : count);
  };
  return (
    <div className={styles.helpsearch}>
      <div className={fieldStyles.adorn}>
        <Icon of={IconSearch} />
        <input
          className={fieldStyles.input}
          type="search"
          aria-label={t("search.label")}
          placeholder={t("search.label")}
          autoComplete="off"
          maxLength={MAX_SEARCH_CHARS}
          value={typed}
          onChange={(event) => search(event.target.value)}
        />
      </div>
      <div role="status">
        {found !== null && found > 0 && <p className="muted">{t("search.found", { count: found })}</p>}
        {found === 0 && (
          <>
            <p className="t-card">{t("search.none", { words: typed.trim() })}</p>
            <p>
              <span>{`${t("search.noneText")} `}</span>
              <a className="link" href="#ask">
                {t("search.write")}
              </a>
            </p>
          </>
        )}
      </div>
    </div>
  );
}

/** Shows the answers that contain every word, and the sections that have one. @returns how many there are */
function showMatches(typed: string): number {
  const words = searchWords(typed);
  let count = 0;
  for (const section of document.querySelectorAll<HTMLElement>("[data-answers]")) {
    const answers = [...section.querySelectorAll<HTMLElement>("[data-answer]")];
    for (const answer of answers) {
      answer.hidden = !isFoundBy(searchKey("", answer.textContent ?? ""), words);
    }
    const shown = answers.filter(({ hidden }) => !hidden).length;
    section.hidden = shown === 0;
    count += shown;
  }
  return count;
}

function openNamedAnswer(): () => void {
  const open = () => {
    const named = document.getElementById(location.hash.slice(1));
    if (!(named instanceof HTMLDetailsElement)) return;
    named.open = true;
    named.scrollIntoView();
  };
  open();
  addEventListener("hashchange", open);
  return () => removeEventListener("hashchange", open);
}
