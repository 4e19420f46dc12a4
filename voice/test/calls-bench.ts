import { vi } from "vitest";
import type { Call } from "../src/calls/call.ts";
import type { TransferRequest } from "../src/calls/leg-requests.ts";
import type { CallEvent } from "../src/calls/call-leg.ts";
import { CallerIds } from "../src/calls/caller-ids.ts";
import { type Calls, createCalls } from "../src/calls/calls.ts";
import { parkRequest, RecordingLine, ScriptedMediaSource, ScriptedNetwork, silentLog } from "./scripted-ports.ts";

/** Calls over scripted dependencies and the events they emitted, for tests with fake timers. */
interface Told {
  readonly type: CallEvent["type"];
  readonly side: "browser" | "far";
  readonly state: string;
  readonly cause: string | undefined;
  readonly source: string | undefined;
  readonly sip: number | undefined;
}

export class Bench {
  readonly media = new ScriptedMediaSource();
  readonly network = new ScriptedNetwork();
  readonly line = new RecordingLine();
  readonly events: Told[] = [];
  canStore = true;
  readonly callerIds = new CallerIds("+12025550143", [new Uint8Array(32)]);
  readonly calls: Calls = createCalls({
    node: "a",
    media: this.media,
    network: this.network,
    callerIds: this.callerIds,
    log: silentLog,
    maxCallsPerAccount: 4,
    maxCalls: 10,
    canStore: () => this.canStore,
    emit: ({ type, leg }) =>
      this.events.push({
        type,
        side: leg.side,
        state: leg.state,
        cause: leg.end?.cause,
        source: leg.end?.source,
        sip: leg.end?.sipStatus,
      }),
  });

  park(): Call {
    return this.calls.park(parkRequest(this.line));
  }

  of(type: CallEvent["type"]): Told[] {
    return this.events.filter((event) => event.type === type);
  }
}

export const destination: TransferRequest = {
  to: "+442079460000",
  timeLimitSecs: 60,
  ringTimeoutSecs: 30,
  earlyMedia: true,
  headers: {},
};
export const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

export async function dialled(bench: Bench): Promise<Call> {
  const call = bench.park();
  call.transfer(destination);
  await settle();
  return call;
}

export async function answered(bench: Bench): Promise<Call> {
  const call = await dialled(bench);
  bench.network.last.answer();
  await settle();
  return call;
}

/** An answered call, which only its time limit will end. */
export async function talking(bench: Bench): Promise<Call> {
  const call = bench.park();
  call.transfer({ ...destination, timeLimitSecs: 3600 });
  await settle();
  bench.network.last.answer();
  await settle();
  return call;
}
