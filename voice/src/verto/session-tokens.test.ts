import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SdkClient } from "../../test/sdk-client.ts";
import { pageOrigin, testExchange, type TestExchange } from "../../test/test-exchange.ts";
import { DEFAULT_KEEP_ALIVE } from "./verto-connection.ts";

/** The limit of the test exchange. */
const SOCKETS_PER_ACCOUNT = 8;

let bench: TestExchange;
beforeEach(async () => {
  bench = await testExchange();
});
afterEach(async () => {
  vi.useRealTimers();
  await bench.close();
});

const tokenOf = async (customer: string, session: string): Promise<string> => (await bench.token(customer, session)).token;

describe("a signed-in socket", () => {
  test.each([
    ["another customer", "ada", "phone"],
    ["another session of its customer", "eve", "phone"],
  ])("does not take the token of %s, and stays its own", async (_whose, customer, session) => {
    const client = await bench.browser(await tokenOf("eve", "laptop"));
    const { sessid } = client;
    await expect(client.login(await tokenOf(customer, session))).rejects.toThrow("Signed in as another session");
    await client.login(await tokenOf("eve", "laptop"));
    expect(client.sessid).toBe(sessid);
  });

  test("counts for its customer, whatever tokens it presents", async () => {
    const clients = await Promise.all(
      Array.from({ length: SOCKETS_PER_ACCOUNT }, async (_, count) => bench.browser(await tokenOf("eve", `session ${count}`))),
    );
    for (const [count, client] of clients.entries())
      await expect(client.login(await tokenOf(`accomplice ${count}`, "any"))).rejects.toThrow();
    await expect(bench.browser(await tokenOf("eve", "one more"))).rejects.toThrow("Too many connections");
  });

  test("counts for its customer when many reclaim living tabs at the same moment", async () => {
    const token = await tokenOf("eve", "laptop");
    const first = await bench.browser(token);
    const reclaim = async () => {
      const client = await SdkClient.open(`${bench.wsUrl}?voice_sdk_id=${first.voiceSdkId}`, pageOrigin);
      return client.login(token, first.sessid).then(
        () => true,
        () => false,
      );
    };
    const signedIn = await Promise.all(Array.from({ length: SOCKETS_PER_ACCOUNT + 4 }, reclaim));
    expect(signedIn.filter(Boolean)).toHaveLength(SOCKETS_PER_ACCOUNT - 1);
  });

  test("ends once its token has expired, unless it has a call", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const [idle, calling] = [
      await bench.browser(await tokenOf("eve", "laptop")),
      await bench.browser(await tokenOf("ada", "phone")),
    ];
    await calling.invite(randomUUID(), "offer-sdp");
    await calling.next("ringing");
    const closed = once(idle.socket, "close");
    vi.setSystemTime(Date.now() + 25 * 3_600_000);
    vi.advanceTimersByTime(DEFAULT_KEEP_ALIVE.pingIntervalMs);
    await closed;
    expect(calling.socket.readyState).toBe(calling.socket.OPEN);
  });
});

describe("a tab of another session", () => {
  test("is not reclaimed with the tab's ids, and its call stays where it is", async () => {
    const owner = await bench.browser(await tokenOf("eve", "laptop"));
    await owner.invite(randomUUID(), "offer-sdp");
    await owner.next("ringing");
    owner.drop();
    const thief = await SdkClient.open(`${bench.wsUrl}?voice_sdk_id=${owner.voiceSdkId}`, pageOrigin);
    expect((await thief.login(await tokenOf("eve", "phone"), owner.sessid)).reattached).toEqual([]);
    expect(thief.sessid).not.toBe(owner.sessid);
    await thief.close();
  });

  test("is reclaimed by its session with a new credential", async () => {
    const owner = await bench.browser(await tokenOf("eve", "laptop"));
    const callId = randomUUID();
    await owner.invite(callId, "offer-sdp");
    await owner.next("ringing");
    owner.drop();
    const again = await SdkClient.open(`${bench.wsUrl}?voice_sdk_id=${owner.voiceSdkId}`, pageOrigin);
    expect((await again.login(await tokenOf("eve", "laptop"), owner.sessid)).reattached).toEqual([callId]);
    await again.close();
  });

  test("does not receive a call that another session of the customer moves", async () => {
    const [mover, other] = [await bench.browser(await tokenOf("eve", "phone")), await bench.browser(await tokenOf("eve", "tv"))];
    const caller = await bench.browser(await tokenOf("eve", "laptop"));
    await caller.invite(randomUUID(), "offer-sdp");
    const controlId = String((await caller.next("ringing")).params?.["telnyx_call_control_id"]);
    const moveTo = (session: string | null) =>
      bench.telnyx.post(`/calls/${controlId}/actions/move`, { body: { session, session_mark: "phone" } });
    await expect(moveTo(other.sessid)).rejects.toMatchObject({ status: 422 });
    await moveTo(mover.sessid);
    expect((await caller.next("bye")).params).toMatchObject({ cause: "CALL_MOVED" });
  });
});
