import { usedHeap } from "@farline/domain/test/used-heap.ts";
import { createSocket, Socket } from "node:dgram";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTrunks } from "../../src/sip/create-trunks.ts";
import type { Trunks } from "../../src/sip/trunk.ts";
import { LOOPBACK } from "../loopback.ts";
import { dial, EXCHANGE_NUMBER, trunkTo } from "../sip-bench.ts";
import { FUZZ_TIMEOUT_MS, inputs, inputsOf, SEED, Uncaught } from "./fuzz-run.ts";
import { mutatedLines } from "./mutate-text.ts";
import { answer, ScriptedCarrier } from "./scripted-carrier.ts";
import { type DialogText, FAR_SDP, NO_CALL, requests, response, responses } from "./sip-corpus.ts";

// No DNS queries: host names do not resolve.
vi.mock("node:dns/promises", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  lookup: () => Promise.reject(new Error("no such name")),
}));

/** A call accepts a burst of fifty messages. */
const MESSAGES_A_CALL = 40;
const STRANGER = "127.0.0.7";
const STRANGERS_MESSAGES = 200;
/** Per call, kept for 32 s. */
const MAX_BYTES_A_CALL = 150_000;
const MAX_GROWTH_BYTES = 30_000_000;
/** CPU time for forty messages. */
const MAX_CALL_MS = 5_000;

const lines: string[] = [];
const carrier = new ScriptedCarrier();
let trunks: Trunks;
let uncaught: Uncaught;

beforeAll(async () => {
  uncaught = new Uncaught();
  keepOnThisMachine();
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const options = { address: LOOPBACK, port: 0, exchangeNumber: EXCHANGE_NUMBER, log, maxCalls: 10_000 };
  trunks = await createTrunks([trunkTo(await carrier.bind(), { username: "u", password: "p" })], options);
});
afterAll(async () => {
  await trunks.close();
  carrier.close();
  uncaught.stop();
  vi.restoreAllMocks();
});

/** Messages may name any address as the next hop. */
function keepOnThisMachine(): void {
  const send = Socket.prototype.send as (...given: unknown[]) => void;
  vi.spyOn(Socket.prototype, "send").mockImplementation(function guarded(this: Socket, ...given: unknown[]) {
    if (String(given[2]).startsWith("127.")) Reflect.apply(send, this, given);
  });
}

/** The state of the call before the hostile messages. */
const STATES: readonly ((dialog: DialogText) => string[])[] = [
  () => [],
  (dialog) => [response(dialog, "100 Trying")],
  (dialog) => [response(dialog, "183 Session Progress", [], FAR_SDP)],
  (dialog) => [response(dialog, "183 Session Progress", ["Require: 100rel", "RSeq: 1"], FAR_SDP)],
  (dialog) => [answer(dialog)],
];

/** @returns when the call has ended, up to four seconds later if the far end does not confirm */
async function attackCall(round: number): Promise<{ ended: Promise<unknown> }> {
  const { call, ended } = dial(trunks, { renegotiate: async (sdp) => sdp });
  const dialog = await carrier.nextCall();
  for (const text of STATES[round % STATES.length]?.(dialog) ?? []) await carrier.send(text, trunks.port);
  await setImmediate();
  const corpus = fc.oneof(mutatedLines(responses(dialog)), mutatedLines(requests(dialog)));
  for (const text of fc.sample(corpus, { numRuns: MESSAGES_A_CALL, seed: SEED + round })) {
    await carrier.send(text, trunks.port);
    await setImmediate();
  }
  return { ended: Promise.all([call.hangUp(), ended]) };
}

describe(`hostile messages of a carrier in a call (seed ${SEED})`, { timeout: FUZZ_TIMEOUT_MS }, () => {
  it("do not keep the call from ending, disturb another call or flood the log", async () => {
    const honest = dial(trunks);
    const dialog = await carrier.nextCall();
    await carrier.send(answer(dialog), trunks.port);
    await honest.answered;
    const rounds = Math.ceil(inputsOf(6) / MESSAGES_A_CALL);
    const before = usedHeap();
    const began = performance.now();
    const ends: Promise<unknown>[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const roundBegan = process.threadCpuUsage();
      ends.push((await attackCall(round)).ended);
      const { user, system } = process.threadCpuUsage(roundBegan);
      expect((user + system) / 1_000, `round ${round}, seed ${SEED}`).toBeLessThan(MAX_CALL_MS);
    }
    // Checked first, because an uncaught error may also cause a time-out.
    expect(uncaught.errors).toEqual([]);
    await Promise.all(ends);
    expect(usedHeap() - before).toBeLessThan(MAX_GROWTH_BYTES + rounds * MAX_BYTES_A_CALL);
    const seconds = (performance.now() - began) / 1_000;
    expect(lines.length).toBeLessThan(20 + rounds + seconds);
    expect(uncaught.errors).toEqual([]);
    expect(honest.heard).toEqual(["answer"]);
    await honest.call.hangUp();
    expect(await honest.ended).toMatchObject({ sipStatus: 200, by: "us", answered: true });
    await expect.poll(() => trunks.activeCalls).toBe(0);
  });

  it("get no response if they come from a stranger", async () => {
    const stranger = createSocket("udp4").bind(0, STRANGER);
    await once(stranger, "listening");
    let answered = 0;
    stranger.on("message", () => (answered += 1));
    const corpus = mutatedLines([...responses(NO_CALL), ...requests(NO_CALL)]);
    for (const text of inputs(corpus, Math.min(STRANGERS_MESSAGES, inputsOf(1)))) {
      stranger.send(text, trunks.port, "127.0.0.1");
      // Let the exchange read each one, or its receive buffer overflows and drops the carrier's next message.
      await setImmediate();
    }
    // The exchange reads in order, so its response to the trunk comes after any to the stranger.
    const { call, rang } = dial(trunks);
    const dialog = await carrier.nextCall();
    await carrier.send(response(dialog, "180 Ringing"), trunks.port);
    await rang;
    await call.hangUp();
    expect(answered).toBe(0);
    stranger.close();
    expect(uncaught.errors).toEqual([]);
  });
});
