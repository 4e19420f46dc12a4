import { expect } from "@playwright/test";
import { query } from "../support/books.ts";
import { sessionHeaders } from "../support/customer.ts";
import { test } from "../support/everything.ts";
import { ECHO_LINE } from "../support/phone-network.ts";
import { open, sidewaysScroll } from "../support/screens.ts";

/** No break is possible in them. */
const LONG_NAME = "A".repeat(60);
const LONG_EMAIL = `${"long-address".repeat(5)}@${"a-long-domain".repeat(4)}.example.com`;

test("with the longest names and addresses no signed-in page scrolls sideways", async ({
  everything: { page, email, paths },
}) => {
  const headers = await sessionHeaders(page);
  const data = { first_name: LONG_NAME, company: LONG_NAME, email: LONG_EMAIL, phone_number: ECHO_LINE, favorite: true };
  const added = await page.request.post("/api/contacts", { data, headers });
  expect(added.status()).toBe(201);
  const { contact } = await added.json();
  const rename = (name: string, from: string, to: string) =>
    query("update customer set name = $1, email = $3 where email = $2", [name, from, to]);
  await rename(LONG_NAME, email, LONG_EMAIL);
  const found: string[] = [];
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of paths) {
    await open(page, path);
    const sideways = await sidewaysScroll(page);
    if (sideways !== "") found.push(`${path} scrolls sideways, ${sideways}`);
  }
  await rename("Grace Mensah", LONG_EMAIL, email);
  await page.request.delete(`/api/contacts/${contact.id}`, { headers });
  expect(found).toEqual([]);
});
