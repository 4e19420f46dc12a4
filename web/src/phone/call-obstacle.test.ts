import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createBench, ghana } from "../../test/scripted-line.ts";
import { inScriptedTab } from "../../test/scripted-tab.ts";
import type { EchoController, EchoControllerDeps } from "./echo/echo-controller.ts";
import { type CallingPage, findObstacle, plainObstacle } from "./call-obstacle.ts";

class Connection {
  addTransceiver(): void {
    // Builds one.
  }
  close(): void {
    // Nothing to release.
  }
}
/** As an extension puts there. */
function throws(): never {
  throw new DOMException("Failed to initialize native PeerConnection.", "UnknownError");
}

const able: CallingPage = {
  isSecureContext: true,
  RTCPeerConnection: Connection,
  navigator: { mediaDevices: { getUserMedia: () => undefined } },
  document: {},
};
const policy = (allows: boolean) => ({
  document: { featurePolicy: { allowsFeature: (name: string) => name !== "microphone" || allows } },
});

describe("what a page lacks for calls", () => {
  test.each([
    ["everything is there", {}, null],
    ["the policy allows the microphone", policy(true), null],
    ["not https, where browsers hide the microphone", { isSecureContext: false, navigator: {} }, "insecure"],
    ["Tor, Lockdown Mode", { RTCPeerConnection: undefined }, "no_connections"],
    ["an extension that sets it to null", { RTCPeerConnection: null }, "no_connections"],
    ["Lockdown Mode, which takes the microphone, too", { RTCPeerConnection: undefined, navigator: {} }, "no_connections"],
    ["an in-app browser without media", { navigator: {} }, "no_microphone"],
    ["an in-app browser with devices only", { navigator: { mediaDevices: {} } }, "no_microphone"],
    ["a frame without the permission", policy(false), "forbidden"],
  ] as const)("%s", (_, page, obstacle) => {
    expect(plainObstacle({ ...able, ...page })).toBe(obstacle);
    expect(findObstacle({ ...able, ...page })).toBe(obstacle);
  });

  test.each([
    ["throws", throws],
    ["builds nothing", Object],
    ["is no constructor", () => undefined],
  ])("a connection whose constructor %s is found by trying it", (_, RTCPeerConnection) => {
    expect(plainObstacle({ ...able, RTCPeerConnection })).toBeNull();
    expect(findObstacle({ ...able, RTCPeerConnection })).toBe("no_connections");
  });
});

describe("where no call can work", () => {
  inScriptedTab();
  beforeEach(() => {
    vi.stubGlobal("Audio", Object);
  });
  afterEach(() => vi.unstubAllGlobals());

  const blocked = () => {
    const bench = createBench();
    bench.obstacle = "no_connections";
    return bench;
  };

  test("a press dials nobody, asks the service nothing and opens no microphone, but says why", async () => {
    const bench = blocked();
    await bench.phone.prepare();
    bench.phone.dial(ghana);
    await vi.advanceTimersByTimeAsync(0);
    expect(bench.phone.state).toMatchObject({
      status: "idle",
      call: null,
      lastCall: null,
      line: "off",
      obstacle: "no_connections",
    });
    expect(bench.phone.state.error?.code).toBe("cannot_call");
    expect(bench.log.filter((entry) => /microphone|initiate|newCall|connect/.test(entry))).toEqual([]);
    expect(bench.clients).toEqual([]);
  });

  test("a press before the page was checked is held back all the same", () => {
    const bench = blocked();
    bench.phone.dial(ghana);
    expect(bench.phone.state.error?.code).toBe("cannot_call");
    expect(bench.log).toEqual([]);
  });

  test("a test call does not start", () => {
    const bench = blocked();
    const create = vi.fn<(deps: EchoControllerDeps) => EchoController>();
    bench.phone.startEchoTest(create);
    expect(create).not.toHaveBeenCalled();
    expect(bench.phone.state.echoTest).toBeNull();
  });

  test("the obstacle outlasts a sign-out", async () => {
    const bench = blocked();
    await bench.phone.prepare();
    bench.phone.signOut();
    expect(bench.phone.state.obstacle).toBe("no_connections");
  });
});
