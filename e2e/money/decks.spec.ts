import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { faultsOf } from "../support/axe.ts";
import { openConsole } from "../support/operate.ts";

const LIST = Buffer.from("Prefix,Destination,Rate,Billing\n44,United Kingdom,0.0002,1/1\n49,Germany,soon,1/1\n");

test("a slip in a price list is caught in the console and confirmed by a second person", async ({ browser }) => {
  const grace = await openConsole(browser, "grace", "/operator/decks");
  await grace.getByRole("link", { name: "Import a price list" }).click();
  await grace.getByLabel("What it prices").selectOption("costs of one trunk");
  await grace.getByLabel("Trunk", { exact: true }).fill("slip-test");
  await grace.getByLabel("Active from").selectOption("now");
  await grace
    .getByLabel("Drop a price list here, or choose a file")
    .setInputFiles({ name: "acme.csv", mimeType: "text/csv", buffer: LIST });
  await expect(grace.getByText("49 | Germany | soon | 1/1")).toBeVisible();
  await grace.getByLabel('Leave out 1 row whose price is "soon"').check();
  await grace.getByLabel("The new trunk's name, once more").fill("slip-test");
  await grace.getByRole("button", { name: "Read the file again" }).click();
  await expect(grace.getByText(/A second operator must confirm these prices/)).toBeVisible();
  if (process.env["FULL"] === "1") expect(await faultsOf(grace, "a price list")).toEqual([]);
  await grace.getByRole("button", { name: "Store this deck" }).click();
  await grace.getByLabel("Reason").fill("Acme's new list");
  await grace.getByRole("button", { name: "Store", exact: true }).click();
  await expect(grace.getByText("Its prices are unusual, so another operator must confirm them")).toBeVisible();

  const ada = await openConsole(browser, "ada", "/operator/decks");
  const deck = ada.getByRole("listitem", { name: "acme.csv" });
  await deck.getByRole("link", { name: "awaiting approval" }).click();
  await expect(ada.getByText("slip-test")).toBeVisible();
  await ada.getByRole("button", { name: "Confirm" }).click();
  await ada.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
  await expect(ada.getByText(/^Done\./)).toBeVisible();
  await ada.getByRole("link", { name: "Decks" }).click();
  await expect(deck.getByText("active", { exact: true })).toBeVisible();
});
