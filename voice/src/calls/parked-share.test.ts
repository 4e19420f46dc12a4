import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallerIds } from "./caller-ids.ts";
import type { Call } from "./call.ts";
import { createCalls, type Calls } from "./calls.ts";
import { CallProblem } from "./call-leg.ts";
import { Bench, destination, settle, talking } from "../../test/calls-bench.ts";
import { parkRequest, RecordingLine, ScriptedMediaSource, ScriptedNetwork, silentLog } from "../../test/scripted-ports.ts";

const MAX_CALLS = 200;
const MAX_PARKED = MAX_CALLS / 8;
const PER_ACCOUNT = 4;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function exchange(): Calls {
  return createCalls({
    ...{ node: "a", media: new ScriptedMediaSource(), network: new ScriptedNetwork(), log: silentLog, emit: () => undefined },
    callerIds: new CallerIds("+12025550143", [new Uint8Array(32)]),
    ...{ maxCallsPerAccount: PER_ACCOUNT, maxCalls: MAX_CALLS },
  });
}

const parkOf = (calls: Calls, accountId: string): Call => calls.park({ ...parkRequest(new RecordingLine()), accountId });

/** Parks as many legs with unknown tickets as these accounts may have. */
function flood(calls: Calls, accounts: number): Call[] {
  return Array.from({ length: accounts * PER_ACCOUNT }, (_, n) => parkOf(calls, `attacker ${n % accounts}`));
}

describe("unauthorised legs", () => {
  test("use a small part of the exchange, however many accounts create them, and other calls get through", async () => {
    const calls = exchange();
    const parked = flood(calls, 50);
    await settle();
    expect(parked.filter(({ over }) => !over)).toHaveLength(MAX_PARKED);
    for (let customer = 0; customer < 100; customer += 1) {
      const call = parkOf(calls, `customer ${customer}`);
      call.transfer(destination);
      expect(call.over).toBe(false);
    }
  });

  test("of the account with the most are ended first, not another account's leg that awaits its decision", async () => {
    const calls = exchange();
    const other = parkOf(calls, "customer");
    flood(calls, 12);
    await settle();
    expect(other.over).toBe(false);
    other.transfer(destination);
    await settle();
    expect(other.far).not.toBeNull();
  });

  test("do not displace routed or echo calls", async () => {
    const calls = exchange();
    const routed = Array.from({ length: 60 }, (_, n) => {
      const call = parkOf(calls, `customer ${n}`);
      if (n === 0) call.echo(30);
      else call.transfer(destination);
      return call;
    });
    await settle();
    flood(calls, 40);
    await settle();
    expect(routed.filter(({ over }) => over)).toEqual([]);
  });
});

test("a call is refused while it would not survive a crash of the exchange; those that run go on", async () => {
  const bench = new Bench();
  const running = await talking(bench);
  bench.canStore = false;
  expect(() => bench.park()).toThrow(CallProblem);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(running.over).toBe(false);
  bench.canStore = true;
  expect(bench.park().over).toBe(false);
});
