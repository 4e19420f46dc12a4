import { randomBytes } from "node:crypto";
import { passedTo } from "@farline/contract/settings/read-settings.ts";
import type { Setting } from "@farline/contract/settings/setting.ts";
import { settings } from "@farline/contract/settings/settings.ts";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { ConfigError, readConfig } from "./config.ts";

const key = randomBytes(32).toString("base64");
/** A developer's machine with sandbox providers. */
const required = {
  DATABASE_URL: "postgres://localhost/farline",
  TELNYX_API_KEY: "KEY1",
  TELNYX_PUBLIC_KEY: key,
  TELNYX_CONNECTION_ID: "1",
  TELNYX_API_BASE: "http://127.0.0.1:3006/v2",
  STRIPE_SECRET_KEY: "sk_test_1",
  STRIPE_WEBHOOK_SECRET: "whsec_1",
  STRIPE_API_BASE: "http://127.0.0.1:3001",
  SANDBOX_URL: "http://localhost:3001",
};
const production = {
  ...required,
  TELNYX_API_BASE: undefined,
  STRIPE_SECRET_KEY: "sk_live_1",
  STRIPE_API_BASE: undefined,
  SANDBOX_URL: undefined,
  NODE_ENV: "production",
  PUBLIC_URL: "https://calls.example.com",
  METRICS_TOKEN: "a token of sixteen",
  CALLER_NUMBER: "+12025551234",
  SMTP_URL: "smtps://user:secret@mail.example.com",
  MAIL_FROM: "Farline <no-reply@example.com>",
  SELLER_NAME: "Example Calls Ltd",
  SELLER_ADDRESS: "1 Main Road | 12345 Example",
  SELLER_LAW: "England and Wales",
  SELLER_REGISTRATION: "Companies House 01234567",
  SUPPORT_HOURS: "mon-fri 09:00-18:00 Europe/London",
  SECRET_KEYS: `2026:${key}, old:${randomBytes(32).toString("base64")}`,
};

test("production starts when everything is set, and signs with the first secret", () => {
  const config = readConfig(production);
  expect(config.mail).toEqual({ smtpUrl: "smtps://user:secret@mail.example.com", from: "Farline <no-reply@example.com>" });
  expect(config.secretKeys.map((one) => one.id)).toEqual(["2026", "old"]);
  expect(config.secretKeys[0].secret.toString("base64")).toBe(key);
});

test.each([
  "https://example.com/calls",
  "https://calls.example.com/?a=b",
  "https://calls.example.com/#a",
  "https://a:b@example.com",
  "call.example.com",
])("PUBLIC_URL is an origin, not %s", (PUBLIC_URL) => {
  expect(() => readConfig({ ...production, PUBLIC_URL })).toThrow("PUBLIC_URL: must be like https://call.example.com");
});

test("a slash at the end of PUBLIC_URL does not count", () => {
  expect(readConfig({ ...production, PUBLIC_URL: "https://calls.example.com/" }).publicUrl).toBe("https://calls.example.com");
});

/** Settings that the reference requires in production, except DATABASE_URL, which `npm start` checks. */
const NEEDED = passedTo("service")
  .concat("PUBLIC_URL", "SECRET_KEYS")
  .filter((name) => (settings[name] as Setting).production?.startsWith("Required"));

test("the settings reference marks what production requires", () => {
  expect(NEEDED).toContain("SMTP_URL");
  expect(NEEDED).toHaveLength(9);
});

describe.each([
  ["NODE_ENV=production", production],
  ["a live Stripe key and no NODE_ENV", { ...production, NODE_ENV: undefined, TELNYX_API_BASE: "http://127.0.0.1:3006/v2" }],
  ["a restricted live Stripe key", { ...production, NODE_ENV: undefined, STRIPE_SECRET_KEY: "rk_live_1" }],
  ["a Telnyx key and no NODE_ENV", { ...production, NODE_ENV: "development" }],
])("with %s the rules of production hold", (_why, installation) => {
  test("it starts with everything set", () => {
    expect(readConfig(installation).mode).toBe("live");
  });

  test.each(NEEDED)("it does not start without %s, and names it", (name) => {
    const env = { ...installation, [name]: undefined };
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(name);
  });

  test.each([
    ["PUBLIC_URL", "http://calls.example.com"],
    ["LIMITS_SCALE", "0"],
    ["VOICE_WS_URL", "ws://calls.example.com"],
    ["CALLER_NUMBER", "+12025550143"],
    ["STRIPE_API_BASE", "http://127.0.0.1:3001"],
    ["SANDBOX_URL", "https://sandbox.example.com"],
    ["OIDC_ISSUER", "https://sandbox.example.com/google"],
  ])("it does not start with %s=%s", (name, value) => {
    expect(() => readConfig({ ...installation, [name]: value })).toThrow(name);
  });
});

test.each(["p#ss", "p/ss", "p?ss", "100%"])(
  "a database's address whose password %s is not encoded is refused without quoting it",
  (password) => {
    const env = { ...required, DATABASE_URL: `postgres://farline:${password}@localhost/farline` };
    expect(() => readConfig(env)).toThrow(/DATABASE_URL: must be like postgres:[^]*write # as %23/);
    expect(() => readConfig(env)).not.toThrow(password);
    const encoded = `postgres://farline:${encodeURIComponent(password)}@localhost/farline`;
    expect(readConfig({ ...required, DATABASE_URL: encoded }).databaseUrl).toBe(encoded);
  },
);

test.each(["p#ss", "p/ss@:?", "$a b", "100%", "%41", "Ünal"])(
  "a database's password %s is given as it is, beside the address",
  (password) => {
    const env = { DATABASE_URL: "postgres://farline@db/farline", DATABASE_READ_URL: "postgres://farline:old@standby/farline" };
    const { databaseUrl, databaseReadUrl } = readConfig({ ...required, ...env, DATABASE_PASSWORD: password });
    for (const [url, host] of [
      [databaseUrl, "db"],
      [databaseReadUrl, "standby"],
    ] as const) {
      expect(new pg.Client({ connectionString: url ?? "" })).toMatchObject({
        host,
        password,
        user: "farline",
        database: "farline",
      });
    }
    expect(readConfig({ ...required, ...env, DATABASE_PASSWORD: "" }).databaseReadUrl).toBe(env.DATABASE_READ_URL);
  },
);

test("production refuses Stripe's test mode", () => {
  const ownExchange = { ...production, TELNYX_API_BASE: "http://127.0.0.1:3006/v2" };
  expect(() => readConfig({ ...ownExchange, STRIPE_SECRET_KEY: "sk_test_1" })).toThrow("STRIPE_SECRET_KEY");
});

const demonstration = {
  ...required,
  NODE_ENV: "production",
  ALLOW_SANDBOX: "true",
  PUBLIC_URL: "https://demo.example.com",
  METRICS_TOKEN: production.METRICS_TOKEN,
  SECRET_KEYS: production.SECRET_KEYS,
  SMTP_URL: production.SMTP_URL,
};

test("a sandbox demonstration starts in production only if explicitly allowed and with its own secrets", () => {
  expect(readConfig(demonstration).mode).toBe("sandbox");
  expect(() => readConfig({ ...demonstration, ALLOW_SANDBOX: undefined })).toThrow("ALLOW_SANDBOX");
  for (const name of ["PUBLIC_URL", "METRICS_TOKEN", "SECRET_KEYS", "SMTP_URL"])
    expect(() => readConfig({ ...demonstration, [name]: undefined })).toThrow(name);
});

test.each([
  ["a Telnyx key beside the sandbox's payments", { TELNYX_API_BASE: undefined }, "TELNYX_API_KEY"],
  ["Telnyx's own address beside the sandbox's payments", { TELNYX_API_BASE: "https://api.telnyx.com/v2" }, "TELNYX_API_KEY"],
  ["a Telnyx key beside Stripe's test mode", { TELNYX_API_BASE: undefined, STRIPE_API_BASE: undefined }, "TELNYX_API_KEY"],
  ["a live key at the sandbox", { STRIPE_SECRET_KEY: "sk_live_1" }, "STRIPE_API_BASE"],
  ["a live key beside a sandbox's phone network", { STRIPE_SECRET_KEY: "rk_live_1", STRIPE_API_BASE: undefined }, "SANDBOX_URL"],
  ["half a Google client", { GOOGLE_CLIENT_ID: "id" }, "GOOGLE_CLIENT_SECRET"],
  [
    "real identities beside a sandbox, unless that is allowed",
    { ALLOW_SANDBOX: undefined, NODE_ENV: undefined, GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "secret" },
    "ALLOW_SANDBOX",
  ],
])("%s is refused even in a demonstration", (_what, settings, named) => {
  expect(() => readConfig({ ...demonstration, ...settings })).toThrow(named);
});

test("the operator's seller details replace the sample's completely", () => {
  expect(readConfig({ ...production, TAX_PERCENT: "8.875", TAX_NOTE: "Sales tax included." }).seller).toEqual({
    name: "Example Calls Ltd",
    address: ["1 Main Road", "12345 Example"],
    taxId: null,
    taxMillipercent: 8875,
    taxNote: "Sales tax included.",
  });
  expect(readConfig(required).seller.name).toContain("Sample");
});

test("outside production no seller is needed", () => {
  expect(readConfig(required)).toMatchObject({ mail: { smtpUrl: null }, secretKeys: [{ id: "development" }] });
});

test.each([
  ["SMTP_URL", "http://mail.example.com"],
  ["MAIL_FROM", "Farline"],
  ["MAIL_FROM", "Farline <a@example.com>\r\nBcc: b@example.com"],
  ["SELLER_ADDRESS", "1 Main Road||Example"],
  ["SUPPORT_HOURS", "always"],
  ["CARD_BRANDS", "visa maestro"],
  ["TAX_PERCENT", "19 %"],
  ["TAX_PERCENT", "100"],
  ["SECRET_KEYS", "1:short"],
  ["SECRET_KEYS", key],
  ["SECRET_KEYS", `1:${key},1:${key}`],
])("a wrong %s (%j) is refused with a message that names it", (name, value) => {
  expect(() => readConfig({ ...production, [name]: value })).toThrow(name);
});

test("taking real money without a registration or support hours logs a warning for each", () => {
  const { warnings } = readConfig({
    ...production,
    TRUSTED_PROXIES: "1",
    SELLER_REGISTRATION: undefined,
    SUPPORT_HOURS: undefined,
  });
  expect(warnings.map((one) => one.split(" ")[0])).toEqual(["SELLER_REGISTRATION", "SUPPORT_HOURS"]);
});

test("HTTPS without a trusted proxy logs a warning", () => {
  expect(readConfig(production).warnings.join()).toContain("TRUSTED_PROXIES");
  expect(readConfig({ ...production, TRUSTED_PROXIES: "1" }).warnings).toEqual([]);
  expect(readConfig(required).warnings).toEqual([]);
});
