import { randomUUID } from "node:crypto";
import Telnyx from "telnyx";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { trunkTo } from "../../test/sip-bench.ts";
import { testExchange, type TestExchange } from "../../test/test-exchange.ts";

const destination = "+442079460000";

let bench: TestExchange;
beforeEach(async () => {
  bench = await testExchange();
});
afterEach(() => bench.close());

async function parked(): Promise<string> {
  const browser = await bench.browser();
  await browser.invite(randomUUID(), "offer-sdp");
  const { params } = await browser.next("media").then(() => browser.next("ringing"));
  return String(params?.["telnyx_call_control_id"]);
}

/** The sale price and the rates of two trunks. */
function prices(sale: string): object {
  const main = { rate_per_minute: "0.01", first_interval: 60, next_interval: 1 };
  const trunks = [
    { trunk: "main", cost: main },
    { trunk: "spare", cost: null },
  ];
  return { prices: { sale: { rate_per_minute: sale, first_interval: 1, next_interval: 1 }, trunks } };
}

async function dialled(): Promise<{ browser: string; far: string }> {
  const browser = await parked();
  await bench.telnyx.calls.actions.transfer(browser, {
    to: destination,
    time_limit_secs: 60,
    target_leg_client_state: "ZmFy",
    command_id: randomUUID(),
  });
  const { payload } = await bench.webhooks.next("call.initiated", ({ payload: { state } }) => state === "bridging");
  await expect.poll(() => bench.network.calls.length).toBe(1);
  return { browser, far: String(payload["call_control_id"]) };
}

describe("access to the control API", () => {
  test("requires the API key", async () => {
    const stranger = new Telnyx({ apiKey: "KEYwrong", baseURL: bench.telnyx.baseURL, maxRetries: 0 });
    await expect(stranger.balance.retrieve()).rejects.toMatchObject({ status: 401, error: { errors: [{ code: "10009" }] } });
    expect((await fetch(`${bench.telnyx.baseURL}/nowhere`)).status).toBe(401);
    expect((await bench.telnyx.balance.retrieve()).data?.currency).toBe("USD");
    const next = new Telnyx({ apiKey: "KEYnext", baseURL: bench.telnyx.baseURL, maxRetries: 0 });
    expect((await next.balance.retrieve()).data?.currency).toBe("USD");
  });

  test("lists the trunks, for the service", async () => {
    const cost = { ratePerMinuteMicros: 10_000n, firstIntervalSeconds: 1, nextIntervalSeconds: 1 };
    bench.exchange.useTrunks([trunkTo(1, { name: "main", prefixes: ["44"], cost }), trunkTo(2, { name: "spare" })]);
    const state = {
      record_type: "trunk",
      refused_with: null,
      up: false,
      connected: null,
      registration: null,
      failing: false,
      down: false,
    };
    expect(await bench.telnyx.get("/trunks")).toEqual({
      data: [
        { ...state, name: "main", prefixes: ["44"], cost: { rate_per_minute: "0.01", first_interval: 1, next_interval: 1 } },
        { ...state, name: "spare", prefixes: [], cost: null },
      ],
    });
  });

  test("gets the provider's error format for malformed, oversized and unknown requests", async () => {
    const post = (path: string, body: string): Promise<Response> =>
      fetch(`${bench.telnyx.baseURL}${path}`, {
        method: "POST",
        body,
        headers: { authorization: `Bearer ${bench.config.apiKeys[0]}`, "content-type": "application/json" },
      });
    for (const [response, status] of [
      [await post("/telephony_credentials", "{"), 400],
      [await post("/telephony_credentials", JSON.stringify({ name: "x".repeat(70_000) })), 413],
      [await post("/telephony_credentials", ""), 422],
      [await post("/nothing", "{}"), 404],
    ] as const) {
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({
        errors: [{ code: expect.any(String), title: expect.any(String), detail: expect.any(String) }],
      });
    }
  });
});

describe("the connection", () => {
  test("reports that it parks every call, and its webhook address", async () => {
    const { data } = await bench.telnyx.credentialConnections.retrieve(bench.config.connectionId);
    expect(data).toMatchObject({
      outbound: { call_parking_enabled: true },
      webhook_event_url: bench.config.webhookUrl,
      active: true,
    });
    await expect(bench.telnyx.credentialConnections.retrieve("other")).rejects.toMatchObject({ status: 404 });
  });
});

describe("telephony credentials", () => {
  test("are created for the exchange's connection, with an expiry in the future", async () => {
    const expires = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000).toISOString();
    const { data } = await bench.telnyx.telephonyCredentials.create({
      connection_id: bench.config.connectionId,
      name: "user-42",
      expires_at: expires,
    });
    expect(data).toMatchObject({
      name: "user-42",
      expires_at: expires,
      expired: false,
      sip_username: expect.stringMatching(/^gencred/),
    });
    const create = bench.telnyx.telephonyCredentials;
    await expect(create.create({ connection_id: "other" })).rejects.toMatchObject({ status: 422 });
    await expect(
      create.create({ connection_id: bench.config.connectionId, expires_at: "2020-01-01T00:00:00Z" }),
    ).rejects.toMatchObject({ status: 422 });
  });

  test("issue a plain text JWT until they are deleted", async () => {
    const { credentialId, token } = await bench.token();
    expect(token.split(".")).toHaveLength(3);
    await bench.telnyx.telephonyCredentials.delete(credentialId);
    await expect(bench.telnyx.telephonyCredentials.createToken(credentialId)).rejects.toMatchObject({ status: 404 });
    await expect(bench.telnyx.telephonyCredentials.delete(randomUUID())).rejects.toMatchObject({ status: 404 });
  });
});

describe("call commands", () => {
  test("transfer dials the far end with the requested parameters", async () => {
    const id = await parked();
    await bench.telnyx.calls.actions.transfer(id, {
      to: destination,
      from: "+12025550143",
      from_display_name: "Farline",
      time_limit_secs: 60,
      timeout_secs: 45,
      custom_headers: [{ name: "X-Farline-Call", value: "c42" }],
      ...prices("0.02"),
    });
    await expect
      .poll(() => bench.network.calls.at(-1)?.request)
      .toEqual({
        log: expect.anything(),
        sessionId: expect.any(String),
        to: destination,
        from: "+12025550143",
        displayName: "Farline",
        sdp: "rtp-sdp",
        codec: "g711",
        ringTimeoutMs: 45_000,
        headers: { "X-Farline-Call": "c42" },
        prices: {
          sale: { ratePerMinuteMicros: 20_000n, firstIntervalSeconds: 1, nextIntervalSeconds: 1 },
          costs: new Map([
            ["main", { ratePerMinuteMicros: 10_000n, firstIntervalSeconds: 60, nextIntervalSeconds: 1 }],
            ["spare", null],
          ]),
        },
      });
  });

  test("transfer refuses invalid numbers, limits out of range, and headers other than X-", async () => {
    const id = await parked();
    for (const bad of [
      { to: "911" },
      { to: "sip:eve@example.com" },
      { to: "+881612345678" },
      { to: destination, from: "anonymous" },
      { to: destination, from: "+12025550199" },
      { to: destination, time_limit_secs: 0 },
      { to: destination, time_limit_secs: 14_401 },
      { to: destination, timeout_secs: 601 },
      { to: destination, from_display_name: 'x"\r\nEvil: 1' },
      { to: destination, custom_headers: [{ name: "Route", value: "x" }] },
      { to: destination, custom_headers: [{ name: "X-A", value: "a\r\nEvil: 1" }] },
      { to: destination, target_leg_client_state: "not base64!" },
      { to: destination, ...prices("-0.02") },
      { to: destination, ...prices("free") },
    ])
      await expect(bench.telnyx.calls.actions.transfer(id, bad)).rejects.toMatchObject({ status: 422 });
    expect(bench.network.calls).toHaveLength(0);
    expect((await bench.telnyx.calls.retrieveStatus(id)).data?.is_alive).toBe(true);
  });

  test("a repeated command_id has no effect", async () => {
    const id = await parked();
    const command = { to: destination, command_id: "c42-transfer" };
    await Promise.all([1, 2, 3].map(() => bench.telnyx.calls.actions.transfer(id, command)));
    await expect.poll(() => bench.network.calls.length).toBe(1);
    await expect(bench.telnyx.calls.actions.transfer(id, { ...command, command_id: "other" })).rejects.toMatchObject({
      status: 422,
    });
  });

  test("the same command_id can be used for another action", async () => {
    const id = await parked();
    await bench.telnyx.post(`/calls/${id}/actions/answer`, { body: { command_id: "same" } });
    await bench.telnyx.calls.actions.transfer(id, { to: destination, command_id: "same" });
    await expect.poll(() => bench.network.calls.length).toBe(1);
    await bench.telnyx.calls.actions.hangup(id, { command_id: "same" });
    expect(bench.network.last.ended).toBe(true);
  });

  test("a failed command can be repeated with the same command_id", async () => {
    const id = await parked();
    await expect(bench.telnyx.calls.actions.transfer(id, { to: "911", command_id: "c1" })).rejects.toMatchObject({ status: 422 });
    await bench.telnyx.calls.actions.transfer(id, { to: destination, command_id: "c1" });
    await expect.poll(() => bench.network.calls.length).toBe(1);
  });

  test("hangup ends both legs, and later commands fail with 90018", async () => {
    const { browser, far } = await dialled();
    bench.network.last.answer();
    await bench.telnyx.calls.actions.hangup(far, { command_id: "h1" });
    expect(bench.network.last.ended).toBe(true);
    for (const id of [browser, far]) {
      await expect(bench.telnyx.calls.actions.hangup(id, {})).rejects.toMatchObject({
        status: 422,
        error: { errors: [{ code: "90018" }] },
      });
      expect((await bench.telnyx.calls.retrieveStatus(id)).data).toMatchObject({ is_alive: false, end_time: expect.any(String) });
    }
  });

  test("commands for unknown calls get 404", async () => {
    await expect(bench.telnyx.calls.actions.hangup("v3:nobody", {})).rejects.toMatchObject({ status: 404 });
    await expect(bench.telnyx.calls.retrieveStatus("v3:nobody")).rejects.toMatchObject({ status: 404 });
  });

  test("reject reports its cause to the browser", async () => {
    const browser = await bench.browser();
    await browser.invite(randomUUID(), "offer-sdp");
    const { params } = await browser.next("ringing");
    await bench.telnyx.calls.actions.reject(String(params?.["telnyx_call_control_id"]), { cause: "USER_BUSY" });
    expect((await browser.next("bye")).params).toMatchObject({ cause: "USER_BUSY", sipCode: 486 });
  });

  test("answer, digits and client state are applied to the call", async () => {
    const { browser, far } = await dialled();
    await bench.telnyx.calls.actions.answer(browser, {});
    await bench.webhooks.next("call.answered");
    bench.network.last.answer();
    await bench.telnyx.calls.actions.sendDtmf(far, { digits: "12#" });
    expect(bench.media.last.commands).toContain("digits 12#");
    await expect(bench.telnyx.calls.actions.sendDtmf(far, { digits: "12x" })).rejects.toMatchObject({ status: 422 });
    await bench.telnyx.calls.actions.updateClientState(far, { client_state: "bmV3" });
    expect((await bench.telnyx.calls.retrieveStatus(far)).data).toMatchObject({
      client_state: "bmV3",
      is_alive: true,
      call_duration: expect.any(Number),
    });
  });

  test("extend raises a call's time limit through either leg, and refuses to lower it", async () => {
    const { browser, far } = await dialled();
    bench.network.last.answer();
    const extend = (leg: string, time_limit_secs: number): Promise<unknown> =>
      bench.telnyx.post(`/calls/${leg}/actions/extend`, { body: { time_limit_secs, command_id: `extend-${time_limit_secs}` } });
    await extend(browser, 120);
    await extend(far, 14_400);
    await expect(extend(far, 60)).rejects.toMatchObject({ status: 422, error: { errors: [{ code: "10015" }] } });
    await expect(extend(far, 14_401)).rejects.toMatchObject({ status: 422 });
    await expect(extend(await parked(), 90)).rejects.toMatchObject({ status: 422, error: { errors: [{ code: "90053" }] } });
    await bench.telnyx.calls.actions.hangup(browser, {});
    await expect(extend(browser, 14_400)).rejects.toMatchObject({ status: 422, error: { errors: [{ code: "90018" }] } });
  });

  test("echo answers a parked leg without dialling, and has a short limit", async () => {
    const leg = await parked();
    const echo = (time_limit_secs: number): Promise<unknown> =>
      bench.telnyx.post(`/calls/${leg}/actions/echo`, { body: { time_limit_secs, command_id: `echo-${time_limit_secs}` } });
    await expect(echo(31)).rejects.toMatchObject({ status: 422 });
    await echo(1);
    const { payload } = await bench.webhooks.next("call.answered");
    expect(payload).toMatchObject({ call_control_id: leg });
    expect((await bench.webhooks.next("call.hangup")).payload).toMatchObject({
      call_control_id: leg,
      hangup_cause: "time_limit",
    });
    expect(bench.media.last.commands).toEqual(["echo", "close"]);
    expect(bench.network.calls).toHaveLength(0);
  });

  test("active calls lists only live legs, in the official client's pages", async () => {
    const { browser, far } = await dialled();
    const list = async (): Promise<string[]> => {
      const ids: string[] = [];
      for await (const leg of bench.telnyx.connections.listActiveCalls(bench.config.connectionId)) ids.push(leg.call_control_id);
      return ids;
    };
    expect(await list()).toEqual([browser, far]);
    await bench.telnyx.calls.actions.hangup(browser, {});
    expect(await list()).toEqual([]);
  });
});

describe("webhooks", () => {
  test("have a signature that the official client accepts", async () => {
    await parked();
    const { body, headers } = await bench.webhooks.next("call.initiated");
    const event = (await bench.telnyx.webhooks.unwrap(body, { headers })) as unknown as { data: { event_type: string } };
    expect(event.data.event_type).toBe("call.initiated");
    await expect(bench.telnyx.webhooks.unwrap(body.replace("parked", "Parked"), { headers })).rejects.toThrow(
      "Signature verification failed",
    );
  });

  test("report the far leg's events, trunk and cost", async () => {
    const { far } = await dialled();
    const startedAt = new Date("2026-11-24T12:00:00Z");
    const took = { startedAt, durationMs: 120, postDialDelayMs: 80, q850Cause: null };
    bench.network.last.route = {
      trunk: "spare",
      cost: { ratePerMinuteMicros: 12_000n, firstIntervalSeconds: 30, nextIntervalSeconds: 6 },
      attempts: [
        { ...took, trunk: "main", sipStatus: 503, outcome: "failed" },
        { ...took, trunk: "spare", sipStatus: 200, outcome: "answered" },
      ],
    };
    const attempt = { started_at: startedAt.toISOString(), duration_ms: 120, post_dial_delay_ms: 80, q850_cause: null };
    const route = {
      trunk: "spare",
      trunk_attempts: [
        { ...attempt, trunk: "main", sip_status: 503, outcome: "failed" },
        { ...attempt, trunk: "spare", sip_status: 200, outcome: "answered" },
      ],
    };
    const own = ({ payload }: { payload: Record<string, unknown> }): boolean => payload["call_control_id"] === far;
    bench.network.last.answer();
    const answered = await bench.webhooks.next("call.answered", own);
    expect(answered.payload).toMatchObject({ client_state: "ZmFy", to: destination, state: "answered", ...route });
    bench.network.last.end({ sipStatus: 200 });
    const ended = await bench.webhooks.next("call.hangup", own);
    expect(ended.payload).toMatchObject({
      hangup_cause: "normal_clearing",
      hangup_source: "callee",
      sip_hangup_cause: "200",
      start_time: expect.any(String),
      end_time: ended.occurredAt.toISOString(),
      call_quality_stats: { inbound: { packet_count: "90", skip_packet_count: "10" }, outbound: { packet_count: "100" } },
      ...route,
    });
    const cost = await bench.webhooks.next("call.cost", own);
    expect(cost.payload).toMatchObject({ status: "success", billed_duration_secs: 30, total_cost: "0.006" });
    expect(cost.payload["cost_parts"]).toHaveLength(1);
  });

  test("are retried with the same id until the receiver responds with 2xx", async () => {
    bench.webhooks.answer = ({ attempt }) => (attempt < 3 ? 500 : 200);
    await parked();
    await expect.poll(() => bench.webhooks.received.length).toBe(3);
    expect(new Set(bench.webhooks.received.map(({ id }) => id)).size).toBe(1);
    expect(bench.webhooks.received.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    await bench.telnyx.webhooks.unwrap(bench.webhooks.received[2]?.body ?? "", {
      headers: bench.webhooks.received[2]?.headers ?? {},
    });
  });

  test("are still delivered while the exchange stops", async () => {
    const { far } = await dialled();
    await bench.exchange.close();
    const ended = bench.webhooks.received.filter(
      ({ type, payload }) => type === "call.hangup" && payload["call_control_id"] === far,
    );
    expect(ended).toHaveLength(1);
  });
});
