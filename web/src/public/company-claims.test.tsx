import {
  cookies,
  ERASURE_GRACE_DAYS,
  EXPORT_DAYS,
  GIFT_MARKS_KEPT,
  keptGroups,
  NUMBERS_KEPT_MONTHS,
  REFUND_DAYS,
  RETURNABLE_DAYS,
  SECURITY_EVENTS_KEPT_DAYS,
} from "@farline/contract/constants.ts";
import { MAX_TOP_UP_MICROS, MIN_TOP_UP_MICROS } from "@farline/domain/business/top-up-limits.ts";
import { longestCallOf } from "@farline/domain/calls/call-terms.ts";
import { DAY_SECONDS } from "@farline/domain/durations.ts";
import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import { languages } from "@farline/domain/languages.ts";
import type { Language } from "@farline/contract/languages.ts";
import { cleanup, render, screen, within } from "@testing-library/react";
import { I18nextProvider } from "react-i18next";
import { afterEach, describe, expect, test } from "vitest";
import type english from "@farline/texts/en/company.json";
import { PrivacyPage, TermsPage } from "../features/company/company-pages.tsx";
import { aConfig } from "../../test/answers.ts";
import { createTexts } from "./public-texts.ts";

const files = import.meta.glob<typeof english>("../../../texts/*/company.json", { eager: true, import: "default" });

function companyTexts(language: Language): typeof english {
  const texts = files[`../../../texts/${language}/company.json`];
  if (texts === undefined) throw new Error(`There are no company texts in ${language}.`);
  return texts;
}

afterEach(cleanup);

function open(language: Language, Page: typeof PrivacyPage | typeof TermsPage = PrivacyPage): void {
  render(
    <I18nextProvider i18n={createTexts(language, { [language]: { company: companyTexts(language) } })}>
      <Page seller={aConfig().seller} />
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
    ["the days that sign-ins are kept", privacy.signIns.title, SECURITY_EVENTS_KEPT_DAYS],
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
      ...keptGroups.map((group) =>
        privacy.keptList[group]
          .replace("{{networkDays}}", String(GIFT_MARKS_KEPT.networkDays))
          .replace("{{personYears}}", String(GIFT_MARKS_KEPT.personYears)),
      ),
      privacy.keptBlocked,
    ]);
    expect(new Set(stays.map(({ textContent }) => textContent)).size).toBe(keptGroups.length + 1);
  });

  test("every cookie, with its time", () => {
    open(language);
    const listed = within(section(privacy.cookies.title)).getAllByRole("listitem");
    expect(listed.map((one) => one.querySelector("code")?.textContent)).toEqual(cookies.map(({ name }) => name));
    // Code that sets another cookie does not compile: `CookieName`.
    expect(listed.map((one) => Number(/\((\d+)/.exec(one.textContent)?.[1]))).toEqual(
      cookies.map(({ seconds }) => (seconds < DAY_SECONDS ? seconds / 60 : seconds / DAY_SECONDS)),
    );
  });
});

describe.each(languages)("the terms in %s promise", (language) => {
  const { terms } = companyTexts(language);
  const minutes = (tier: "new" | "trusted") =>
    (longestCallOf({ ratePerMinuteMicros: 10_000n, firstIntervalSeconds: 1 }, null, tier) ?? 0) / 60;
  const dollars = (micros: bigint) => Number(micros / MICROS_PER_DOLLAR);

  test.each([
    ["the smallest and largest top-up", terms.credit.title, [dollars(MIN_TOP_UP_MICROS), dollars(MAX_TOP_UP_MICROS)]],
    ["the longest calls", terms.limits.title, [minutes("new"), minutes("trusted")]],
    ["the days in which a refund can be requested", terms.mistakes.title, [REFUND_DAYS]],
    ["credit without an expiry", terms.expiry.title, []],
    ["the days in which unused credit can be taken back", terms.refunds.title, [RETURNABLE_DAYS]],
  ])("%s", (_, title, promised) => {
    open(language, TermsPage);
    expect((section(title).textContent.match(/\d+/g) ?? []).map(Number)).toEqual(promised);
  });
});
