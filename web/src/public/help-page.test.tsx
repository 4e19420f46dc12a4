import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { I18nextProvider } from "react-i18next";
import { afterEach, beforeEach, expect, test } from "vitest";
import account from "@farline/texts/en/account.json";
import billing from "@farline/texts/en/billing.json";
import common from "@farline/texts/en/common.json";
import dialer from "@farline/texts/en/dialer.json";
import help from "@farline/texts/en/help.json";
import history from "@farline/texts/en/history.json";
import dialerParts from "@farline/texts/en/dialer-parts.json";
import { helpSections } from "../features/help/help-answers.ts";
import { HelpPage } from "../features/help/help-page.tsx";
import { HelpSearch } from "../features/help/help-search.tsx";
import { createTexts } from "./public-texts.ts";

const texts = createTexts("en", { en: { account, billing, common, dialer, help, history, "dialer-parts": dialerParts } });

function openHelp(): void {
  render(
    <I18nextProvider i18n={texts}>
      <HelpPage sections={helpSections(texts, "0.25")} search={<HelpSearch />} supportEmail="help@farline.example" />
    </I18nextProvider>,
  );
}

const answersShown = () => [...document.querySelectorAll<HTMLElement>("[data-answer]")].filter((one) => !one.hidden);

beforeEach(() => {
  HTMLElement.prototype.scrollIntoView = () => undefined;
});
afterEach(() => {
  cleanup();
  location.hash = "";
});

test("answers quote the current names of controls and limits", () => {
  openHelp();
  for (const quoted of [dialer.soundCheck, history.refund.open, billing.withdraw.title, account.callerId.title])
    expect(screen.getByText(new RegExp(`“${quoted}”`))).toBeInTheDocument();
  for (const limit of ["within 30 days", "about 10 seconds", "5 MB and 10,000 contacts", "up to $0.25"])
    expect(screen.getByText(new RegExp(limit.replace("$", "\\$")))).toBeInTheDocument();
  expect(screen.getByText(dialerParts.microphoneHelp.firefox)).toBeInTheDocument();
});

test("typing shows the answers with every word, in any case, and the sections that have one", async () => {
  openHelp();
  const all = answersShown().length;
  const field = screen.getByRole("searchbox", { name: "Search the questions" });
  await userEvent.type(field, "RECEIPT pdf");
  expect(answersShown().map(({ id }) => id)).toEqual(["receipts"]);
  expect(screen.getByRole("status")).toHaveTextContent("1 answer");
  expect(screen.getAllByRole("region").map((one) => one.textContent?.slice(0, 8))).toEqual(["Payments"]);
  await userEvent.clear(field);
  expect(answersShown()).toHaveLength(all);
  expect(screen.getByRole("status")).toBeEmptyDOMElement();
});

test("without results the page says so and links to the contact form", async () => {
  openHelp();
  await userEvent.type(screen.getByRole("searchbox"), "zebra");
  expect(answersShown()).toEqual([]);
  expect(screen.getByRole("status")).toHaveTextContent("No answer found for “zebra”");
  expect(screen.getByRole("link", { name: "Write to us" })).toHaveAttribute("href", "#ask");
});

test("the answer named in the address is open, initially and when the address changes", () => {
  location.hash = "#refund";
  openHelp();
  expect(document.getElementById("refund")).toHaveAttribute("open");
  expect(document.getElementById("hold")).not.toHaveAttribute("open");
  location.hash = "#hold";
  window.dispatchEvent(new Event("hashchange"));
  expect(document.getElementById("hold")).toHaveAttribute("open");
});
