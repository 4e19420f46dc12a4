import { Cleanups } from "../../test/cleanups.ts";
import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as samples from "../../test/message-samples.ts";
import type { SipMessage } from "../message/message.ts";
import { SipTransports } from "./sip-transports.ts";
import type { Target } from "./target.ts";
import { Uplink, type UplinkEvents } from "./uplink.ts";

const HOST = "127.0.0.1";
const cleanups = new Cleanups();
afterEach(() => cleanups.end());

/** Transports with what they heard. */
async function open() {
  const heard: { message: SipMessage; source: Target }[] = [];
  const transports = await SipTransports.open({
    address: HOST,
    port: 0,
    events: {
      admits: () => true,
      message: (message, source) => void heard.push({ message, source }),
      malformed: () => undefined,
      connectionLost: () => undefined,
      problem: () => undefined,
    },
  });
  cleanups.add(() => transports.close());
  return { transports, heard };
}

function targetOf({ transports }: { transports: SipTransports }, transport: "TCP"): Target {
  return { transport, address: HOST, port: transports.port(transport) ?? 0, domain: null };
}

describe("an uplink", () => {
  function uplink(near: { transports: SipTransports }, targets: () => Promise<readonly Target[]>) {
    const events: { [Name in keyof UplinkEvents]: ReturnType<typeof vi.fn<UplinkEvents[Name]>> } = {
      opened: vi.fn<UplinkEvents["opened"]>(),
      lost: vi.fn<UplinkEvents["lost"]>(),
      unreachable: vi.fn<UplinkEvents["unreachable"]>(),
    };
    const connect = (target: Target) => near.transports.connect(target);
    const times = { firstRetryMs: 2, maxRetryMs: 16 };
    const opened = new Uplink({ targets, connect, events, times, random: () => 1 });
    cleanups.add(() => opened.close());
    return { opened, events };
  }

  it("fails over to the next address, and returns when the connection breaks", async () => {
    const [near, far, gone] = [await open(), await open(), await open()];
    const targets = [targetOf(gone, "TCP"), targetOf(far, "TCP")];
    await gone.transports.close();
    const { opened, events } = uplink(near, async () => targets);
    await expect.poll(() => opened.target).toEqual(targets[1]);
    await near.transports.send(samples.request("OPTIONS"), opened.target as Target);
    await expect.poll(() => far.heard).toHaveLength(1);
    far.transports.connect(far.heard[0]?.source as Target).close();
    await expect.poll(() => events.opened.mock.calls).toHaveLength(2);
    expect(events.lost).toHaveBeenCalledOnce();
  });

  it("retries less and less often up to the limit while nothing answers", async () => {
    const [near, gone] = [await open(), await open()];
    const target = targetOf(gone, "TCP");
    await gone.transports.close();
    const { events } = uplink(near, async () => [target]);
    await expect.poll(() => events.unreachable.mock.calls.length).toBeGreaterThan(5);
    expect(events.unreachable.mock.calls.slice(0, 6).map(([, retryMs]) => retryMs)).toEqual([2, 4, 8, 16, 16, 16]);
    expect(events.unreachable.mock.calls[0]?.[0].message).toContain("ECONNREFUSED");
  });

  it("backs off from a peer that hangs up at once", async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, HOST);
    cleanups.add(() => server.close());
    await once(server, "listening");
    const port = (server.address() as { port: number }).port;
    const { events } = uplink(await open(), async () => [{ transport: "TCP", address: HOST, port, domain: null }]);
    await expect.poll(() => events.lost.mock.calls.length + events.unreachable.mock.calls.length).toBeGreaterThan(5);
  });
});
