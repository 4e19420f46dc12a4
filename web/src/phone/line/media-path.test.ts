import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findMediaPath } from "./media-path.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A connection whose state the test controls, with this local candidate in its selected pair. */
function scriptedPeer(local: object = { candidateType: "host" }) {
  const pair = { type: "candidate-pair", id: "pair", nominated: true, state: "succeeded", localCandidateId: "local" };
  const lost = { ...pair, id: "lost", state: "failed", localCandidateId: "other" };
  const report = new Map<string, object>([
    ["other", { candidateType: "relay", relayProtocol: "udp" }],
    ["lost", lost],
    ["pair", pair],
    ["local", local],
  ]);
  /** The last one is repeated. */
  const reports: Map<string, object>[] = [report];
  const getStats = async () => (reports.length > 1 ? reports.shift() : reports[0]);
  const peer = Object.assign(new EventTarget(), { connectionState: "new", getStats });
  const change = (state: string): void => {
    peer.connectionState = state;
    peer.dispatchEvent(new Event("connectionstatechange"));
  };
  return { peer: peer as unknown as RTCPeerConnection, change, reports };
}

test.each([
  [{ candidateType: "host" }, "direct"],
  [{ candidateType: "prflx" }, "direct"],
  [{ candidateType: "relay", relayProtocol: "udp" }, "udp"],
  [{ candidateType: "relay", relayProtocol: "tcp" }, "tcp"],
  [{ candidateType: "relay", relayProtocol: "tls" }, "tls"],
  [{ candidateType: "relay" }, "relay"],
])("the selected way from %j is %s", async (local, path) => {
  const { peer, change } = scriptedPeer(local);
  const found = findMediaPath(peer);
  change("connecting");
  change("connected");
  expect(await found).toBe(path);
});

test("a report from before the connection is not believed", async () => {
  const { peer, change, reports } = scriptedPeer({ candidateType: "relay", relayProtocol: "tls" });
  const earlier = new Map([["pair", { type: "candidate-pair", id: "pair", nominated: false, state: "in-progress" }]]);
  reports.unshift(earlier, earlier);
  const found = findMediaPath(peer);
  change("connected");
  await vi.advanceTimersByTimeAsync(200);
  expect(await found).toBe("tls");
});

test("a browser that never names the pair leaves the path unknown", async () => {
  const { peer, change, reports } = scriptedPeer();
  reports.splice(0, 1, new Map());
  const found = findMediaPath(peer);
  change("connected");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await found).toBeNull();
});

test("a failed connection has no media path, nor one that has not connected after ten seconds", async () => {
  const failing = scriptedPeer();
  const failed = findMediaPath(failing.peer);
  failing.change("failed");
  expect(await failed).toBe("none");
  const waiting = findMediaPath(scriptedPeer().peer);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await waiting).toBe("none");
});
