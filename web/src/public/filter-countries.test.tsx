import type { CountrySummary } from "@farline/contract/rates.ts";
import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { countries as allCountries } from "@farline/domain/countries/countries.ts";
import { I18nextProvider } from "react-i18next";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { filterCountries } from "../features/rates/filter-countries.tsx";
import { RatesPage } from "../features/rates/rates-page.tsx";
import common from "@farline/texts/en/common.json";
import rates from "@farline/texts/en/rates.json";
import { createTexts } from "./public-texts.ts";

const texts = createTexts("en", { en: { common, rates } });

const named = (country_name: string, country_code: string): CountrySummary => ({
  country_code,
  country_name,
  slug: country_name.normalize("NFD").replace(/\p{M}/gu, "").replace("’", "").toLowerCase().replaceAll(" ", "-"),
  avg_rate: "0.1420",
  min_rate: "0.1000",
  max_rate: "0.2000",
  mobile_rate: "0.1420",
  landline_rate: null,
  rate_count: 1,
  sample_prefixes: [],
});
const first = [named("Côte d’Ivoire", "CI"), named("Ghana", "GH"), named("Germany", "DE"), named("Türkiye", "TR")];
const others = allCountries.filter(({ iso2 }) => !first.some((one) => one.country_code === iso2));
const countries = [...first, ...others.map(({ name, iso2 }) => named(name, iso2))];

const answer = vi.fn<() => Promise<Response>>();

function openRates(search = ""): HTMLElement {
  const { container } = render(
    <I18nextProvider i18n={texts}>
      <RatesPage
        rates={{ countries, rates: [], effectiveAt: "2026-11-01T00:00:00.000Z" }}
        calculator={null}
        search={search}
        number={1}
      />
    </I18nextProvider>,
  );
  // As on the page, where the server rendered these nodes.
  const page = document.createElement("div");
  page.innerHTML = container.innerHTML;
  cleanup();
  document.body.append(page);
  const [form, results] = ["[data-country-search]", "[data-country-results]"].map((one) => page.querySelector<HTMLElement>(one));
  act(() => filterCountries(form as HTMLFormElement, results as HTMLElement, texts));
  return page;
}

const field = () => screen.getByRole<HTMLInputElement>("searchbox", { name: "Search countries" });
const shown = () =>
  screen
    .queryAllByRole("heading", { level: 3 })
    .flatMap((one) => (one.closest("[data-country]") === null ? [] : [one.textContent]));
const type = (value: string) => fireEvent.input(field(), { target: { value } });

beforeEach(() => {
  vi.stubGlobal("fetch", answer);
  answer.mockReset().mockImplementation(async () => Response.json({ countries }));
  history.replaceState(null, "", "/rates");
});
afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

test.each([
  ["gh", ["Ghana"]],
  ["cote divoire", ["Côte d’Ivoire"]],
  ["TURKIYE", ["Türkiye"]],
  ["DEU", ["Germany"]],
  ["Accra", ["Ghana"]],
  ["Alemania", ["Germany"]],
  ["Munich", ["Germany"]],
  ["Ghanna", ["Ghana"]],
  ["00233", ["Ghana"]],
])("typing “%s” shows %j at once, counted, and keeps it in the address", async (typed, names) => {
  openRates();
  expect(shown()).toHaveLength(24);
  type(typed);
  await waitFor(() => expect(shown()).toEqual(names));
  expect(screen.getByText("1 country found")).toHaveAttribute("role", "status");
  await waitFor(() => expect(location.search).toBe(`?${new URLSearchParams({ q: typed })}`));
});

test("countries are loaded once, clearing the search restores the list, and more are shown on request", async () => {
  openRates();
  for (const typed of ["i", "is", "isl"]) type(typed);
  await waitFor(() => expect(shown()[0]).toBe("Iceland"));
  expect(shown()).toHaveLength(24);
  const count = Number.parseInt((await screen.findByText(/countries found/)).textContent, 10);
  fireEvent.click(screen.getByRole("button", { name: "Show more" }));
  expect(shown()).toHaveLength(count);
  type("zzz");
  expect(await screen.findByText("No countries found")).toBeVisible();
  type("");
  await waitFor(() => expect(shown()).toHaveLength(24));
  expect(answer).toHaveBeenCalledTimes(1);
});

test("a search rendered by the server is replaced as well, and clearing it shows all countries", async () => {
  openRates("ghana");
  expect(shown()).toEqual(["Ghana"]);
  type("");
  await waitFor(() => expect(shown()).toHaveLength(24));
});

test("Enter keeps a filtered list, but searches on the server if the countries cannot be loaded", async () => {
  const page = openRates();
  const form = page.querySelector("form") as HTMLFormElement;
  answer.mockImplementation(async () => new Response(null, { status: 503 }));
  for (const typed of ["g", "gh", "gha", "ghan", "ghana"]) {
    type(typed);
    expect(await screen.findByText("Press Enter to search.")).toBeVisible();
  }
  expect(answer).toHaveBeenCalledTimes(3);
  expect(fireEvent.submit(form)).toBe(true);
  cleanup();
  document.body.replaceChildren();
  answer.mockImplementation(async () => Response.json({ countries }));
  const other = openRates();
  type("ghana");
  await waitFor(() => expect(shown()).toEqual(["Ghana"]));
  expect(fireEvent.submit(within(other).getByRole("search"))).toBe(false);
});
