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
