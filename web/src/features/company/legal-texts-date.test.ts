import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import company from "@farline/texts/en/company.json";
import { LEGAL_TEXTS_DATE } from "./company-pages.tsx";

/** When these texts change, update their effective date and this digest. */
const OF_DATE = { date: "2026-11-27", digest: "7cdefc97719f6661" };

test("the effective date of the terms and privacy texts is updated with them", () => {
  const digest = createHash("sha256")
    .update(JSON.stringify([company.terms, company.privacy]))
    .digest("hex")
    .slice(0, 16);
  expect({ date: LEGAL_TEXTS_DATE, digest }).toEqual(OF_DATE);
});
