import { afterEach, beforeEach, expect, test } from "vitest";
import { StrictTelnyx } from "../../../test/fakes/strict-telnyx/strict-telnyx.ts";
import { createTelnyx } from "../provider/telnyx-client.ts";
import { checkAccount } from "./watch-account.ts";
import { judgeAccount } from "./judge-account.ts";
import { setUpAccount } from "./set-up-account.ts";
import type { AccountRequirements } from "./account-requirements.ts";

let telnyx: StrictTelnyx;
let required: AccountRequirements;
beforeEach(async () => {
  telnyx = await StrictTelnyx.start(() => new Date());
  required = {
    connectionId: null,
    publicKeys: [telnyx.publicKey],
    webhookUrl: "https://farline.example/api/webhooks/telnyx",
    callerNumber: "+12025550143",
    countries: ["GB", "IN", "US"],
    highestCostMicros: 450_000n,
  };
  telnyx.account.connections.clear();
  telnyx.account.addNumber("+12025550143");
});
afterEach(async () => {
  expect(telnyx.refused).toEqual([]);
  await telnyx.close();
});

const client = (apiKey = "KEY-test") => createTelnyx({ telnyx: { apiKeys: [apiKey], apiBase: telnyx.url } });
const setUp = (overrides: Partial<AccountRequirements> = {}, options = {}) =>
  setUpAccount(client(), { ...required, ...overrides }, { name: "farline", dailyLimit: null, dryRun: false, ...options });
const bad = async (overrides: Partial<AccountRequirements>) =>
  (await checkAccount(client(), { ...required, ...overrides }))
    .filter(({ level }) => level !== "ok")
    .map(({ level, text }) => `${level}: ${text}`);
const writes = () => telnyx.requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);

test("setup creates everything that check requires, and a second run changes nothing", async () => {
  const first = await setUp();
  expect(first.changes).toHaveLength(3);
  const connectionId = first.connectionId;
  expect(await bad({ connectionId })).toEqual([]);
  telnyx.requests.length = 0;
  expect(await setUp({ connectionId })).toEqual({ changes: [], notes: [], connectionId });
  expect(await setUp()).toEqual({ changes: [], notes: [], connectionId });
  expect(writes()).toEqual([]);
  expect([...telnyx.account.connections.values()][0]).toMatchObject({
    sip_uri_calling_preference: "disabled",
    outbound: { call_parking_enabled: true, ani_override: "+12025550143", ani_override_type: "always", localization: "US" },
  });
});

test("our own exchange may deliver webhooks to another host but not to another path", () => {
  const judged = (url: string) =>
    judgeAccount(
      {
        connection: {
          outbound: { call_parking_enabled: true },
          webhook_event_url: url,
          webhook_api_version: "2",
          call_cost_in_webhooks: true,
        },
        details: null,
      },
      required,
    ).filter(({ level }) => level !== "ok");
  expect(judged("http://10.0.0.7:3000/api/webhooks/telnyx")).toEqual([]);
  for (const url of ["http://10.0.0.7:3000/api/webhooks/stripe", "", "nonsense"])
    expect(judged(url)).toMatchObject([{ level: "failure", text: expect.stringContaining("WEBHOOK_URL") }]);
});

test("a dry run lists the changes without making them", async () => {
  const { changes, connectionId } = await setUp({}, { dryRun: true });
  expect(changes.map((text) => text.split(":")[0])).toEqual([
    'Create the outbound voice profile "farline"',
    'Create the connection "farline"',
    "Bind +12025550143 to the connection.",
  ]);
  expect([connectionId, writes()]).toEqual([null, []]);
});

test("a setup that failed halfway is completed by the next run without a second profile", async () => {
  telnyx.failing = ({ method, path }) => method === "POST" && path === "/credential_connections";
  await expect(setUp()).rejects.toThrow("500");
  telnyx.failing = () => false;
  const { connectionId } = await setUp();
  expect(await bad({ connectionId })).toEqual([]);
  expect([telnyx.account.profiles.size, telnyx.account.connections.size]).toEqual([1, 1]);
});

test("setup repairs changed settings, keeps the operator's additions, and leaves other profiles alone", async () => {
  const { connectionId } = await setUp();
  const others = [
    telnyx.account.createProfile({ name: "farline-2" }),
    telnyx.account.createConnection({ connection_name: "other" }),
  ];
  const before = JSON.stringify(others);
  const [profile] = telnyx.account.profiles.values();
  Object.assign(profile ?? {}, { whitelisted_destinations: ["US", "JP"], max_destination_rate: 0.1, daily_spend_limit: "50.00" });
  const connection = telnyx.account.connections.get(connectionId ?? "");
  Object.assign(connection ?? {}, {
    outbound: { call_parking_enabled: false, channel_limit: 7 },
    webhook_event_url: "https://old.example",
  });
  expect((await setUp({ connectionId })).changes).toHaveLength(2);
  expect(await bad({ connectionId })).toEqual([]);
  const outbound = { call_parking_enabled: true, channel_limit: 7 };
  expect(telnyx.account.connections.get(connectionId ?? "")).toMatchObject({ outbound });
  const repaired = { whitelisted_destinations: ["GB", "IN", "JP", "US"], max_destination_rate: 0.45, daily_spend_limit: "50.00" };
  expect([...telnyx.account.profiles.values()][0]).toMatchObject(repaired);
  expect(JSON.stringify(others)).toBe(before);
});

test("setup reports a number that is bound to another connection or not owned, and leaves it alone", async () => {
  const [number] = telnyx.account.numbers.values();
  Object.assign(number ?? {}, { connection_id: "77" });
  expect((await setUp()).notes).toEqual(["+12025550143 is bound to connection 77 and was left there; calls can still show it."]);
  expect((await setUp({ callerNumber: "+12025550199" })).notes).toEqual([
    "The account does not own +12025550199: buy or port it, then run this again.",
  ]);
  expect(number?.["connection_id"]).toBe("77");
});

test("check reports each wrong setting with its remedy", async () => {
  const { connectionId } = await setUp();
  const connection = telnyx.account.connections.get(connectionId ?? "") ?? {};
  const [profile = {}] = telnyx.account.profiles.values();
  telnyx.account.balance = "-1.20";
  telnyx.account.numbers.clear();
  Object.assign(connection, {
    active: false,
    webhook_event_url: "https://old.example",
    webhook_api_version: "1",
    call_cost_in_webhooks: false,
    outbound: { ...(connection["outbound"] as object), call_parking_enabled: false },
  });
  Object.assign(profile, {
    enabled: false,
    whitelisted_destinations: ["US"],
    daily_spend_limit_enabled: false,
    max_destination_rate: 0.1,
  });
  expect(await bad({ connectionId, publicKeys: [telnyx.publicKey, "abc"] })).toEqual([
    "failure: TELNYX_PUBLIC_KEY is not 32 bytes in base64: copy the public key from the portal's page of API keys.",
    "failure: The connection is not active: run `telnyx setup`.",
    "failure: The connection does not park calls, so no browser gets a token: run `telnyx setup`.",
    "failure: Its webhooks go to https://old.example instead of https://farline.example/api/webhooks/telnyx: correct PUBLIC_URL, or run `telnyx setup`.",
    "failure: Its webhooks are not version 2: run `telnyx setup`.",
    "warning: Its webhooks do not report costs: run `telnyx setup`.",
    "failure: The account has no credit (-$1.20), so every call fails: top it up.",
    "failure: The outbound voice profile is switched off: run `telnyx setup`.",
    "failure: It refuses calls to countries on sale (GB, IN): run `telnyx setup`.",
    "warning: It has no daily limit, so fraud could cost any amount: run `telnyx setup` --daily-limit.",
    "failure: It refuses calls above $0.1 a minute, but some destinations on sale cost $0.4500: run `telnyx setup`.",
    "failure: The account does not own +12025550143: buy or port it, or set CALLER_NUMBER to a number that it owns.",
  ]);
});

test("check reports a wrong key, an unknown connection and low credit", async () => {
  expect(await checkAccount(client("wrong"), required)).toEqual([
    { level: "failure", text: "The provider refuses TELNYX_API_KEY: create a new key in the portal and set it." },
  ]);
  expect(await bad({ connectionId: "404" })).toEqual([
    "failure: There is no connection 404: run `telnyx setup` and set TELNYX_CONNECTION_ID to the id it prints.",
  ]);
  telnyx.account.balance = "5.00";
  expect(await bad({ connectionId: "404" })).toContain(
    "warning: The account's credit is low ($5.00): top it up, or switch on automatic recharging.",
  );
});
