import { ERASURE_GRACE_DAYS, EXPORT_DAYS, keptGroups, NUMBERS_KEPT_MONTHS } from "@farline/contract/constants.ts";
import { languages } from "@farline/domain/languages.ts";
import type { Language } from "@farline/contract/languages.ts";
import { cleanup, render, screen, within } from "@testing-library/react";
import { I18nextProvider } from "react-i18next";
import { afterEach, describe, expect, test } from "vitest";
import { PrivacyPage } from "../features/company/company-pages.tsx";
import type english from "@farline/texts/en/company.json";
import { aConfig } from "../../test/answers.ts";
import { createTexts } from "./public-texts.ts";

const files = import.meta.glob<typeof english>("../../../texts/*/company.json", { eager: true, import: "default" });

function companyTexts(language: Language): typeof english {
  const texts = files[`../../../texts/${language}/company.json`];
  if (texts === undefined) throw new Error(`There are no company texts in ${language}.`);
  return texts;
}

afterEach(cleanup);

function open(language: Language): void {
  render(
    <I18nextProvider i18n={createTexts(language, { [language]: { company: companyTexts(language) } })}>
      <PrivacyPage seller={aConfig().seller} />
    </I18nextProvider>,
  );
}

/** The text of a section, by its title. */
function section(title: string): HTMLElement {
  const found = screen.getByRole("heading", { name: title }).closest("section");
  if (found === null) throw new Error(`There is no section ${title}.`);
  return found;
}

describe.each(languages)("the privacy page in %s promises", (language) => {
  const { privacy } = companyTexts(language);

  test.each([
    ["the days in which an account can be kept", privacy.leaving.title, ERASURE_GRACE_DAYS],
    ["the days of a copy's link", privacy.copy.title, EXPORT_DAYS],
    ["the months after which numbers are shortened", privacy.numbers.title, NUMBERS_KEPT_MONTHS],
  ])("%s", (_, title, promised) => {
    open(language);
    const text = section(title).textContent;
    expect(text.match(/\d+/g)).toEqual([String(promised)]);
  });

  test("everything that stays after an erasure, each with its reason", () => {
    open(language);
    const stays = within(section(privacy.kept.title)).getAllByRole("listitem");
    // The server's personal-tables.test.ts checks the groups against every table's classification.
    expect(stays.map(({ textContent }) => textContent)).toEqual([
      ...keptGroups.map((group) => privacy.keptList[group]),
      privacy.keptBlocked,
    ]);
    expect(new Set(stays.map(({ textContent }) => textContent)).size).toBe(keptGroups.length + 1);
  });
});
