import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCallForOperator } from "@farline/server/calls/calls.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { importDeck } from "@farline/server/decks/decks.ts";
import { systemClock } from "@farline/server/platform/clock.ts";
import { refusingCarrier } from "@farline/voice/test/scenarios/refusals.ts";
import { answeringCarrier } from "@farline/voice/test/scenarios/scenario.ts";
import { startCarrier, type Carrier } from "@farline/voice/test/sipp.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Attacker } from "./src/attacker.ts";
import { startInstallation, type Installation } from "./src/product.ts";
import { asOperator, testContext } from "../server/test/test-context.ts";

const LONDON = "+442079460000";
const BERLIN = "+493023125000";
/** Long, because the carriers must start before the installation, which needs their ports. */
const CARRIER_OPTIONS = { timeoutSeconds: 120 };
const folder = mkdtempSync(join(tmpdir(), "farline-least-cost-"));

let carriers: Record<"unprofitable" | "expensive" | "cheap", Carrier>;
let installation: Installation;
let caller: Attacker;

beforeAll(async () => {
  const [unprofitable, expensive, cheap] = await Promise.all([
    startCarrier(answeringCarrier, CARRIER_OPTIONS),
    startCarrier(answeringCarrier, CARRIER_OPTIONS),
    startCarrier(refusingCarrier("503 Service Unavailable"), CARRIER_OPTIONS),
  ]);
  carriers = { unprofitable, expensive, cheap };
  const file = join(folder, "trunks.json");
  const trunks = Object.entries(carriers).map(([name, { port }]) => ({ name, host: "127.0.0.1", port }));
  writeFileSync(file, JSON.stringify(trunks));
  installation = await startInstallation({ SIP_TRUNKS: file });
  await importFor("unprofitable", ["GB,44,United Kingdom,40,1,1", "DE,49,Germany,40,1,1"]);
  await importFor("expensive", ["GB,44,United Kingdom,0.0015,6,6"]);
  await importFor("cheap", ["GB,44,United Kingdom,0.001,6,6"]);
  caller = await Attacker.signUp(installation, { dollars: 5 });
});
afterAll(async () => {
  await installation?.close();
  await Promise.all(Object.values(carriers ?? {}).map((carrier) => carrier.stop()));
  rmSync(folder, { recursive: true });
});

async function importFor(trunk: string, rows: readonly string[]): Promise<void> {
  const path = join(folder, `${trunk}.csv`);
  writeFileSync(path, ["ISO,Prefix,Destination,Rate,Interval 1,Interval N", ...rows].join("\n"));
  const ctx = asOperator(testContext({ handle: installation.database.handle, clock: systemClock }), "grace");
  const read = {
    source: "carrier.csv",
    name: null,
    increments: null,
    dates: null,
    skipLines: new Set<number>(),
    skipWords: new Set<string>(),
    columns: new Map(),
    newColumns: false,
    kindSure: false,
    complete: true,
    preview: null,
  };
  const reason = "the trunk's price list";
  // The first list of each trunk, before a customer has paid, needs no second operator.
  const order = { ...read, reason, path, trunk, newTrunk: trunk, effective: "now" } as const;
  const { preview } = await importDeck(ctx, order);
  await importDeck(ctx, { ...order, preview });
}

const record = (call: string) =>
  readCallForOperator(asOperator(testContext({ handle: installation.database.handle }), "grace"), { call });

test("the cheapest trunk is tried first and the next one when it fails, and the call's record names both", async () => {
  const { started, line, callID, outcome } = await caller.call(LONDON);
  expect(outcome).toBe("answered");
  await line.bye(callID);
  await expect.poll(async () => (await record(started.call.id)).margin).not.toBeNull();
  const told = await record(started.call.id);
  expect(told).toMatchObject({
    call: { status: "completed" },
    trunk: "expensive",
    attempts: [
      { trunk: "cheap", outcome: "failed", sip_status: 503 },
      { trunk: "expensive", outcome: "answered", sip_status: 200 },
    ],
  });
  // Blocks of six seconds at the price of the trunk that carried the call.
  const costMicros = fromDecimalString(told.cost ?? "0.00");
  expect([costMicros % 150n, costMicros > 0n]).toEqual([0n, true]);
  await Promise.all([carriers.cheap.done, carriers.expensive.done]);
});

test("a call that every trunk would carry at a loss is refused before anything is held", async () => {
  const ask = (path: string) => caller.api("POST", `/api/calls/${path}`, { destination_number: BERLIN });
  await expect.poll(async () => (await ask("quote")).text).toContain("destination_paused");
  const { status, text } = await ask("initiate");
  expect([status, JSON.parse(text)]).toMatchObject([503, { code: "destination_paused" }]);
});
