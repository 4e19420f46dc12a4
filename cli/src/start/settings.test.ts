import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namesReadBy, passedTo } from "@farline/contract/settings/read-settings.ts";
import type { Program } from "@farline/contract/settings/setting.ts";
import { settings, type SettingName } from "@farline/contract/settings/settings.ts";
import { describe, expect, test } from "vitest";
import type { DataDirectory } from "./data-directory.ts";
import {
  findLanAddress,
  missingProviders,
  planParts,
  readAddresses,
  refuseBuiltInDatabase,
  SettingsError,
  warnOfOpenSandbox,
} from "./settings.ts";

test("two installations with different PORT use different ports for everything", () => {
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
  ["SANDBOX_HOST", "not a host"],
  ["PUBLIC_URL", "call.example.com"],
  ["PUBLIC_URL", "https://example.com/calls"],
])("an invalid %s prevents the start with a message that names it", (name, value) => {
  expect(() => readAddresses({ [name]: value })).toThrow(SettingsError);
  expect(() => readAddresses({ [name]: value })).toThrow(name);
});

test("exactly the providers without keys get a stand-in", () => {
  expect(missingProviders({})).toEqual({ payments: true, exchange: true, phoneNetwork: true, google: true, mail: true });
  expect(missingProviders({ GOOGLE_CLIENT_ID: "id" })).toMatchObject({ payments: true, google: false });
  expect(missingProviders({ STRIPE_SECRET_KEY: "sk_live_x" })).toMatchObject({ payments: false, exchange: true });
  expect(missingProviders({ TELNYX_API_KEY: "KEY" })).toMatchObject({ exchange: false, phoneNetwork: false });
  expect(missingProviders({ SIP_TRUNKS: "trunks.json" })).toMatchObject({ exchange: true, phoneNetwork: false });
});

test("an installation with real money never gets the stand-in for Google", () => {
  expect(missingProviders({ STRIPE_SECRET_KEY: "sk_live_x" })).toMatchObject({ google: false });
});

test("an installation with real money never gets the sandbox's mailbox", () => {
  expect(missingProviders({ SMTP_URL: "smtp://mail.example.com" })).toMatchObject({ payments: true, mail: false });
  expect(missingProviders({ STRIPE_SECRET_KEY: "sk_live_x" })).toMatchObject({ mail: false });
});

test("the exchange accepts commands from this machine only, and has the service's caller number", () => {
  const env = { HOST: "0.0.0.0", CALLER_NUMBER: "+12025550199", SIP_TRUNKS: "trunks.json", STRIPE_SECRET_KEY: "sk_test_x" };
  const data = { path: "unused", secrets: {} } as DataDirectory;
  const plans = planParts(env, readAddresses(env), data, "postgres://unused");
  const [exchange, service] = ["exchange", "service"].map((name) => plans.find((plan) => plan.name === name)?.env);
  expect(exchange).toMatchObject({ VOICE_HOST: "0.0.0.0", VOICE_CONTROL_HOST: "127.0.0.1", CALLER_NUMBER: "+12025550199" });
  expect(service).toMatchObject({ TELNYX_API_BASE: "http://127.0.0.1:3006/v2", CALLER_NUMBER: "+12025550199" });
});

test("DATABASE_PASSWORD belongs to the operator's own database, never to the built-in one", () => {
  const data = { path: "unused", secrets: {} } as DataDirectory;
  const passwordOf = (env: Record<string, string>) =>
    planParts(env, readAddresses({}), data, "postgres://unused").find(({ name }) => name === "service")?.env["DATABASE_PASSWORD"];
  expect(passwordOf({ DATABASE_PASSWORD: "a/b", DATABASE_URL: "postgres://farline@db/farline" })).toBe("a/b");
  expect(passwordOf({ DATABASE_PASSWORD: "a/b" })).toBe("");
});

describe("an installation with stand-ins that is opened to the network", () => {
  const data = { path: "unused", secrets: {} } as DataDirectory;
  const sandboxOf = (env: Record<string, string>) =>
    planParts(env, readAddresses(env), data, "postgres://unused").find(({ name }) => name === "sandbox")?.env;

  test.each(["0.0.0.0", "::", "192.168.1.5"])("keeps them on this machine with HOST=%s, with a notice", (HOST) => {
    expect(sandboxOf({ HOST })).toMatchObject({ SANDBOX_HOST: "127.0.0.1" });
    expect(warnOfOpenSandbox({ HOST }, readAddresses({ HOST }))).toContain("stay on this machine");
  });

  test("opens them if SANDBOX_HOST is set, with a warning", () => {
    const env = { HOST: "0.0.0.0", SANDBOX_HOST: "0.0.0.0" };
    expect(sandboxOf(env)).toMatchObject({ SANDBOX_HOST: "0.0.0.0" });
    expect(warnOfOpenSandbox(env, readAddresses(env))).toContain("Anyone who reaches it");
  });

  test("does not warn if it is not opened to the network, or has no stand-ins", () => {
    const real = { HOST: "0.0.0.0", STRIPE_SECRET_KEY: "sk_live_x", SIP_TRUNKS: "trunks.json" };
    for (const env of [{}, { HOST: "localhost", SANDBOX_HOST: "::1" }, real])
      expect(warnOfOpenSandbox(env, readAddresses(env))).toBeNull();
  });
});

/** Values for all settings, except for the file and the ports, which `npm start` itself reads. */
const EVERYTHING = Object.fromEntries(
  (Object.keys(settings) as SettingName[])
    .filter((name) => !/PORT$|^HOST$|_URL$|^SIP_TRUNKS$/.test(name))
    .map((name) => [name, `own ${name}`]),
);

test("each program gets the operator's values of the settings that it reads, and nothing else", () => {
  const data = { path: "unused", secrets: {} } as DataDirectory;
  const providers = { TELNYX_API_KEY: "", STRIPE_SECRET_KEY: "", SIP_TRUNKS: "trunks.json", UNDECLARED: "x", PATH: "/bin" };
  const env: Record<string, string> = { ...EVERYTHING, ...providers };
  const plans = planParts(env, readAddresses({}), data, "postgres://unused");
  expect(plans.map(({ name }) => name)).toEqual(["sandbox", "exchange", "service"]);
  for (const { name, env: given } of plans) {
    const known = new Set<string>(["PATH", ...namesReadBy(name as Program)]);
    expect(Object.keys(given).filter((one) => !known.has(one))).toEqual([]);
    for (const own of passedTo(name as Program))
      if (EVERYTHING[own] !== undefined && env[own] !== "") expect(given).toHaveProperty(own);
  }
  const service = plans.find(({ name }) => name === "service")?.env;
  expect(service).toMatchObject({ SUPPORT_EMAIL: "own SUPPORT_EMAIL", SOCIAL_LINKS: "own SOCIAL_LINKS" });
  expect(plans.find(({ name }) => name === "exchange")?.env).toMatchObject({ MAX_CALLS: "own MAX_CALLS" });
  expect(plans.find(({ name }) => name === "sandbox")?.env["GOOGLE_CLIENT_ID"]).toBeUndefined();
});

test.each([
  [{}, false],
  [{ NODE_ENV: "production" }, true],
  [{ NODE_ENV: "production", ALLOW_SANDBOX: "true" }, false],
  [{ NODE_ENV: "production", DATABASE_URL: "postgres://db.example.com/farline" }, false],
  [{ STRIPE_SECRET_KEY: "sk_live_x" }, true],
  [{ TELNYX_API_KEY: "KEY" }, true],
  [{ TELNYX_API_KEY: "KEY", TELNYX_API_BASE: "http://127.0.0.1:3006/v2" }, false],
  [{ GOOGLE_CLIENT_ID: "id" }, true],
])("with %j the built-in PostgreSQL is refused: %s", (env, refused) => {
  if (refused) expect(() => refuseBuiltInDatabase(env)).toThrow("DATABASE_URL");
  else expect(() => refuseBuiltInDatabase(env)).not.toThrow();
});

test("a refusal says that NODE_ENV asks for production's rules where nothing else does", () => {
  expect(() => refuseBuiltInDatabase({ NODE_ENV: "production" })).toThrow("unset it to try Farline on this machine");
  const live = { NODE_ENV: "production", STRIPE_SECRET_KEY: "sk_live_x" };
  expect(() => refuseBuiltInDatabase(live)).toThrow(/not the built-in one\.$/);
});

test("a real carrier cannot be combined with play money", () => {
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

test("browsers' audio is offered on this machine and in its network, unless the operator says where", () => {
  const boundIn = (env: Record<string, string>) => {
    const plans = planParts(env, readAddresses(env), { path: "unused", secrets: {} } as DataDirectory, "postgres://unused");
    return plans.find(({ name }) => name === "exchange")?.env["VOICE_MEDIA_IP"];
  };
  expect(boundIn({})).toBe("0.0.0.0");
  expect(boundIn({ VOICE_MEDIA_IP: "10.0.0.5" })).toBe("10.0.0.5");
});

test.each([
  ["127.0.0.1", "http://127.0.0.1"],
  ["0.0.0.0", "http://127.0.0.1"],
  ["192.168.1.5", "http://192.168.1.5"],
  ["::", "http://[::1]"],
  ["::1", "http://[::1]"],
])("what listens on %s is reached at %s", (host, url) => {
  const env = { HOST: host, SANDBOX_HOST: host };
  const plans = planParts(env, readAddresses(env), { path: "unused", secrets: {} } as DataDirectory, "postgres://unused");
  const envOf = (part: string) => plans.find(({ name }) => name === part)?.env;
  expect(envOf("exchange")).toMatchObject({ WEBHOOK_URL: `${url}:3000/api/webhooks/telnyx` });
  expect(envOf("sandbox")).toMatchObject({ STRIPE_WEBHOOK_URL: `${url}:3000/api/webhooks/stripe` });
  expect(envOf("service")).toMatchObject({ STRIPE_API_BASE: `${url}:3001` });
});

test("with --lan all goes through one https address, the sandbox stays here, and the visitors of its front door stay distinct", () => {
  const addresses = readAddresses({ PORT: "4000" }, "192.168.1.20");
  expect(addresses.publicUrl).toBe("https://192.168.1.20:4008");
  const data = { path: "unused", secrets: {} } as DataDirectory;
  const plans = planParts({ PORT: "4000" }, addresses, data, "postgres://unused");
  const envOf = (part: string) => plans.find(({ name }) => name === part)?.env;
  expect(envOf("service")).toMatchObject({
    PUBLIC_URL: "https://192.168.1.20:4008",
    VOICE_WS_URL: "wss://192.168.1.20:4008",
    SANDBOX_URL: "http://localhost:4001",
    TRUSTED_PROXIES: "1",
    HOST: "127.0.0.1",
  });
  expect(envOf("exchange")).toMatchObject({ ALLOWED_ORIGINS: "https://192.168.1.20:4008", TRUSTED_PROXIES: "1" });
  expect(() => findLanAddress({ PUBLIC_URL: "https://calls.example.com" })).toThrow("leave out PUBLIC_URL");
});
