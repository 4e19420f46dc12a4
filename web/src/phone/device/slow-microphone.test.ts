import { MICROPHONE_OPEN } from "@farline/contract/constants.ts";
import { expect, it } from "vitest";
import { connected, createBench, dialled } from "../../../test/scripted-line.ts";
import { inScriptedTab, pass } from "../../../test/scripted-tab.ts";
import { PhoneError } from "../phone-error.ts";

inScriptedTab();

/** Written out because callers wait for this long. */
const ALLOWED_MS = 12_000;
const ASKED_MS = 60_000;
const SAID = `says ${MICROPHONE_OPEN}`;

/** A microphone that opens when the test says so. */
function slowMicrophone() {
  const bench = createBench();
  let open = (): void => undefined;
  bench.microphone.waits = new Promise((resolve) => (open = resolve));
  return { bench, open: async () => (open(), pass(0)) };
}

// tornikegomareli/Talkify#130, zed-industries/zed#52236: a Bluetooth headset takes 3 to 8 s.
it.each([3000, 7000, 11_000])("tells the exchange of a microphone that takes %i ms only once it is open", async (ms) => {
  const { bench, open } = slowMicrophone();
  bench.microphone.permit("granted");
  await dialled(bench);
  bench.client().park(bench.call());
  await pass(1499);
  expect(bench.phone.state.call?.microphone).toBe("open");
  await pass(ms - 1499);
  expect(bench.phone.state).toMatchObject({ status: "initializing", call: { microphone: "waiting" } });
  expect(bench.log).not.toContain(SAID);
  await open();
  expect(bench.log).toContain(SAID);
  expect(bench.phone.state.call?.microphone).toBe("open");
  bench.client().farRings(bench.call());
  expect(bench.phone.state.status).toBe("ringing");
});

it("tells the exchange at once if the microphone was open before the leg was parked, and again after a reload", async () => {
  const bench = createBench();
  await dialled(bench);
  expect(bench.log).not.toContain(SAID);
  bench.client().park(bench.call());
  bench.client().park(bench.call());
  expect(bench.log.filter((one) => one === SAID)).toHaveLength(2);
});

it("says nothing of the microphone to a provider that is not our exchange", async () => {
  const bench = createBench();
  await connected(bench);
  expect(bench.log).not.toContain(SAID);
});

it("opens the microphone before the call at a provider that does not wait for it", async () => {
  const bench = createBench();
  bench.service.voiceHost = null;
  bench.microphone.permit("granted");
  bench.microphone.refuse = new PhoneError("microphone_busy");
  await dialled(bench);
  expect(bench.log).toEqual(["connect", "microphone"]);
});

// google/WebFundamentals#8411: a browser that never asks its user, and never answers.
it.each([
  ["allowed", "granted", ALLOWED_MS, "microphone_busy"],
  ["asked for", "prompt", ASKED_MS, "microphone_denied"],
] as const)("gives up on a microphone that is %s and never opens", async (_, permission, ms, code) => {
  const { bench, open } = slowMicrophone();
  bench.microphone.permit(permission);
  await dialled(bench);
  await pass(ms - 1);
  expect(bench.phone.state.status).toBe("initializing");
  await pass(1);
  expect(bench.phone.state).toMatchObject({ status: "idle", error: { code } });
  expect(bench.client().liveCalls()).toEqual([]);
  await open();
  expect(bench.microphone.open).toBe(0);
});

it("asks a caller who may have to allow the microphone for that at once", async () => {
  const { bench, open } = slowMicrophone();
  bench.microphone.permit("prompt");
  await dialled(bench);
  expect(bench.phone.state.call?.microphone).toBe("waiting");
  await open();
  expect(bench.phone.state.call?.microphone).toBe("open");
});

it("offers a call again that goes on after a reload and whose microphone does not open in time", async () => {
  const before = createBench();
  await connected(before);
  const bench = createBench(undefined, { service: before.service });
  bench.microphone.permit("granted");
  bench.microphone.waits = new Promise(() => undefined);
  await bench.phone.prepare();
  expect(bench.phone.state.call?.callId).toBe("call-1");
  await pass(ALLOWED_MS);
  expect(bench.phone.state).toMatchObject({ error: { code: "microphone_busy" }, rejoinable: { id: "call-1" }, call: null });
});

it("stays with the microphone of a call while another one does not open, and closes that when it does", async () => {
  const bench = createBench();
  bench.microphone.permit("granted");
  await connected(bench);
  let open = (): void => undefined;
  bench.microphone.waits = new Promise((resolve) => (open = resolve));
  const chosen = bench.phone.setMicrophone("headset");
  await pass(ALLOWED_MS);
  expect(await chosen).toBe(false);
  open();
  await pass(0);
  expect(bench.microphone.open).toBe(2); // the microphone and the copy that the call has
  expect(bench.phone.state.call?.microphone).toBe("open");
});

it("looks for another microphone after one that never opened", async () => {
  const bench = createBench();
  bench.microphone.permit("granted");
  await connected(bench);
  bench.microphone.waits = new Promise(() => undefined);
  bench.microphone.happens("ended");
  await pass(ALLOWED_MS);
  expect(bench.phone.state.call?.microphone).toBe("gone");
  bench.microphone.waits = Promise.resolve();
  bench.wake();
  await pass(0);
  expect(bench.phone.state.call?.microphone).toBe("open");
});
