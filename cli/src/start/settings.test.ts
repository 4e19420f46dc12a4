import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DataDirectory } from "./data-directory.ts";
import { missingProviders, planParts, readAddresses, SettingsError } from "./settings.ts";

test("two installations need only another PORT to stay apart", () => {
  const ports = (port: string) => {
    const a = readAddresses({ PORT: port });
    return [a.port, a.sandboxPort, a.voicePort, a.sandboxSipPort, a.exchangeSipPort, a.sandboxSmtpPort, a.voiceControlPort];
  };
  expect(new Set([...ports("3000"), ...ports("3100")]).size).toBe(14);
});

test.each([
  ["PORT", "abc"],
  ["PORT", "70000"],
  ["SANDBOX_PORT", "0"],
  ["HOST", "not a host"],
])("a wrong %s stops the start with a sentence that names it", (name, value) => {
  expect(() => readAddresses({ [name]: value })).toThrow(SettingsError);
  expect(() => readAddresses({ [name]: value })).toThrow(name);
});

test("a stand-in takes the place of exactly what has no keys", () => {
  expect(missingProviders({})).toEqual({ payments: true, exchange: true, phoneNetwork: true, google: true, mail: true });
  expect(missingProviders({ GOOGLE_CLIENT_ID: "id" })).toMatchObject({ payments: true, google: false });
  expect(missingProviders({ STRIPE_SECRET_KEY: "sk_live_x" })).toMatchObject({ payments: false, exchange: true });
  expect(missingProviders({ TELNYX_API_KEY: "KEY" })).toMatchObject({ exchange: false, phoneNetwork: false });
  expect(missingProviders({ SIP_TRUNKS: "trunks.json" })).toMatchObject({ exchange: true, phoneNetwork: false });
});

test("the stand-in for Google, where anybody may be anyone, never comes with real money", () => {
  expect(missingProviders({ STRIPE_SECRET_KEY: "sk_live_x" })).toMatchObject({ google: false });
});

test("the mailbox that anybody may read never takes the mails of an installation with real money", () => {
  expect(missingProviders({ SMTP_URL: "smtp://mail.example.com" })).toMatchObject({ payments: true, mail: false });
  expect(missingProviders({ STRIPE_SECRET_KEY: "sk_live_x" })).toMatchObject({ mail: false });
});

test("commands to the exchange stay on this machine, and it shows the service's caller number", () => {
  const env = { HOST: "0.0.0.0", CALLER_NUMBER: "+12025550199", SIP_TRUNKS: "trunks.json", STRIPE_SECRET_KEY: "sk_test_x" };
  const data = { path: "unused", secrets: {} } as DataDirectory;
  const plans = planParts(env, readAddresses(env), data, "postgres://unused");
  const [exchange, service] = ["exchange", "service"].map((name) => plans.find((plan) => plan.name === name)?.env);
  expect(exchange).toMatchObject({ VOICE_HOST: "0.0.0.0", VOICE_CONTROL_HOST: "127.0.0.1", CALLER_NUMBER: "+12025550199" });
  expect(service).toMatchObject({ TELNYX_API_BASE: "http://127.0.0.1:3006/v2", CALLER_NUMBER: "+12025550199" });
});

test("a real carrier is never paid with play money", () => {
  const folder = mkdtempSync(join(tmpdir(), "farline-trunks-"));
  const file = join(folder, "trunks.json");
  const plan = (host: string, key?: string) => {
    writeFileSync(file, JSON.stringify([{ name: "one", host }]));
    const env = { SIP_TRUNKS: file, STRIPE_SECRET_KEY: key };
    return planParts(env, readAddresses(env), { path: folder, secrets: {} } as DataDirectory, "postgres://unused");
  };
  for (const key of [undefined, "sk_test_x"]) {
    expect(() => plan("sip.carrier.example", key)).toThrow(SettingsError);
    expect(() => plan("sip.carrier.example", key)).toThrow("SIP_TRUNKS");
  }
  expect(plan("sip.carrier.example", "sk_live_x").map(({ name }) => name)).toEqual(["exchange", "service"]);
  expect(plan("127.0.0.1").map(({ name }) => name)).toContain("exchange");
  rmSync(folder, { recursive: true });
});
