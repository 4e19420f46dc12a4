import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { ConfigError, readConfig } from "./config.ts";

const key = randomBytes(32).toString("base64");
const least = {
  DATABASE_URL: "postgres://localhost/farline",
  TELNYX_API_KEY: "KEY1",
  TELNYX_PUBLIC_KEY: key,
  TELNYX_CONNECTION_ID: "1",
  STRIPE_SECRET_KEY: "sk_live_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
};
const production = {
  ...least,
  NODE_ENV: "production",
  SMTP_URL: "smtps://user:secret@mail.example.com",
  MAIL_FROM: "Farline <no-reply@example.com>",
  SELLER_NAME: "Example Calls Ltd",
  SELLER_ADDRESS: "1 Main Road | 12345 Example",
  SECRET_KEYS: `2026:${key}, old:${randomBytes(32).toString("base64")}`,
};

test("production starts with everything set, and uses the first secret for what is new", () => {
  const config = readConfig(production);
  expect(config.mail).toEqual({ smtpUrl: "smtps://user:secret@mail.example.com", from: "Farline <no-reply@example.com>" });
  expect(config.secretKeys.map((one) => one.id)).toEqual(["2026", "old"]);
  expect(config.secretKeys[0].secret.toString("base64")).toBe(key);
});

test.each(["SMTP_URL", "MAIL_FROM", "SECRET_KEYS", "SELLER_NAME", "SELLER_ADDRESS"])(
  "production does not start without %s, and names it",
  (name) => {
    const env = { ...production, [name]: undefined };
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(name);
  },
);

test("the seller on receipts is the operator's own, and nothing of the sample stays", () => {
  expect(readConfig({ ...production, TAX_PERCENT: "8.875", TAX_NOTE: "Sales tax included." }).seller).toEqual({
    name: "Example Calls Ltd",
    address: ["1 Main Road", "12345 Example"],
    taxId: null,
    taxMillipercent: 8875,
    taxNote: "Sales tax included.",
  });
  expect(readConfig(least).seller.name).toContain("Sample");
});

test("outside production nothing of it is needed", () => {
  expect(readConfig(least)).toMatchObject({ mail: { smtpUrl: null }, secretKeys: [{ id: "development" }] });
});

test.each([
  ["SMTP_URL", "http://mail.example.com"],
  ["MAIL_FROM", "Farline"],
  ["MAIL_FROM", "Farline <a@example.com>\r\nBcc: b@example.com"],
  ["SELLER_ADDRESS", "1 Main Road||Example"],
  ["TAX_PERCENT", "19 %"],
  ["TAX_PERCENT", "100"],
  ["SECRET_KEYS", "1:short"],
  ["SECRET_KEYS", key],
  ["SECRET_KEYS", `1:${key},1:${key}`],
])("a wrong %s (%j) is refused with a sentence that names it", (name, value) => {
  expect(() => readConfig({ ...production, [name]: value })).toThrow(name);
});
