import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ScriptedRelays } from "../../../test/scripted-relays.ts";
import { reachRelays } from "./reach-relays.ts";

const udp = "turn:turn.example.com:3478?transport=udp";
const tcp = "turn:turn.example.com:3478?transport=tcp";
const tls = "turns:turn.example.com:443?transport=tcp";
const server = (urls: string | string[]) => ({ urls, username: "name", credential: "password" });

let relays: ScriptedRelays;
beforeEach(() => {
  vi.useFakeTimers();
  relays = new ScriptedRelays();
  vi.stubGlobal("RTCPeerConnection", relays.peerClass);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("each relay is tried separately, with its credentials, and transports are returned best first", async () => {
  relays.open = [tls, udp];
  const found = reachRelays([server(tls), server([tcp, udp])]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await found).toEqual(["udp", "tls"]);
  expect(relays.asked.map(({ iceTransportPolicy, iceServers }) => [iceTransportPolicy, iceServers])).toEqual([
    ["relay", [server(tls)]],
    ["relay", [server(tcp)]],
    ["relay", [server(udp)]],
  ]);
  expect(relays.openPeers).toBe(0);
});

test("a network that drops everything is reported after five seconds, and no connection stays open", async () => {
  const found = reachRelays([server(udp), server(tls)]);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(relays.openPeers).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(await found).toEqual([]);
  expect(relays.openPeers).toBe(0);
});

test("a relay that refuses ends the wait at once", async () => {
  relays.refusing = [udp];
  expect(await reachRelays([server(udp)])).toEqual([]);
});

test("a browser without peer connections reaches no relay", async () => {
  relays.broken = true;
  expect(await reachRelays([server(udp)])).toEqual([]);
});

test("without relays no connection is tried, even with STUN servers", async () => {
  expect(await reachRelays([])).toBeNull();
  expect(await reachRelays([{ urls: "stun:stun.example.com" }])).toBeNull();
  expect(relays.asked).toEqual([]);
});
