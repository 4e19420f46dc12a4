import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { SdkClient } from "../../test/sdk-client.ts";
import { trunkTo } from "../../test/sip-bench.ts";
import { pageOrigin, type TestExchange } from "../../test/test-exchange.ts";
import { TestNodes } from "../../test/test-nodes.ts";
import { newControlId } from "./node-ids.ts";
import { Nodes } from "./nodes.ts";

const destination = "+442079460000";
const order = { to: destination, time_limit_secs: 60 };

let nodes: TestNodes;
const others: Server[] = [];
beforeEach(async () => {
  nodes = await TestNodes.start(["a", "b"], { drainMs: 60_000 });
});
afterEach(async () => {
  await nodes.close();
  for (const server of others.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A browser on a node with a parked call. */
async function parked(node: string): Promise<{ client: SdkClient; callId: string; controlId: string; token: string }> {
  const { token } = await nodes.at(node).token();
  const client = await nodes.at(node).browser(token);
  const callId = randomUUID();
  await client.invite(callId, "offer-sdp");
  const ringing = await client.next("ringing");
  return { client, callId, token, controlId: String(ringing.params?.["telnyx_call_control_id"]) };
}

async function talking(node: string): ReturnType<typeof parked> {
  const call = await parked(node);
  await nodes.at(node).telnyx.calls.actions.transfer(call.controlId, order);
  await expect.poll(() => nodes.at(node).network.calls.length).toBe(1);
  nodes.at(node).network.last.answer();
  await call.client.next("answer");
  return call;
}

/** Reconnects to a node like the SDK. */
async function reconnect(node: string, { client, token }: { client: SdkClient; token: string }) {
  const back = await SdkClient.open(`${nodes.at(node).wsUrl}?voice_sdk_id=${client.voiceSdkId}`, pageOrigin);
  const { reattached } = await back.login(token, client.sessid);
  return { back, reattached };
}

/** Starts another server at the address of a stopped node. */
async function standIn(node: string, answer: (server: Server) => void): Promise<void> {
  await nodes.stopNode(node);
  const server = createServer();
  answer(server);
  others.push(server.listen(Number(nodes.config.nodes.get(node)?.port), "127.0.0.1"));
  await once(server, "listening");
}

describe("a command to any node", () => {
  test("reaches the call's node: transfer, status, extend, client state, hang-up", async () => {
    const { client, controlId } = await parked("a");
    expect(controlId).toMatch(/^v3:a\.[\w-]{32}$/);
    const { telnyx } = nodes.at("b");
    await telnyx.calls.actions.transfer(controlId, { ...order, command_id: "one" });
    await telnyx.calls.actions.transfer(controlId, { ...order, command_id: "one" });
    await expect.poll(() => nodes.at("a").network.calls.length).toBe(1);
    nodes.at("a").network.last.answer();
    await client.next("answer");
    await telnyx.calls.actions.updateClientState(controlId, { client_state: "bmV3" });
    expect((await telnyx.calls.retrieveStatus(controlId)).data).toMatchObject({ is_alive: true, client_state: "bmV3" });
    await telnyx.post(`/calls/${encodeURIComponent(controlId)}/actions/extend`, { body: { time_limit_secs: 90 } });
    await telnyx.calls.actions.hangup(controlId, {});
    await client.next("bye");
    expect((await telnyx.calls.retrieveStatus(controlId)).data).toMatchObject({
      is_alive: false,
      answered_at: expect.any(String),
    });
    expect(nodes.at("b").network.calls).toEqual([]);
  });

  test("returns the refusal of the call's node", async () => {
    const { controlId } = await parked("a");
    const { calls } = nodes.at("b").telnyx;
    await expect(calls.actions.transfer(controlId, { ...order, to: "+442079460001" })).rejects.toMatchObject({
      status: 422,
      error: { errors: [{ code: "10015", detail: "to must be the number that the parked leg dialled" }] },
    });
    await calls.actions.hangup(controlId, {});
    await expect(calls.actions.hangup(controlId, {})).rejects.toMatchObject({
      status: 422,
      error: { errors: [{ code: "90018" }] },
    });
    await expect(calls.retrieveStatus(newControlId("a"))).rejects.toMatchObject({ status: 404 });
  });

  test("gets 404 for a call of an unlisted node", async () => {
    const { calls } = nodes.at("a").telnyx;
    for (const id of [newControlId("c"), "v3:nobody", "v3:b", `v3:b.${"x".repeat(33)}`, "v3:../b.x"])
      await expect(calls.retrieveStatus(id)).rejects.toMatchObject({ status: 404 });
  });
});

describe("a node that is down", () => {
  test("makes status and commands fail with 503, not with a false result, and is named as missing in the list of live legs", async () => {
    const { controlId } = await parked("a");
    const own = await parked("b");
    await nodes.stopNode("a");
    const { telnyx } = nodes.at("b");
    const unknown = { status: 503, error: { errors: [{ title: "Service unavailable" }] } };
    await expect(telnyx.calls.retrieveStatus(controlId)).rejects.toMatchObject(unknown);
    await expect(telnyx.calls.actions.hangup(controlId, {})).rejects.toMatchObject(unknown);
    const listed = await telnyx.get<{ data: { call_control_id: string }[] }>("/connections/1234567890/active_calls");
    expect(listed).toMatchObject({ data: [{ call_control_id: own.controlId }], meta: { missing_nodes: ["a"] } });
    expect((await telnyx.calls.retrieveStatus(own.controlId)).data).toMatchObject({ is_alive: true });
    await nodes.startNode("a");
    await expect(telnyx.calls.retrieveStatus(controlId)).rejects.toMatchObject({ status: 404 });
  });

  test("is also unavailable if another program responds, responds endlessly, or does not respond", async () => {
    const { controlId } = await parked("a");
    const { telnyx } = nodes.at("b");
    const answers: ((server: Server) => void)[] = [
      (server) => server.on("request", (_request, response) => response.writeHead(401).end()),
      (server) => server.on("request", (_request, response) => response.writeHead(421).end()),
      (server) => server.on("request", (_request, response) => setInterval(() => response.write(" "), 100).unref()),
      (server) => server.on("connection", (socket) => socket.destroy()),
    ];
    for (const answer of answers) {
      await standIn("a", answer);
      await expect(telnyx.calls.retrieveStatus(controlId)).rejects.toMatchObject({ status: 503 });
      others.at(-1)?.closeAllConnections();
      await new Promise((resolve) => others.pop()?.close(resolve));
    }
  });

  test("is not confused with another node at its address", async () => {
    const { controlId } = await parked("a");
    await standIn("a", () => undefined);
    others.at(-1)?.on("request", (request, response) => {
      expect(request.headers["x-farline-node"]).toBe("a");
      response.end();
    });
    await nodes.at("b").telnyx.calls.retrieveStatus(controlId);
    const meantForOther = await fetch(`http://127.0.0.1:${nodes.at("b").exchange.controlPort}/v2/calls/${controlId}`, {
      headers: { authorization: "Bearer KEYtest", "x-farline-node": "a" },
    });
    expect(meantForOther.status).toBe(421);
  });

  test("does not cause a forwarded request to be forwarded again", async () => {
    const response = await fetch(
      `http://127.0.0.1:${nodes.at("b").exchange.controlPort}/v2/calls/${(await parked("a")).controlId}`,
      {
        headers: { authorization: "Bearer KEYtest", "x-farline-node": "b" },
      },
    );
    expect(response.status).toBe(404);
  });
});

describe("requests that concern all nodes", () => {
  test("the list of exchanges says how each does, and names one that does not answer", async () => {
    const list = async () => (await nodes.at("a").telnyx.get<{ data: unknown[] }>("/exchanges")).data;
    await parked("a");
    const well = {
      record_type: "exchange",
      max_calls: expect.any(Number) as number,
      journal: null,
      media: [],
      certificates: [],
      events_waiting_seconds: expect.any(Number) as number,
    };
    expect(await list()).toEqual([
      { ...well, node: "a", calls: 1 },
      { ...well, node: "b", calls: 0 },
    ]);
    await nodes.at("b").exchange.close();
    expect((await list())[1]).toEqual({ ...well, node: "b", calls: null, max_calls: null });
  });

  test("the list of live legs includes all nodes", async () => {
    const [one, other] = [await parked("a"), await parked("b")];
    for (const node of ["a", "b"]) {
      const listed: string[] = [];
      for await (const leg of nodes.at(node).telnyx.connections.listActiveCalls("1234567890")) listed.push(leg.call_control_id);
      expect(listed.toSorted()).toEqual([one.controlId, other.controlId]);
    }
  });

  test("a removed credential is invalid on all nodes, and its browsers are signed out", async () => {
    const { client, controlId, token } = await parked("a");
    const { telephonyCredentials } = nodes.at("b").telnyx;
    const credentialId = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).sub as string;
    await telephonyCredentials.delete(credentialId);
    await client.next("punt");
    expect((await nodes.at("a").telnyx.calls.retrieveStatus(controlId)).data?.is_alive).toBe(false);
    for (const node of ["a", "b"]) await expect(nodes.at(node).browser(token)).rejects.toThrow("Login Incorrect");
    await expect(telephonyCredentials.delete(credentialId)).rejects.toMatchObject({ status: 404 });
  });

  test("a credential is reported as removed only when all nodes have removed it", async () => {
    const { credentialId, token } = await nodes.at("b").token();
    await nodes.stopNode("a");
    await expect(nodes.at("b").telnyx.telephonyCredentials.delete(credentialId)).rejects.toMatchObject({ status: 503 });
    await expect(nodes.at("b").browser(token)).rejects.toThrow("Login Incorrect");
    await nodes.startNode("a");
    expect(await nodes.at("b").telnyx.telephonyCredentials.delete(credentialId)).toMatchObject({ data: { id: credentialId } });
    await expect(nodes.at("a").browser(token)).rejects.toThrow("Login Incorrect");
  });

  test("a code is checked on the node that read it, and the proof is valid on all nodes", async () => {
    await nodes.close();
    nodes = await TestNodes.start(["a", "b"], { trunks: [trunkTo(9, { customerNumbers: "asserted" })] });
    const readers = new Set<TestExchange | undefined>();
    for (const number of ["+13035550100", "+13035550101", "+13035550102", "+13035550103"]) {
      await nodes.at("a").telnyx.verifiedNumbers.create({ phone_number: number, verification_method: "call" });
      const called = (): TestExchange[] =>
        ["a", "b"].map((name) => nodes.at(name)).filter(({ network }) => network.calls.at(-1)?.request.to === number);
      await expect.poll(() => called().length).toBe(1);
      const [reader] = called();
      readers.add(reader);
      reader?.network.last.answer();
      await expect.poll(() => reader?.media.announcements.at(-1)?.code ?? null).not.toBeNull();
      const code = { verification_code: reader?.media.announcements.at(-1)?.code ?? "" };
      const { data } = await nodes.at("b").telnyx.verifiedNumbers.actions.submitVerificationCode(number, code);
      const shown = { ...order, from: number, from_proof: (data as { proof?: string }).proof };
      for (const node of ["a", "b"]) await nodes.at(node).telnyx.calls.actions.transfer((await parked(node)).controlId, shown);
      await nodes.at("b").telnyx.verifiedNumbers.delete(number);
      for (const node of ["a", "b"]) {
        const { controlId } = await parked(node);
        await expect(nodes.at(node).telnyx.calls.actions.transfer(controlId, shown)).rejects.toMatchObject({ status: 422 });
      }
    }
    expect(readers.size).toBe(2);
  });

  test("a number always has the same node, and few numbers move when a node is added", () => {
    const of = (name: string, names: readonly string[]): Nodes =>
      new Nodes(name, new Map(names.map((one) => [one, new URL("http://127.0.0.1:1")])), "KEYtest");
    const nameOf = (all: Nodes, number: string): string => {
      const owner = all.ownerOfNumber(number);
      return owner === "self" ? all.name : (owner?.name ?? "");
    };
    const numbers = Array.from({ length: 300 }, (_, index) => `+1303555${String(1_000 + index)}`);
    const [two, sameTwo, three] = [of("a", ["a", "b"]), of("b", ["b", "a"]), of("a", ["a", "b", "c"])];
    expect(numbers.map((number) => nameOf(two, number))).toEqual(numbers.map((number) => nameOf(sameTwo, number)));
    expect(new Set(numbers.map((number) => nameOf(three, number)))).toEqual(new Set(["a", "b", "c"]));
    const moved = numbers.filter((number) => nameOf(two, number) !== nameOf(three, number));
    expect(moved.every((number) => nameOf(three, number) === "c")).toBe(true);
  });
});

describe("a browser that reconnects to another node", () => {
  test("keeps its call with audio both ways", async () => {
    const call = await talking("a");
    call.client.drop();
    const { back, reattached } = await reconnect("b", call);
    expect(reattached).toEqual([call.callId]);
    expect(back.voiceSdkId).toBe(call.client.voiceSdkId);
    await back.bye(call.callId);
    expect((await nodes.at("a").webhooks.next("call.hangup")).payload).toMatchObject({ hangup_source: "caller" });
  });

  test("gets a new session there if its node is down, was restarted, or has no call of it", async () => {
    const call = await talking("a");
    const idle = await nodes.at("a").browser(call.token);
    idle.drop();
    expect((await reconnect("b", { client: idle, token: call.token })).back.voiceSdkId).toMatch(/^VSDKb\./);
    await nodes.stopNode("a");
    expect((await reconnect("b", call)).reattached).toEqual([]);
    await nodes.startNode("a");
    expect((await reconnect("b", call)).reattached).toEqual([]);
  });

  test("cannot get another account's call", async () => {
    const call = await talking("a");
    call.client.drop();
    const { token } = await nodes.at("b").token();
    expect((await reconnect("b", { client: call.client, token })).reattached).toEqual([]);
    for (const id of ["VSDKc.AAAAAAAAAAAAAAAAAAAAAA", "VSDK127.0.0.1:1", "VSDKa.@evil", `VSDKa.${"A".repeat(22)}`]) {
      const back = await SdkClient.open(`${nodes.at("b").wsUrl}?voice_sdk_id=${encodeURIComponent(id)}`, pageOrigin);
      expect((await back.login(call.token)).reattached).toEqual([]);
      back.drop();
    }
    expect((await reconnect("b", call)).reattached).toEqual([call.callId]);
  });

  test("is disconnected when its node closes the socket, and the other way round", async () => {
    const call = await talking("a");
    call.client.drop();
    (await reconnect("b", call)).back.drop();
    const { back, reattached } = await reconnect("b", call);
    expect(reattached).toEqual([call.callId]);
    const closed = once(back.socket, "close");
    await nodes.stopNode("a");
    await closed;
  });

  test("is refused for its origin before it is forwarded", async () => {
    const call = await talking("a");
    const url = `${nodes.at("b").wsUrl}?voice_sdk_id=${call.client.voiceSdkId}`;
    await expect(SdkClient.open(url, "https://evil.example")).rejects.toThrow("403");
  });
});

test("the headers of a forwarded browser are refused without the key, and ignored on the browsers' port", async () => {
  const call = await talking("a");
  const { exchange } = nodes.at("a");
  const forged = { "x-farline-node": "a", "x-farline-tab": String(call.client.voiceSdkId), "x-farline-browser": "192.0.2.1" };
  const stranger = new WebSocket(`ws://127.0.0.1:${exchange.controlPort}/`, { headers: forged });
  await expect(once(stranger, "open")).rejects.toThrow("401");
  const another = new WebSocket(`ws://127.0.0.1:${exchange.controlPort}/`, {
    headers: { ...forged, "x-farline-node": "b", authorization: "Bearer KEYtest" },
  });
  await expect(once(another, "open")).rejects.toThrow("404");
  const outside = new WebSocket(`ws://127.0.0.1:${exchange.port}/`, { headers: forged, origin: pageOrigin });
  await once(outside, "open");
  outside.terminate();
});

test("a draining node lets a call's browser reconnect through another one, and still accepts commands", async () => {
  const call = await talking("a");
  const forwarded = await talking("b");
  forwarded.client.drop();
  const { back: throughA } = await reconnect("a", forwarded);
  const cut = once(throughA.socket, "close");
  const drained = nodes.at("a").exchange.drain();
  await cut;
  expect((await reconnect("b", forwarded)).reattached).toEqual([forwarded.callId]);
  call.client.drop();
  expect((await reconnect("b", call)).reattached).toEqual([call.callId]);
  await nodes.at("b").telnyx.calls.actions.hangup(call.controlId, {});
  await drained;
  expect((await nodes.at("a").webhooks.next("call.hangup")).payload).toMatchObject({ hangup_cause: "normal_clearing" });
});
