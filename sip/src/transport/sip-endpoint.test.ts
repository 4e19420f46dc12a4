import { afterEach, describe, expect, it, vi } from "vitest";
import * as samples from "../../test/message-samples.ts";
import type { SipRequest, SipResponse } from "../message/message.ts";
import { responseTo } from "../message/response.ts";
import type { ServerUser } from "../transaction/transaction-layer.ts";
import { SipEndpoint, type SipHop } from "./sip-endpoint.ts";
import type { Target } from "./target.ts";

const HOST = "127.0.0.1";
const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

/** Gives up after a second and a half. */
const HASTY = 20;
/** Gives up after more than six seconds, which no machine needs to respond. */
const PATIENT = 5;

async function open(user: Partial<ServerUser<SipHop>> = {}, { accepts = (): boolean => true, speed = PATIENT } = {}) {
  const problems: Error[] = [];
  const endpoint = await SipEndpoint.open({
    address: HOST,
    port: 0,
    speed,
    maxTransactions: 10,
    user: {
      onRequest: (incoming) => endpoint.respond(incoming, responseTo(incoming, 200, "OK", { toTag: "t" })),
      onAck: () => undefined,
      onCancelled: () => undefined,
      onUnacknowledged: () => undefined,
      ...user,
    },
    events: {
      admits: () => true,
      accepts,
      malformed: () => undefined,
      connectionLost: () => undefined,
      problem: (error) => void problems.push(error),
    },
  });
  ending.push(() => endpoint.close());
  return { endpoint, problems };
}

function targetOf(endpoint: SipEndpoint, transport: "UDP" | "TCP"): Target {
  return { transport, address: HOST, port: endpoint.port(transport) ?? 0, domain: null };
}

/** A request whose response goes back to the source port. */
function request(method: string): SipRequest {
  const sample = samples.request(method);
  const vias = sample.vias.map((via) => ({ ...via, parameters: new Map(via.parameters).set("rport", null) }));
  return { ...sample, vias };
}

/** The final response, or why there is none. */
function ask(endpoint: SipEndpoint, sent: SipRequest, target: Target): Promise<number | string> {
  return new Promise((resolve) =>
    endpoint.request(sent, target, {
      onResponse: ({ status }: SipResponse) => resolve(status),
      onFailed: resolve,
    }),
  );
}

describe("a request", () => {
  it.each(["UDP", "TCP"] as const)("over %s gets its response", async (transport) => {
    const [near, far] = [await open(), await open()];
    expect(await ask(near.endpoint, request("OPTIONS"), targetOf(far.endpoint, transport))).toBe(200);
  });

  it("is sent again until its time-out when nobody accepts the connection", async () => {
    const near = await open({}, { speed: HASTY });
    // Of no program, and never given to a socket that asks for any port.
    const target: Target = { ...targetOf(near.endpoint, "TCP"), port: 1 };
    expect(await ask(near.endpoint, request("OPTIONS"), target)).toBe("timeout");
    expect(near.problems.length).toBeGreaterThan(5);
    expect(await ask(near.endpoint, request("INVITE"), target)).toBe("transport");
  });

  it("times out when it is dropped, after it was retransmitted", async () => {
    const accepts = vi.fn(() => false);
    const [near, far] = [await open({}, { speed: HASTY }), await open({}, { accepts })];
    expect(await ask(near.endpoint, request("OPTIONS"), targetOf(far.endpoint, "UDP"))).toBe("timeout");
    expect(accepts.mock.calls.length).toBeGreaterThan(5);
  });

  it("reaches its user once, although it is retransmitted", async () => {
    const onRequest = vi.fn<ServerUser<SipHop>["onRequest"]>();
    const accepts = vi.fn(() => true);
    const [near, far] = [await open(), await open({ onRequest }, { accepts })];
    const asked = ask(near.endpoint, request("OPTIONS"), targetOf(far.endpoint, "UDP"));
    await expect.poll(() => accepts.mock.calls.length).toBeGreaterThan(2);
    const [incoming] = onRequest.mock.calls[0] ?? [];
    if (incoming !== undefined) far.endpoint.respond(incoming, responseTo(incoming, 486, "Busy Here", { toTag: "t" }));
    expect(await asked).toBe(486);
    expect(onRequest).toHaveBeenCalledOnce();
  });
});

it("the ACK of a 2xx is sent outside transactions and ends its retransmission", async () => {
  const onAck = vi.fn<ServerUser<SipHop>["onAck"]>();
  const [near, far] = [await open(), await open({ onAck })];
  const target = targetOf(far.endpoint, "UDP");
  const invite = request("INVITE");
  expect(await ask(near.endpoint, invite, target)).toBe(200);
  await near.endpoint.send(request("ACK"), target);
  await expect.poll(() => onAck.mock.calls).toHaveLength(1);
});
