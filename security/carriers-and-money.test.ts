import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { becomes } from "@farline/drills/support/readiness.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Call } from "@farline/contract/calls.ts";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import { fromDecimalString, MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import { carrierScenarios, everySecond, IS_FULL, SCENARIO_NUMBER } from "@farline/voice/test/scenarios/carrier-scenarios.ts";
import { carrierScript } from "@farline/voice/test/scenarios/carrier-script.ts";
import type { CarrierScenario } from "@farline/voice/test/scenarios/scenario.ts";
import { startScript, type Carrier } from "@farline/voice/test/sipp.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Attacker, base64, type Line } from "./src/attacker.ts";
import { startInstallation, type Installation } from "./src/product.ts";

/** For all scenarios together. */
const CARRIER_LIMIT_SECONDS = 240;
const DOLLARS = 20;
/** The end reasons in the record for the causes that the exchange reports; an answered call has "hangup". */
const REASONS: Readonly<Record<string, string>> = {
  normal_clearing: "hangup",
  user_busy: "busy",
  no_answer: "no_answer",
  not_found: "invalid_number",
  call_rejected: "rejected",
  originator_cancel: "cancelled",
  unspecified: "network_failure",
};

let installation: Installation;

const scenarios = carrierScenarios.filter(({ isSlow }) => isSlow !== true);

/** An exchange has at most as many. */
const MAX_TRUNKS = 50;
/** Every second one first, then the others. What one installation cannot dial is for the full run. */
const ordered = [...everySecond(scenarios, 0), ...everySecond(scenarios, 1)];
const parts = Array.from({ length: IS_FULL ? Math.ceil(ordered.length / MAX_TRUNKS) : 1 }, (_, part) =>
  ordered.slice(part * MAX_TRUNKS, (part + 1) * MAX_TRUNKS),
);

describe.each(parts.map((ones, index) => [index, ones] as const))("in part %i of the scenarios,", (_index, ones) => {
  /** Each scenario has its own number and trunk, so that one installation can dial them all. */
  const played = ones.map((scenario, index) => ({
    ...scenario,
    number: `+4474001${String(index).padStart(5, "0")}`,
  }));

  let folder: string;
  /** One for each number, so that each has a separate balance to check. */
  const callers = new Map<string, Attacker>();
  const carriers: Carrier[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "farline-carriers-"));
    const started = played.map(({ steps, number }) => {
      const script = carrierScript(steps).replaceAll(SCENARIO_NUMBER.slice(1), number.slice(1));
      return startScript(script, { timeoutSeconds: CARRIER_LIMIT_SECONDS });
    });
    carriers.push(...(await Promise.all(started)));
    const trunks = played.map(({ number, trunk }, index) => ({
      name: `carrier ${index}`,
      host: "127.0.0.1",
      port: carriers[index]?.port,
      prefixes: [number],
      number_format: trunk?.numberFormat,
      tech_prefix: trunk?.techPrefix,
      session_timers: trunk?.sessionTimers,
      username: trunk?.username,
      password: trunk?.password,
    }));
    const file = join(folder, "trunks.json");
    writeFileSync(file, JSON.stringify(trunks));
    installation = await startInstallation({ SIP_TRUNKS: file, CALLER_NUMBER: "+12025550143", FIRST_CALL_BONUS: "0" });
    for (const { number } of played) callers.set(number, await Attacker.signUp(installation, { dollars: DOLLARS }));
  });
  afterAll(async () => {
    await installation?.close();
    for (const carrier of carriers) await carrier.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  describe.concurrent("a call's cost and final record match what the carrier did:", () => {
    test.each(played)("$name", async (scenario) => {
      const caller = callers.get(scenario.number) as Attacker;
      try {
        const call = await dial(caller, scenario);
        await carriers[played.indexOf(scenario)]?.done;
        check(call, scenario.reported);
        expect(await moneyOf(caller.id)).toEqual({
          balance: BigInt(DOLLARS) * MICROS_PER_DOLLAR - fromDecimalString(call.cost),
          held: 0n,
          open_holds: 0n,
          ledger: fromDecimalString(call.cost),
        });
      } finally {
        await caller.leave();
      }
    });
  });
});

/** Makes the call and returns its final record. */
async function dial(caller: Attacker, { number, hangUp }: CarrierScenario & { number: string }): Promise<Call> {
  const line = await caller.line();
  const started = await caller.authorise(number);
  const callID = await line.invite(number, { clientState: base64(started.ticket) });
  if (hangUp !== undefined) {
    expect(await becomes(() => hasHeard(line, hangUp), PATIENCE_MS), `the call is ${hangUp}`).toBe(true);
    await line.bye(callID);
  }
  let call = started.call;
  const settled = async (): Promise<boolean> => {
    const { status, text } = await caller.api("GET", `/api/calls/${call.id}`);
    if (status !== 200) throw new Error(`the call's record cannot be read: ${text}`);
    call = (JSON.parse(text) as { call: Call }).call;
    return call.status === "completed" || call.status === "failed";
  };
  expect(await becomes(settled, PATIENCE_MS), "the call is settled").toBe(true);
  return call;
}

function hasHeard(line: Line, moment: "ringing" | "answered"): boolean {
  return line.client.received.some(({ method, params }) =>
    moment === "answered" ? method === "telnyx_rtc.answer" : params?.["far_end"] === "ringing",
  );
}

/** @param reported "answered " if the far end was, then cause, source and SIP status */
function check(call: Call, reported: string): void {
  const answered = reported.startsWith("answered ");
  const [cause = "", source = ""] = reported.replace("answered ", "").split(" ");
  expect({ status: call.status, reason: call.end_reason, by: call.hung_up_by }).toEqual({
    status: answered ? "completed" : "failed",
    reason: REASONS[cause],
    by: answered ? source : null,
  });
  if (!answered) return expect(fromDecimalString(call.cost)).toBe(0n);
  expect(call.duration_seconds).toBeGreaterThan(0);
  const rate = {
    ratePerMinuteMicros: fromDecimalString(call.rate_per_minute),
    firstIntervalSeconds: call.first_interval_s,
    nextIntervalSeconds: call.next_interval_s,
  };
  expect(fromDecimalString(call.cost)).toBe(chargeFor(call.duration_seconds, rate));
}

/** A customer's balance and holds, and what the ledger has charged for calls. */
async function moneyOf(customerId: string): Promise<Record<string, bigint>> {
  const { rows } = await installation.database.handle.pool.query<Record<string, bigint>>(
    `select a.balance_micros as balance, a.held_micros as held,
            (select count(*) from hold h where h.customer_id = $1 and h.state = 'pending') as open_holds,
            (select coalesce(sum(h.posted_micros), 0)::bigint from hold h where h.customer_id = $1) as ledger
     from account a where a.customer_id = $1`,
    [customerId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("The customer has no account.");
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, BigInt(value)]));
}
