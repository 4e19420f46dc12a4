import { beforeEach, describe, expect, it } from "vitest";
import { ServiceRefusal } from "../call/call-service.ts";
import { PhoneError } from "../phone-error.ts";
import { EchoController, type EchoControllerDeps } from "./echo-controller.ts";
import { createBench } from "../../../test/scripted-line.ts";
import { inScriptedTab, pass } from "../../../test/scripted-tab.ts";
import { stubAudio } from "../../../test/silent-audio.ts";

const createEcho = (deps: EchoControllerDeps) => new EchoController(deps);

inScriptedTab();
beforeEach(() => void stubAudio());

describe("a test call", () => {
  it("closes a microphone that the browser opens after the test was dismissed", async () => {
    const bench = createBench();
    let give = (): void => undefined;
    bench.microphone.waits = new Promise((resolve) => (give = resolve));
    bench.phone.startEchoTest(createEcho);
    await pass(0);
    bench.phone.dismissEchoTest();
    give();
    await pass(0);
    expect(bench.microphone.devices).toEqual([null]);
    expect(bench.microphone.open).toBe(0);
    expect(bench.phone.state.echoTest).toBeNull();
  });

  it("says why it failed if the browser gives no microphone", async () => {
    const bench = createBench();
    bench.microphone.refuse = new PhoneError("microphone_denied");
    bench.phone.startEchoTest(createEcho);
    await pass(0);
    expect(bench.phone.state.echoTest).toMatchObject({ status: "failed", error: { code: "microphone_denied", message: "" } });
  });

  it("reports the service's refusal with its code, which selects the translated text", async () => {
    const bench = createBench();
    const refusal = { status: 403, code: "account_frozen", message: "Your account is locked." };
    bench.service.startEchoTest = () => Promise.reject(new ServiceRefusal(refusal));
    bench.phone.startEchoTest(createEcho);
    await pass(0);
    expect(bench.phone.state.echoTest?.error).toMatchObject({
      serviceCode: "account_frozen",
      message: "Your account is locked.",
    });
    expect(bench.microphone.open).toBe(0);
  });

  it("opens the line again if it was opening before the test was granted, which needs credit", async () => {
    const bench = createBench();
    const refusal = new ServiceRefusal({ status: 402, code: "no_credit", message: "Add credit first." });
    const { getVoiceToken } = bench.service;
    let refuse = (): void => undefined;
    bench.service.getVoiceToken = () => new Promise((_, reject) => (refuse = () => reject(refusal)));
    void bench.phone.prepare();
    bench.phone.startEchoTest(createEcho);
    await pass(0);
    bench.service.getVoiceToken = getVoiceToken.bind(bench.service);
    refuse();
    await pass(100);
    expect(bench.phone.state.echoTest).toMatchObject({ status: "connecting", error: null });
    expect(bench.call()).toBeDefined();
  });

  it("is called on a new socket if the line died unnoticed", async () => {
    const bench = createBench();
    await bench.phone.prepare();
    bench.client().answers = false;
    bench.phone.startEchoTest(createEcho);
    await pass(2_500);
    expect(bench.log.filter((line) => /^(socketDisconnect|newCall)/.test(line))).toEqual([
      "socketDisconnect",
      expect.stringMatching(/^newCall/),
    ]);
  });

  it("gives no reason if the service could not be reached", async () => {
    const bench = createBench();
    bench.service.startEchoTest = () => Promise.reject(new TypeError("network"));
    bench.phone.startEchoTest(createEcho);
    await pass(0);
    expect(bench.phone.state.echoTest).toMatchObject({ status: "failed", error: null });
  });

  it("reports at once that the network blocks all sound, and hangs up instead of measuring silence", async () => {
    const bench = createBench();
    bench.phone.startEchoTest(createEcho);
    await pass(100);
    const call = bench.call();
    call.change("active");
    await pass(0);
    expect(bench.phone.state.echoTest).toMatchObject({ status: "connecting" });
    call.connection.connectionState = "failed";
    call.connection.dispatchEvent(new Event("connectionstatechange"));
    await pass(0);
    expect(bench.phone.state.echoTest).toMatchObject({ status: "done", result: { heard: false, path: "none" } });
    expect(call.hangups).toBe(1);
  });

  it.each([
    ["ended", "microphone_missing"],
    ["mute", "microphone_muted"],
  ] as const)("fails at once when the microphone reports '%s'", async (event, code) => {
    const bench = createBench();
    bench.phone.startEchoTest(createEcho);
    await pass(100);
    bench.microphone.happens(event);
    await pass(0);
    expect(bench.phone.state.echoTest).toMatchObject({ status: "failed", error: { code } });
    expect(bench.microphone.open).toBe(0);
  });

  it("does not begin with a microphone that the system has muted", async () => {
    const bench = createBench();
    bench.microphone.opensMuted = true;
    bench.phone.startEchoTest(createEcho);
    await pass(0);
    expect(bench.phone.state.echoTest).toMatchObject({ status: "failed", error: { code: "microphone_muted" } });
  });
});
