import { describe, expect, it } from "vitest";
import { connected, createBench } from "../../../test/scripted-line.ts";
import { inScriptedTab, pass } from "../../../test/scripted-tab.ts";

inScriptedTab();

const OFFLINE = { error: { code: 48001 } };

async function inCall() {
  const bench = createBench();
  await connected(bench);
  const told = () => bench.log.filter((line) => /^(isRegistered|socketDisconnect|onNetworkClose 1006|connect)$/.test(line));
  bench.log.length = 0;
  return { bench, client: bench.client(), told };
}

describe("a call after a network failure", () => {
  it("continues at once if the socket survived, even if the browser reported offline", async () => {
    const { bench, client, told } = await inCall();
    client.emit("telnyx.error", OFFLINE);
    expect(bench.phone.state.call?.reconnecting).toBe(true);
    bench.wake();
    await pass(0);
    expect(bench.phone.state).toMatchObject({ status: "active", line: "ready", call: { reconnecting: false } });
    expect(told()).toEqual(["isRegistered"]);
  });

  it("continues even if the browser reported nothing", async () => {
    const { bench, client } = await inCall();
    client.emit("telnyx.error", OFFLINE);
    await pass(1_000);
    expect(bench.phone.state).toMatchObject({ line: "ready", call: { reconnecting: false } });
    await pass(120_000);
    expect(bench.phone.state.status).toBe("active");
  });

  it("gets a new socket if the old one does not answer within 2 s, and stays the same call", async () => {
    const { bench, client, told } = await inCall();
    client.answers = false;
    client.onConnect = () => undefined;
    bench.wake();
    await pass(1_999);
    expect(told()).toEqual(["isRegistered"]);
    await pass(1);
    expect(told()).toEqual(["isRegistered", "socketDisconnect", "onNetworkClose 1006", "connect"]);
    expect(bench.phone.state.call?.reconnecting).toBe(true);
    client.answers = true;
    client.ready();
    client.revive(bench.call());
    expect(bench.phone.state).toMatchObject({ status: "active", call: { reconnecting: false } });
    // Seconds later the browser has closed the old socket, and the SDK reports it.
    client.emit("telnyx.socket.close", {});
    await pass(1_000);
    expect(bench.phone.state).toMatchObject({ line: "ready", call: { reconnecting: false } });
  });

  it("sends nothing while the browser reports offline", async () => {
    const { bench, client, told } = await inCall();
    client.answers = false;
    Object.defineProperty(navigator, "onLine", { value: false, configurable: true });
    try {
      client.emit("telnyx.error", OFFLINE);
      await pass(20_000);
      expect(told()).toEqual([]);
    } finally {
      Reflect.deleteProperty(navigator, "onLine");
    }
    bench.wake();
    await pass(2_000);
    expect(told()).toContain("socketDisconnect");
  });

  it("does not wait for the SDK's next attempt when the network is back", async () => {
    const { bench, client, told } = await inCall();
    client.onConnect = () => undefined;
    client.lose();
    bench.wake();
    await pass(0);
    expect(told()).toEqual(["connect"]);
  });
});

describe("a silent line", () => {
  it("is pinged after 4 s during a call, and kept if it answers", async () => {
    const { bench, client, told } = await inCall();
    await pass(3_000);
    client.emit("telnyx.socket.message", { method: "telnyx_rtc.ping" });
    await pass(3_000);
    expect(told()).toEqual([]);
    await pass(2_000);
    expect(told()).toEqual(["isRegistered"]);
    expect(bench.phone.state.line).toBe("ready");
  });

  it("gets a new socket, and another one only after the first has had time to connect", async () => {
    const { client, told } = await inCall();
    client.answers = false;
    client.onConnect = () => void (client.connected = true);
    await pass(7_000);
    const count = () => told().filter((line) => line === "socketDisconnect").length;
    expect(count()).toBe(1);
    await pass(4_000);
    expect(count()).toBe(1);
    await pass(5_000);
    expect(count()).toBe(2);
  });

  it("is not pinged outside calls, nor after the line was closed", async () => {
    const bench = createBench();
    await bench.phone.prepare();
    bench.log.length = 0;
    await pass(60_000);
    expect(bench.log).not.toContain("isRegistered");
    bench.phone.signOut();
    bench.wake();
    await pass(60_000);
    expect(bench.log).not.toContain("isRegistered");
  });
});
