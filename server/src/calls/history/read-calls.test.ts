import { DAY_MS } from "@farline/domain/durations.ts";
import {
  call as callSchema,
  historyResponse,
  voiceTokenResponse,
  type Call,
  type HistoryResponse,
  type VoiceTokenResponse,
} from "@farline/contract/calls.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallWorld, type CallWorld } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";

let world: CallWorld;
let limited: CallWorld;
beforeAll(async () => {
  [world, limited] = await Promise.all([createCallWorld({ limitsScale: 0, wsUrl: "ws://127.0.0.1:3002" }), createCallWorld()]);
});
afterAll(() => Promise.all([world.close(), limited.close()]));
beforeEach(() => world.provider.calmDown());

describe("the history", () => {
  const page = (customer: Customer, query: string) =>
    world.request<HistoryResponse>(customer, { path: `/api/calls/history${query}` });

  test("pages through the customer's calls, newest first, each once", async () => {
    const [customer, other] = [await world.customer(), await world.customer()];
    await world.initiate(other);
    const made: string[] = [];
    for (let i = 0; i < 7; i++) {
      const { call } = await world.initiate(customer);
      made.unshift(call.id);
      await world.request(customer, { method: "POST", path: `/api/calls/${call.id}/hangup` });
      if (i % 2 === 0) world.clock.advance(1_000);
    }
    const seen: Call[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await page(customer, `?limit=3${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`);
      expect(historyResponse.parse(body).calls.total).toBe(7);
      seen.push(...body.calls.data);
      cursor = body.calls.next_cursor;
    } while (cursor !== null);
    expect(seen.map(({ id }) => id)).toEqual(made);
  });

  test("rejects an invalid cursor", async () => {
    const customer = await world.customer();
    expect((await page(customer, "?cursor=nonsense")).status).toBe(400);
    expect((await page(customer, "?limit=0")).status).toBe(422);
    expect((await page(customer, "?limit=101")).status).toBe(422);
  });
});

describe("one call", () => {
  test("matches the contract, and is visible only to its owner", async () => {
    const [customer, other] = [await world.customer(), await world.customer()];
    const { call } = await world.initiate(customer);
    expect(callSchema.parse(await world.readCall(customer, call.id))).toEqual(call);
    expect(await world.request(other, { path: `/api/calls/${call.id}` })).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    expect(await world.request(customer, { path: "/api/calls/1" })).toMatchObject({ status: 404 });
    expect(await world.request(null, { path: `/api/calls/${call.id}` })).toMatchObject({ status: 401 });
  });

  test("stores the browser's ids without changing state or money", async () => {
    const customer = await world.customer();
    const { call } = await world.initiate(customer);
    const patch = (who: Customer, body: unknown) =>
      world.request<{ call: Call }>(who, { method: "PATCH", path: `/api/calls/${call.id}/control-id`, body });
    const before = await world.money(customer);
    const { status, body } = await patch(customer, {
      telnyx_leg_id: "leg-1",
      telnyx_session_id: null,
      call_id: "own-1",
      status: "completed",
    });
    expect(status).toBe(200);
    expect(body.call).toEqual({ ...call, telnyx_call_leg_id: "leg-1" });
    expect(await world.money(customer)).toEqual(before);
    expect((await patch(customer, {})).status).toBe(200);
    expect((await patch(customer, { telnyx_leg_id: "x".repeat(300) })).status).toBe(422);
    expect((await patch(await world.customer(), { telnyx_leg_id: "leg-2" })).status).toBe(404);
  });
});

describe("the voice token", () => {
  const token = (where: CallWorld, customer: Customer) =>
    where.request<VoiceTokenResponse & { code?: string }>(customer, { path: "/api/calls/token" });

  test("uses one credential a day and contains the server's address", async () => {
    const customer = await world.customer();
    const first = await token(world, customer);
    expect(voiceTokenResponse.parse(first.body)).toEqual(first.body);
    expect(first.body.voice).toEqual({ host: "ws://127.0.0.1:3002", ice_servers: [], trickle_ice: true });
    expect(Date.parse(first.body.expires_at) - world.clock.now().getTime()).toBe(DAY_MS);
    expect((await token(world, customer)).body.token).toBe(first.body.token);
    world.clock.advance(23 * 3_600_000 + 1_000);
    expect((await token(world, customer)).body.token).not.toBe(first.body.token);
  });

  test("contains TURN servers whose credentials expire with the token", async () => {
    const turn = { urls: ["turn:turn.example.com:3478?transport=udp"], secret: "s".repeat(32) };
    const relayed = await createCallWorld({ wsUrl: "ws://127.0.0.1:3002", turn });
    const { body } = await token(relayed, await relayed.customer());
    const [server] = body.voice.ice_servers ?? [];
    expect(server).toMatchObject({ urls: turn.urls[0], credential: expect.stringMatching(/^[\w+/]{27}=$/) });
    expect(Number(server?.username?.split(":")[0])).toBe(Math.floor(Date.parse(body.expires_at) / 1000));
    await relayed.close();
  });

  test("contains the provider's address and servers if our exchange is not configured", async () => {
    const { body } = await token(limited, await limited.customer());
    expect(body.voice).toEqual({ host: null, ice_servers: null, trickle_ice: false });
  });

  test("creates a new credential if the provider no longer knows the old one", async () => {
    const customer = await world.customer();
    const first = await token(world, customer);
    world.provider.credentials.clear();
    const second = await token(world, customer);
    expect(second.status).toBe(200);
    expect(second.body.token).not.toBe(first.body.token);
  });

  test("is not issued while the provider is unreachable", async () => {
    world.provider.failure = { status: 500 };
    expect(await token(world, await world.customer())).toMatchObject({ status: 503, body: { code: "voice_provider_down" } });
  });

  test("is not issued while call parking is off at the provider", async () => {
    world.clock.advance(10 * 60_000);
    world.provider.parking = false;
    expect(await token(world, await world.customer())).toMatchObject({ status: 503, body: { code: "voice_provider_down" } });
    world.provider.parking = true;
    expect((await token(world, await world.customer())).status).toBe(200);
  });

  test("is issued at most ten times a minute", async () => {
    const customer = await limited.customer();
    const answers = [];
    for (let i = 0; i < 11; i++) answers.push((await token(limited, customer)).status);
    expect(answers).toEqual([...Array<number>(10).fill(200), 429]);
  });
});
