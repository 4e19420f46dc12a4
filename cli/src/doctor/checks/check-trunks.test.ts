import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { checkTrunks } from "./check-trunks.ts";

const rtpAddress = { bound: "127.0.0.1", announced: "127.0.0.1" };
type Trunk = Parameters<typeof checkTrunks>[0]["trunks"][number];
const trunk = (host: string, port: number, more: Partial<Trunk> = {}) =>
  ({ name: "main", host, port, transport: "udp", ...more }) as Trunk;

/** A response with the fields that it copies. */
function answerTo(request: string, statusLine: string, headers = ""): string {
  const copied = ["Via", "From", "To", "Call-ID", "CSeq"].map((name) => new RegExp(`^${name}: .*\r\n`, "m").exec(request)?.[0]);
  return `SIP/2.0 ${statusLine}\r\n${copied.join("")}${headers}Content-Length: 0\r\n\r\n`;
}

async function carrier(statusLine: string | null, headers = "") {
  const socket = createSocket("udp4");
  const requests: string[] = [];
  socket.on("message", (message, from) => {
    requests.push(message.toString());
    if (statusLine !== null) socket.send(answerTo(message.toString(), statusLine, headers), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { port: socket.address().port, requests, close: () => socket.close() };
}

test("a trunk that answers OPTIONS with any status is ok", async () => {
  const { port, requests, close } = await carrier("405 Method Not Allowed");
  expect(await checkTrunks({ trunks: [trunk("localhost", port)], rtpAddress })).toEqual([
    { level: "ok", text: `Trunk main answers at localhost:${port} over UDP (405).` },
  ]);
  expect(requests[0]).toMatch(
    /^OPTIONS sip:localhost:\d+ SIP\/2\.0\r\nVia: SIP\/2\.0\/UDP 127\.0\.0\.1:\d+;branch=z9hG4bK\w+;rport\r\n/,
  );
  close();
});

test("a trunk is asked over its own transport", async () => {
  const server = createServer((socket) =>
    socket.on("data", (data: Buffer) => socket.write(answerTo(data.toString(), "200 OK"))),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const trunks = [trunk("127.0.0.1", port, { transport: "tcp" })];
  expect(await checkTrunks({ trunks, rtpAddress })).toEqual([
    { level: "ok", text: `Trunk main answers at 127.0.0.1:${port} over TCP (200).` },
  ]);
  await new Promise((resolve) => server.close(resolve));
  const [refused, plain] = await checkTrunks({
    trunks: [...trunks, trunk("127.0.0.1", port, { transport: "tls" })],
    rtpAddress,
  });
  expect(refused).toMatchObject({ level: "fault", text: expect.stringContaining("cannot be connected") });
  expect(plain).toMatchObject({ level: "fault" });
});

test("a trunk that refuses the credentials is a fault", async () => {
  const { port, requests, close } = await carrier("401 Unauthorized", 'WWW-Authenticate: Digest realm="r", nonce="n"\r\n');
  const trunks = [trunk("127.0.0.1", port, { username: "us", password: "wrong" })];
  expect(await checkTrunks({ trunks, rtpAddress })).toEqual([
    { level: "fault", text: `Trunk main at 127.0.0.1:${port} over UDP refuses its username and password (401).` },
  ]);
  expect(requests.at(-1)).toMatch(/^Authorization: Digest username="us", realm="r"/m);
  close();
});

test("a trunk that does not answer is a warning, and one whose host does not resolve a fault", async () => {
  const { port, requests, close } = await carrier(null);
  const trunks = [trunk("127.0.0.1", port), trunk("no-such-host.invalid", 5060)];
  const [silent, nowhere] = await checkTrunks({ trunks, rtpAddress });
  expect(silent).toMatchObject({ level: "warning", text: expect.stringContaining("within 4 seconds") });
  expect(requests.length).toBeGreaterThan(1);
  expect(nowhere).toMatchObject({ level: "fault", text: expect.stringContaining("has no address") });
  close();
});
