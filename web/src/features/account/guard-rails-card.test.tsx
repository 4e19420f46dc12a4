import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { refused } from "../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../test/open-app.tsx";

const service = withFakeService();

const card = () => screen.findByRole("region", { name: "Your own limits" });
const today = { spent: "0.35", resets_at: "2026-05-19T00:00:00.000Z" };
const rails = (more: object = {}) => ({
  guard_rails: { daily_cap: null, call_cap: null, countries: null, time_zone: "UTC", ...more },
  today,
});

test("an empty country list is not sent; a decimal comma and other digits are accepted", async () => {
  const saved = rails({ daily_cap: "2.00", call_cap: "0.25", countries: ["DE"] });
  service().on("PUT /api/calls/guard-rails", saved);
  const person = await openApp("/account");
  const limits = within(await card());
  await person.type(await limits.findByLabelText("Daily spending limit"), "٢");
  await person.type(limits.getByLabelText("Limit per call"), "0,25");
  await person.click(limits.getByLabelText("Only these"));
  await person.click(limits.getByRole("button", { name: "Save limits" }));
  expect(await limits.findByText("Choose at least one country.")).toBeVisible();
  expect(limits.getByRole("group", { name: "Countries you can call" })).toHaveAccessibleDescription(
    "Choose at least one country.",
  );
  expect(service().asked("PUT /api/calls/guard-rails")).toEqual([]);

  await person.selectOptions(limits.getByLabelText("Add a country"), "Germany");
  expect(limits.queryByText("Choose at least one country.")).toBeNull();
  service().on("GET /api/calls/guard-rails", saved);
  await person.click(limits.getByRole("button", { name: "Save limits" }));
  expect(await screen.findByText("Limits saved")).toBeVisible();
  expect(service().asked("PUT /api/calls/guard-rails")[0]?.body).toMatchObject({
    daily_cap: "2.00",
    call_cap: "0.25",
    countries: ["DE"],
  });
  expect(await limits.findByText(/^\$0\.35 used today\./)).toBeVisible();
});

test("an amount that cannot be read shows an error at its field, and nothing is sent", async () => {
  const person = await openApp("/account");
  const limits = within(await card());
  const callCap = await limits.findByLabelText("Limit per call");
  await person.type(callCap, "1,250{Enter}");
  const why = "Enter an amount in dollars, for example 10 or 12.50";
  await waitFor(() => expect(callCap).toHaveAccessibleDescription(expect.stringContaining(why)));
  expect(service().asked("PUT /api/calls/guard-rails")).toEqual([]);
});

test("a refused amount shows an error at its field", async () => {
  const wrong = "Enter an amount between $0.01 and $10,000.";
  service().on("PUT /api/calls/guard-rails", refused("validation_failed", wrong, { errors: { call_cap: [wrong] } }));
  const person = await openApp("/account");
  const limits = within(await card());
  const callCap = await limits.findByLabelText("Limit per call");
  await person.type(callCap, "50000{Enter}");
  await waitFor(() => expect(callCap).toHaveAccessibleDescription(expect.stringContaining(wrong)));
});

test("a country is removed from the list, and the focus moves to the country field", async () => {
  service().on("GET /api/calls/guard-rails", rails({ countries: ["DE", "GB"], call_cap: "0.25" }));
  const person = await openApp("/account");
  const limits = within(await card());
  expect(await limits.findByLabelText("Limit per call")).toHaveValue("0.25");
  await person.click(limits.getByRole("button", { name: "Remove Germany" }));
  expect(limits.queryByRole("button", { name: "Remove Germany" })).toBeNull();
  expect(limits.getByRole("button", { name: "Remove United Kingdom" })).toBeVisible();
  expect(limits.getByLabelText("Add a country")).toHaveFocus();
});

test("limits can be reloaded after an error", async () => {
  service().on("GET /api/calls/guard-rails", refused("rate_limited", "Too many attempts."));
  const person = await openApp("/account");
  const limits = within(await card());
  expect(await limits.findByText("We could not load your limits.")).toBeVisible();
  service().on("GET /api/calls/guard-rails", rails());
  await person.click(limits.getByRole("button", { name: "Try again" }));
  expect(await limits.findByLabelText("Limit per call")).toBeVisible();
});
