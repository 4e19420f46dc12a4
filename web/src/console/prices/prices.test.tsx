import type { ExplanationResponse, PriceHistoryResponse } from "@farline/contract/operator/prices.ts";
import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { refused } from "../../../test/fake-service.ts";
import { openConsole, sentence, sessionAs, withConsoleService } from "../../../test/open-console.tsx";

const service = withConsoleService();

const ID = "0199bbbb-0000-7000-8000-0000000000de";
const AT = "2026-11-26T08:00:00.000Z";
const rate = (price: string) => ({ per_minute: price, first_interval_s: 60, next_interval_s: 1 });
const EXPLAINED: ExplanationResponse = {
  number: "+442079460958",
  written: "+44 20 7946 0958",
  country_code: "GB",
  country_name: "United Kingdom",
  number_type: "landline",
  risk: { level: "watch", reason: "sudden use" },
  price_class: "A",
  decks: [
    {
      id: ID,
      name: "November",
      effective_at: AT,
      is_scheduled: false,
      row: {
        prefix: "44",
        description: "UK",
        number_type: "landline",
        cost: rate("0.0200"),
        price: rate("0.0280"),
        mark_up: "Cost plus 40 %, rounded up to a tenth of a cent.",
        typical_margin_percent: 28.5,
      },
      blocked_prefix: null,
      is_sold: true,
      verdict: "Sold at this price.",
    },
  ],
  trunks: [{ trunk: "acme", cost: null, text: "Does not carry it: its price list has no price for it." }],
  breakers: ["Calls to United Kingdom are paused until 2026-11-27T00:00:00.000Z."],
  longest_calls: [
    { tier: "new", seconds: 3_600 },
    { tier: "unverified", seconds: null },
  ],
};
const HISTORY: PriceHistoryResponse = {
  country_code: "GB",
  country_name: "United Kingdom",
  periods: [
    {
      deck_id: ID,
      name: "November",
      from: AT,
      until: null,
      state: "active",
      prices: [
        {
          number_type: "mobile",
          prefixes: 7,
          cost: { lowest: "0.0500", highest: "0.0600" },
          price: { lowest: "0.0700", highest: "0.0840" },
        },
      ],
    },
    { deck_id: ID, name: "October", from: "2026-10-01T00:00:00.000Z", until: AT, state: "past", prices: [] },
  ],
};

test("a number's price is explained, and a number that cannot be read is refused at its field", async () => {
  service().on("POST /api/operator/prices/explain", EXPLAINED);
  const user = await openConsole("/operator/prices", sessionAs("finance"));
  await user.type(screen.getByLabelText("Number"), "+44 20 7946 0958{Enter}");
  const price = within(await screen.findByRole("region", { name: "The price" }));
  for (const text of [
    "cost $0.0200 a minute in 60/1",
    "sold for $0.0280 a minute in 60/1",
    "prefix +44 UK, landline",
    "Does not carry it: its price list has no price for it.",
    "Calls to United Kingdom are paused until 2026-11-27T00:00:00.000Z.",
    "60 min",
    "closed",
  ])
    expect(price.getByText(text)).toBeVisible();
  service().on("POST /api/operator/prices/explain", refused("number_invalid", "This is not a number."));
  await user.click(screen.getByRole("button", { name: "Explain the price" }));
  expect(await screen.findByText("This is not a number.")).toBeVisible();
});

test("a country's prices are shown by period and type", async () => {
  service().on("GET /api/operator/prices/history", HISTORY);
  const user = await openConsole("/operator/prices", sessionAs("finance"));
  await user.selectOptions(screen.getByLabelText("Country"), "United Kingdom");
  const list = within(await screen.findByRole("list", { name: "Prices over time" }));
  expect(list.getByText(sentence("since 2026-11-26 08:00:00 UTC"))).toBeVisible();
  expect(list.getByText("cost $0.0500 to $0.0600 a minute")).toBeVisible();
  expect(list.getByText(sentence("2026-10-01 00:00:00 UTC to 2026-11-26 08:00:00 UTC"))).toBeVisible();
  expect(list.getByText("Not sold.")).toBeVisible();
  expect(window.location.search).toBe("?country=GB");
});

test("prices of several decks are also a chart, up to now", async () => {
  const sold = (type: string, cost: string, price: string) => ({
    ...{ number_type: type, prefixes: 1, cost: { lowest: cost, highest: cost }, price: { lowest: price, highest: price } },
  });
  const [now, before] = HISTORY.periods;
  const periods = [
    { ...now!, prices: [sold("mobile", "0.0500", "0.0700")] },
    { ...before!, prices: [sold("mobile", "0.0400", "0.0560"), sold("landline", "0.0100", "0.0140")] },
  ];
  service().on("GET /api/operator/prices/history", { ...HISTORY, periods });
  await openConsole("/operator/prices?country=GB", sessionAs("finance"));
  const title = "Lowest price and cost a minute";
  expect(await screen.findByRole("figure", { name: title })).toBeVisible();
  const rows = within(screen.getByRole("region", { name: title, hidden: true })).getAllByRole("row", { hidden: true });
  const cells = rows.map((row) => [...row.children].map((cell) => cell.textContent));
  const names = ["Mobile, price", "Mobile, cost", "Landline, price", "Landline, cost"];
  expect(cells[0]).toEqual(["Time (UTC)", ...names.map((name) => `${name}, $ a minute`)]);
  expect(cells[1]?.slice(1)).toEqual(["$0.0560", "$0.0400", "$0.0140", "$0.0100"]);
  expect(cells.at(-1)?.slice(1)).toEqual(["$0.0700", "$0.0500", "–", "–"]);
});
