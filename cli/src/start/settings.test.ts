import { expect, test } from "vitest";
import { missingProviders, readAddresses, SettingsError } from "./settings.ts";

test("two installations need only another PORT to stay apart", () => {
  const ports = (port: string) => {
    const a = readAddresses({ PORT: port });
    return [a.port, a.sandboxPort, a.voicePort, a.sandboxSipPort, a.exchangeSipPort];
  };
  expect(new Set([...ports("3000"), ...ports("3100")]).size).toBe(10);
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
  expect(missingProviders({})).toEqual({ payments: true, exchange: true, phoneNetwork: true });
  expect(missingProviders({ STRIPE_SECRET_KEY: "sk_live_x" })).toMatchObject({ payments: false, exchange: true });
  expect(missingProviders({ TELNYX_API_KEY: "KEY" })).toMatchObject({ exchange: false, phoneNetwork: false });
  expect(missingProviders({ SIP_TRUNKS: "trunks.json" })).toMatchObject({ exchange: true, phoneNetwork: false });
});
