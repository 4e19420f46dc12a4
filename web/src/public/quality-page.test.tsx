import type { PublicPage } from "@farline/contract/public-pages.ts";
import type { DestinationQuality } from "@farline/contract/quality.ts";
import type { CountrySummary } from "@farline/contract/rates.ts";
import { languages, type Language } from "@farline/domain/languages.ts";
import { cleanup, render, screen, within } from "@testing-library/react";
import { createElement } from "react";
import { I18nextProvider } from "react-i18next";
import { afterEach, expect, test } from "vitest";
import { pageParts } from "./page-parts.tsx";
import { createTexts } from "./public-texts.ts";

const catalogues = import.meta.glob<Record<string, unknown>>("../../../texts/*/{public,rates,quality,history}.json", {
  eager: true,
  import: "default",
});
const site = {
  ...{
    origin: "https://farline.example",
    sandboxUrl: null,
    socialLinks: [],
    firstCall: null,
  },
  seller: {
    name: "",
    address: [],
    tax_id: null,
    registration: null,
    support_email: "help@farline.example",
    support_hours: null,
    return_days: 180,
    cards: [],
    law: "",
    sample: true,
  },
};

afterEach(cleanup);

function textsIn(language: Language) {
  const of = (name: string) => catalogues[`../../../texts/${language}/${name}.json`];
  const resources = { public: of("public"), rates: of("rates"), quality: of("quality"), history: of("history") };
  return createTexts(language, { [language]: resources as Record<string, Record<string, unknown>> });
}

const country = (country_code: string, country_name: string): CountrySummary => ({
  ...{ country_code, country_name, slug: country_name.toLowerCase(), mobile_rate: null, landline_rate: null, avg_rate: "0.0100" },
  ...{ min_rate: "0.0100", max_rate: "0.0100", rate_count: 1, sample_prefixes: [] },
});
const COUNTRIES = [country("DE", "Germany"), country("GH", "Ghana"), country("IN", "India"), country("TO", "Tonga")];
const measured = (country_code: string, more: Partial<DestinationQuality> = {}): DestinationQuality => ({
  ...{ country_code, days: 30, calls_at_least: 300, answered_percent: 75, delay_median_seconds: 3.5, delay_p95_seconds: 9 },
  mos_median: 4.3,
  ...more,
});
const DESTINATIONS = [
  measured("DE", { answered_percent: 60, delay_median_seconds: 1.5 }),
  measured("GH", { delay_median_seconds: null, delay_p95_seconds: null, mos_median: null }),
  measured("IN", { answered_percent: 80, days: 90, calls_at_least: 1_000, mos_median: 3.7 }),
];

type Shown = Partial<Omit<Extract<PublicPage, { name: "quality" }>, "name" | "report">> & {
  readonly destinations?: readonly DestinationQuality[];
};

function open({ destinations = DESTINATIONS, ...more }: Shown = {}, language: Language = "en") {
  const texts = textsIn(language);
  const report = { last_day: "2026-11-25", made_at: "2026-11-26T00:01:00.000Z", destinations: [...destinations] };
  const page = { name: "quality", report, countries: COUNTRIES, search: "", sort: "country", ...more } as const;
  const reader = { language, theme: null, textSize: null, signedIn: false } as const;
  const parts = pageParts({ page, path: "/quality", reader, year: 2026, site, closed: false }, texts);
  render(createElement(I18nextProvider, { i18n: texts }, parts.body));
  return parts;
}

const names = () => screen.queryAllByRole("heading", { level: 3 }).map(({ textContent }) => textContent);
const rowOf = (name: string) => screen.getByRole("heading", { name }).closest("li")!;

test("each country has its figures with their meaning, and how many calls they come from", () => {
  open();
  expect(names()).toEqual(["Germany", "Ghana", "India"]);
  expect(rowOf("India")).toHaveTextContent(
    "IndiaAnswered80%Time to ring3.5 s95% within 9 sSoundFair3.7 out of 5Calls counted1,000 or morein 90 days",
  );
  expect(within(rowOf("Germany")).getByRole("link")).toHaveAttribute("href", "/rates/germany");
  expect(screen.getByText("Calls made up to 25 November 2026. Updated every day.")).toBeInTheDocument();
  expect(screen.getByText("Not enough calls yet to 1 other country.")).toBeInTheDocument();
});

test("a figure with too few measurements says so, and hides neither the country nor the others", () => {
  open();
  expect(rowOf("Ghana")).toHaveTextContent("Answered75%Time to ringNot enough calls yetSoundNot enough calls yet");
});

test.each([
  ["answered", ["India", "Ghana", "Germany"]],
  ["delay", ["Germany", "India", "Ghana"]],
  ["sound", ["Germany", "India", "Ghana"]],
] as const)("sorted by %s, the best come first and countries without the figure last", (sort, order) => {
  open({ sort });
  expect(names()).toEqual(order);
  const nav = screen.getByRole("navigation", { name: "Sort by" });
  expect(nav.querySelector("[aria-current]")).toHaveAttribute("href", `/quality?sort=${sort}#countries`);
  expect(within(nav).getByRole("link", { name: "Country" })).toHaveAttribute("href", "/quality#countries");
});

test("a search also finds countries without figures, and keeps the order", () => {
  const { indexed } = open({ search: "tonga", sort: "delay" });
  expect(names()).toEqual(["Tonga"]);
  expect(rowOf("Tonga")).toHaveTextContent("Not enough calls yet");
  expect(screen.getByRole("status")).toHaveTextContent("1 country found Show all countries");
  expect(screen.getByRole("search")).toHaveFormValues({ q: "tonga", sort: "delay" });
  expect(screen.getByRole("link", { name: "Answered" })).toHaveAttribute("href", "/quality?q=tonga&sort=answered#countries");
  expect(indexed).toBe(false);
});

test("a search without matches says so", () => {
  open({ search: "atlantis" });
  expect(screen.getByText("No countries found")).toBeInTheDocument();
});

test("a young company says what is missing, and how it measures", () => {
  const { description } = open({ destinations: [] });
  expect(screen.getByRole("heading", { name: "Not enough calls yet" })).toBeInTheDocument();
  expect(screen.getByText("A country appears here once we can count 100 calls by at least 25 customers.")).toBeInTheDocument();
  expect(screen.getByText(/We count at most 4 calls of one customer/)).toBeInTheDocument();
  expect(screen.queryByRole("search")).not.toBeInTheDocument();
  expect(description).toMatch(/^How calls to each country go/);
});

test("a country that is no longer sold keeps its figures, without a link", () => {
  open({ destinations: [...DESTINATIONS, measured("FR")] });
  expect(within(rowOf("France")).queryByRole("link")).not.toBeInTheDocument();
});

test.each(languages)("in %s every text is there, with Latin digits", (language) => {
  const { title, description } = open({}, language);
  const shown = `${title} ${description} ${screen.getByRole("main").textContent}`;
  expect(shown).not.toMatch(/[{}]|\b(quality|rates|history)[.:]\w/);
  expect(screen.getByRole("list").textContent).not.toMatch(/(?![0-9])\p{Nd}/u);
  expect(shown).toContain("100");
});
