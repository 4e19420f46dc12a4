import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { createSocket, type RemoteInfo } from "node:dgram";
import { afterEach, describe, expect, test } from "vitest";
import { bdecode, bencode } from "./bencode.ts";
import { NgClient, NgRefusal } from "./ng-client.ts";

const cleanups = new Cleanups();
afterEach(() => cleanups.end());

/** A fake rtpengine with a scripted response. */
async function connect(answer: (request: { cookie: string; count: number; body: unknown }) => Buffer | string | null) {
  const daemon = createSocket("udp4");
  const seen = new Map<string, number>();
  daemon.on("message", (datagram: Buffer, from: RemoteInfo) => {
    const space = datagram.indexOf(" ");
    const cookie = datagram.toString("latin1", 0, space);
    const count = (seen.get(cookie) ?? 0) + 1;
    seen.set(cookie, count);
    const response = answer({ cookie, count, body: bdecode(datagram.subarray(space + 1)) });
    if (response !== null)
      daemon.send(Buffer.concat([Buffer.from(`${cookie} `), Buffer.from(response)]), from.port, from.address);
  });
  await new Promise<void>((resolve) => daemon.bind(0, "127.0.0.1", resolve));
  cleanups.add(() => new Promise<void>((resolve) => daemon.close(() => resolve())));
  const client = await NgClient.open({ host: "127.0.0.1", port: daemon.address().port });
  cleanups.add(async () => client.close());
  return { client, seen };
}

describe("an ng request", () => {
  test("is repeated with the same cookie until it is answered", async () => {
    const { client, seen } = await connect(({ count, body }) =>
      count < 2 ? null : bencode({ result: "ok", body: body as never }),
    );
    expect(await client.request("query", { "call-id": "é" })).toEqual({
      result: "ok",
      body: { command: "query", "call-id": "é" },
    });
    expect([...seen.values()]).toEqual([2]);
  });

  test("times out", async () => {
    const { client, seen } = await connect(() => null);
    const patience = { repeatAfterMs: [10, 20, 30], giveUpAfterMs: 200 };
    await expect(client.request("offer", {}, patience)).rejects.toMatchObject({ code: "timeout" });
    expect([...seen.values()]).toEqual([4]);
  });

  test("does not time out while its response waits for a busy process", async () => {
    const { client } = await connect(() => {
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200));
      return bencode({ result: "ok" });
    });
    expect(await client.request("offer", {}, { repeatAfterMs: [], giveUpAfterMs: 100 })).toEqual({ result: "ok" });
  });

  test("rejects with rtpengine's reason, or with an error if the response cannot be parsed", async () => {
    const { client } = await connect(({ body }) =>
      JSON.stringify(body).includes("offer") ? bencode({ result: "error", "error-reason": "Unknown call-id" }) : "d1:",
    );
    await expect(client.request("offer")).rejects.toThrow(new NgRefusal("Unknown call-id"));
    await expect(client.request("ping")).rejects.toMatchObject({ code: "internal" });
  });

  test("rejects when the client closes or too many requests are waiting", async () => {
    const { client } = await connect(() => null);
    const waiting = Array.from({ length: 1_000 }, () => client.request("ping").catch((error: { code: string }) => error.code));
    await expect(client.request("ping")).rejects.toMatchObject({ code: "no_capacity" });
    client.close();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["unavailable"]));
    await expect(client.request("ping")).rejects.toMatchObject({ code: "unavailable" });
  });
});
