import { readFileSync } from "node:fs";
import * as calls from "@farline/contract/operator/words/call-words.ts";
import * as money from "@farline/contract/operator/words/money-words.ts";
import * as records from "@farline/contract/operator/words/audit-words.ts";
import * as words from "@farline/contract/operator/words/words.ts";
import { expect, test } from "vitest";

/** Closed lists of the database that no operator reads. */
const UNREAD = new Set([
  "auto_top_up.stopped_reason",
  "contact_number.phone_number_type",
  "data_export.failure",
  "ended_session.reason",
  "first_call.refusal",
  "first_call.state",
  "free_credit.kind",
  "google_flow.purpose",
  "mail_link.use",
  "newsletter_subscription.state",
  "operator_session.kind",
  "payment.three_d_secure",
  "person_mark.kind",
  // The list of promo codes says the offer in a sentence.
  "promo_campaign.kind",
  "promo_use.state",
  "referral.refusal",
  "referral.state",
]);

const SCHEMA = new URL("../../schema.sql", import.meta.url);
const LIST = /^alter table (\w+) add constraint \w+ CHECK \(\((\w+) = ANY \(ARRAY\[(.*?)\]\)\)\);$/gm;
const lists = [...readFileSync(SCHEMA, "utf8").matchAll(LIST)].map(([, table, column, codes = ""]) => ({
  of: `${table}.${column}`,
  codes: [...codes.matchAll(/'([^']*)'/g)].map(([, code = ""]) => code),
}));

const tables = [words, calls, money, records]
  .flatMap((chapter) => Object.values(chapter))
  .filter((one) => typeof one === "object");

test.each(lists.filter(({ of }) => !UNREAD.has(of)))("each code of $of has words for operators", ({ codes }) => {
  expect(codes.length).toBeGreaterThan(1);
  expect(tables.some((table) => codes.every((code) => Object.hasOwn(table, code)))).toBe(true);
});

test("the lists that operators never read are still there", () => {
  expect(lists.length).toBeGreaterThan(30);
  expect([...UNREAD].filter((one) => !lists.some(({ of }) => of === one))).toEqual([]);
});
