import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { checkAddresses } from "./check-addresses.ts";

const here = { bound: "127.0.0.1", announced: "127.0.0.1" };
const trunk = (host: string) => ({ host }) as Parameters<typeof checkAddresses>[0]["trunks"][number];
const exchange = {
  mediaAddress: here,
  mediaPorts: null,
  rtpAddress: here,
  rtpPorts: { first: 21_000, last: 21_999 },
  rtpengines: [],
  trunks: [],
};
const LOCAL = "http://localhost:3000";
const PUBLIC = "https://farline.example";

test("an installation used on this machine only may announce a loopback address", async () => {
  const findings = await checkAddresses({ ...exchange, trunks: [trunk("127.0.0.1")] }, LOCAL);
  expect(findings.map(({ level }) => level)).toEqual(["ok", "ok"]);
});

test("a loopback address announced to remote browsers or carriers is a fault", async () => {
  const findings = await checkAddresses({ ...exchange, trunks: [trunk("sip.carrier.example")] }, PUBLIC);
  expect(findings).toMatchObject([
    { level: "fault", text: expect.stringContaining("set VOICE_MEDIA_ANNOUNCE") },
    { level: "fault", text: expect.stringContaining("set RTP_ANNOUNCE") },
  ]);
});

test("with rtpengine the address for browsers' audio is not checked", async () => {
  const rtpengines = [{ host: "10.0.0.7", port: 2223, weight: 1 }];
  const findings = await checkAddresses({ ...exchange, rtpengines }, PUBLIC);
  expect(findings).toMatchObject([{ level: "ok", text: expect.stringContaining("Carriers are told") }]);
});

test("a private address announced to remote browsers is a warning", async () => {
  const [finding] = await checkAddresses({ ...exchange, mediaAddress: { bound: "127.0.0.1", announced: "10.0.0.5" } }, PUBLIC);
  expect(finding).toMatchObject({
    level: "warning",
    text: expect.stringContaining("which is reachable only in its own network"),
  });
});

test("a bound address of another machine is a fault", async () => {
  const foreign = { bound: "203.0.113.7", announced: "203.0.113.7" };
  const [finding] = await checkAddresses({ ...exchange, mediaAddress: foreign }, PUBLIC);
  expect(finding).toEqual({
    level: "fault",
    text: "VOICE_MEDIA_IP 203.0.113.7 is not an address of this machine (EADDRNOTAVAIL).",
  });
});

test("an announced address that does not lead back to this machine is a warning, unless a NAT loops it back", async () => {
  const mediaPorts = { first: 22_500, last: 22_599 };
  const behindNat = { ...exchange, mediaAddress: { bound: "127.0.0.1", announced: "127.0.0.9" }, mediaPorts };
  const silent = await checkAddresses(behindNat, LOCAL);
  expect(silent[1]).toMatchObject({ level: "warning", text: expect.stringContaining("nothing arrived within a second") });

  const sockets = await forwardAll("127.0.0.9", "127.0.0.1", mediaPorts);
  try {
    const forwarded = await checkAddresses(behindNat, LOCAL);
    expect(forwarded[1]).toMatchObject({
      level: "ok",
      text: expect.stringMatching(/^A datagram to 127\.0\.0\.9:\d+ arrives at 127\.0\.0\.1\.$/),
    });
  } finally {
    for (const socket of sockets) socket.close();
  }
});

/** Acts as the router in front of the machine, which forwards datagrams from the public address. */
async function forwardAll(from: string, to: string, { first, last }: { first: number; last: number }) {
  const ports = Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  return Promise.all(
    ports.map(async (port) => {
      const socket = createSocket("udp4");
      socket.on("message", (message) => socket.send(message, port, to));
      socket.bind(port, from);
      await once(socket, "listening");
      return socket;
    }),
  );
}
