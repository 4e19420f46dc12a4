import { IconSearch } from "@tabler/icons-react";
import { type ChangeEvent, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { isMeant, searchNames } from "./find-countries.ts";
import "../../ui/field.css";

interface SearchFieldProps {
  readonly text: string;
  /** How many cards are shown; read out while something is searched. */
  readonly found: number;
  readonly onSearch: (text: string) => void;
}

/** The search field over the country cards. */
export function CountrySearchField({ text, found, onSearch }: SearchFieldProps) {
  const { t } = useTranslation("rates");
  return (
    <div className="adorn">
      <Icon of={IconSearch} />
      <label className="sr-only" htmlFor="country-search">
        {t("all.search")}
      </label>
      <input
        className="input"
        id="country-search"
        type="search"
        autoComplete="off"
        maxLength={60}
        placeholder={t("all.search")}
        value={text}
        onChange={(event: ChangeEvent<HTMLInputElement>) => onSearch(event.target.value)}
      />
      <p className="sr-only" role="status">
        {text === "" ? "" : t("all.found", { count: found })}
      </p>
    </div>
  );
}

/**
 * The search of the public page, where the cards are a part of the document already: it hides those that are not meant,
 * and shows what stands there when none is left.
 */
export function StaticCountrySearch({ count }: { readonly count: number }) {
  const [text, setText] = useState("");
  const [found, setFound] = useState(count);
  const place = useRef<HTMLDivElement>(null);
  const search = useCallback((typed: string) => {
    setText(typed);
    setFound(showMeantCards(typed));
  }, []);
  useEffect(() => {
    // What was typed before this code arrived.
    const early = place.current?.querySelector("input")?.value ?? "";
    if (early !== "") search(early);
  }, [search]);
  return (
    <div ref={place}>
      <CountrySearchField text={text} found={found} onSearch={search} />
    </div>
  );
}

function showMeantCards(typed: string): number {
  let found = 0;
  for (const card of document.querySelectorAll<HTMLElement>("[data-country]")) {
    card.hidden = !isMeant(typed, namesOf(card));
    if (!card.hidden) found += 1;
  }
  for (const empty of document.querySelectorAll<HTMLElement>("[data-no-country]")) empty.hidden = found > 0;
  return found;
}

/** What a card of the document answers to: its heading, the country's address, and its code. */
function namesOf(card: HTMLElement): readonly string[] {
  const link = card.querySelector<HTMLAnchorElement>("h3 a");
  return searchNames({
    country_name: link?.textContent ?? "",
    slug: link?.pathname.split("/").at(-1) ?? "",
    country_code: card.dataset["country"] ?? "",
  });
}
