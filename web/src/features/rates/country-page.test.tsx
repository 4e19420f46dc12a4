import { expect, test } from "vitest";
import french from "@farline/texts/fr/cities.json";
import { networkName } from "./country-page.tsx";

const cityName = (english: string) => (french as Readonly<Record<string, string>>)[english];

test.each([
  ["Ghana Mobile MTN", "mobile", "MTN"],
  ["Ghana Mobile", "mobile", ""],
  ["Ghana Landline Accra", "landline", "Accra"],
  ["Ghana Landline Tamale", "landline", "Tamale"],
  ["Ghana Toll Free", "toll_free", ""],
  ["ACCRA FIX", "landline", "ACCRA FIX"],
] as const)("%s (%s) is %j", (description, numberType, name) => {
  expect(networkName({ description, numberType }, "Ghana", cityName)).toBe(name);
});

test("cities are written in the reader's language", () => {
  const price = { description: "United Kingdom Landline London", numberType: "landline" } as const;
  expect(networkName(price, "United Kingdom", cityName)).toBe("Londres");
});
