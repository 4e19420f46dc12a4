import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { checkTrunks } from "./check-trunks.ts";

const rtpAddress = { bound: "127.0.0.1", announced: "127.0.0.1" };
type Trunk = Parameters<typeof checkTrunks>[0]["trunks"][number];
const trunk = (host: string, port: number) => ({ name: "main", host, port }) as Trunk;

async function carrier(answer: string | null) {
  const socket = createSocket("udp4");
  const requests: string[] = [];
  socket.on("message", (message, from) => {
    requests.push(message.toString());
    if (answer !== null) socket.send(answer, from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { port: socket.address().port, requests, close: () => socket.close() };
}

test("a trunk that answers OPTIONS with any status is ok", async () => {
  const { port, requests, close } = await carrier("SIP/2.0 405 Method Not Allowed\r\n\r\n");
  expect(await checkTrunks({ trunks: [trunk("localhost", port)], rtpAddress })).toEqual([
    { level: "ok", says: `Trunk main answers at localhost:${port} (405).` },
  ]);
  expect(requests[0]).toMatch(
    /^OPTIONS sip:localhost:\d+ SIP\/2\.0\r\nVia: SIP\/2\.0\/UDP 127\.0\.0\.1:\d+;branch=z9hG4bK\w+;rport\r\n/,
  );
  close();
});

test("a trunk that does not answer is a warning, and one whose host does not resolve a fault", async () => {
  const { port, requests, close } = await carrier(null);
  const trunks = [trunk("127.0.0.1", port), trunk("no-such-host.invalid", 5060)];
  const [silent, nowhere] = await checkTrunks({ trunks, rtpAddress });
  expect(silent).toMatchObject({ level: "warning", says: expect.stringContaining("no answer within 4 seconds") });
  expect(requests.length).toBeGreaterThan(1);
  expect(nowhere).toMatchObject({ level: "fault", says: expect.stringContaining("has no address") });
  close();
});
