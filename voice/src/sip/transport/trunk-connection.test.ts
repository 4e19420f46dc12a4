import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import pino from "pino";
import { afterEach, describe, expect, it } from "vitest";
import {
  answerCalls,
  type CarrierHandler,
  fieldOf,
  type SocketCarrier,
  replyTo,
  requestInDialog,
  startSocketCarrier,
} from "../../../test/socket-carrier.ts";
import { dial, HELD, OFFER, SipBench, trunkTo } from "../../../test/sip-bench.ts";
import { TrunkConnection, type ConnectionTimes } from "./trunk-connection.ts";

const bench = new SipBench();
afterEach(() => bench.end());

async function carrier(handle: CarrierHandler, port = 0): Promise<SocketCarrier> {
  const started = await startSocketCarrier("tcp", handle, {}, port);
  bench.add(() => started.close());
  return started;
}

/** A connection with short time-outs, and what it receives. */
function connection(port: number, times: Partial<ConnectionTimes> = {}) {
  const received: string[] = [];
  const opened = new TrunkConnection({
    trunk: { host: "127.0.0.1", port, transport: "tcp" },
    localAddress: "127.0.0.1",
    log: pino({ level: "silent" }),
    times: { firstRetryMs: 10, ...times },
    receiver: { message: (text) => received.push(text), hasCall: () => true, opened: () => undefined, lost: () => undefined },
  });
  bench.add(async () => opened.close());
  return { opened, received };
}

const methodsOf = (far: SocketCarrier): string[] => far.heard.map((message) => message.slice(0, message.indexOf(" ")));
const breakAll = (far: SocketCarrier): void => {
  for (const socket of far.connections) socket.destroy();
};
const tcp = { transport: "tcp" } as const;

describe("a call over TCP", () => {
  it("names the transport in Via and Contact, and does not retransmit", async () => {
    const far = await carrier((message, send) => {
      if (message.startsWith("INVITE ")) setTimeout(() => answerCalls(OFFER)(message, send), 700); // UDP would retransmit after 500 ms
      else answerCalls(OFFER)(message, send);
    });
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port, tcp)]));
    await answered;
    await call.hangUp();
    expect(methodsOf(far)).toEqual(["INVITE", "ACK", "BYE"]);
    expect(fieldOf(far.heard[0] ?? "", "Via")).toMatch(/^SIP\/2\.0\/TCP /);
    expect(fieldOf(far.heard[0] ?? "", "Contact")).toMatch(/;transport=tcp>$/);
  });

  it("receives the carrier's requests over the same connection", async () => {
    const far = await carrier((message, send) => {
      answerCalls(OFFER)(message, send);
      const invite = far.heard[0] ?? "";
      if (message.startsWith("ACK ") && fieldOf(message, "CSeq") === "1 ACK")
        send(requestInDialog(invite, "INVITE", 1, { sdp: HELD }));
      else if (message.startsWith("SIP/2.0 200 ") && fieldOf(message, "CSeq") === "1 INVITE")
        send(requestInDialog(invite, "ACK", 1) + requestInDialog(invite, "BYE", 2));
    });
    const { ended } = dial(await bench.trunks([trunkTo(far.port, tcp)]), { renegotiate: async () => HELD });
    expect(await ended).toMatchObject({ by: "callee", answered: true });
    await expect.poll(() => far.heard.some((message) => /^SIP\/2.0 200[\s\S]*CSeq: 2 BYE/.test(message))).toBe(true);
  });

  it("tries the next trunk at once when the connection breaks before it rings", async () => {
    const broken = await carrier((message, send) => {
      if (!message.startsWith("INVITE ")) return;
      send(replyTo(message, "100 Trying"));
      breakAll(broken);
    });
    const good = await carrier(answerCalls(OFFER));
    const { call, answered, ended } = dial(await bench.trunks([trunkTo(broken.port, tcp), trunkTo(good.port, tcp)]));
    await answered;
    await call.hangUp();
    expect(await ended).toMatchObject({ trunk: `to-${good.port}`, answered: true });
    await expect.poll(() => methodsOf(broken), { timeout: 5_000 }).toContain("CANCEL");
  });

  it("tries the next trunk when the connection is refused", async () => {
    const good = await carrier(answerCalls(OFFER));
    const { answered } = dial(await bench.trunks([trunkTo(9, tcp), trunkTo(good.port, tcp)]));
    await answered;
  });

  it("fails when the connection breaks while it rings", async () => {
    const far = await carrier((message, send) => {
      if (message.startsWith("INVITE ")) send(replyTo(message, "180 Ringing", { headers: ["Contact: <sip:c@127.0.0.1>"] }));
    });
    const { rang, ended } = dial(await bench.trunks([trunkTo(far.port, tcp)]));
    await rang;
    breakAll(far);
    expect(await ended).toMatchObject({ by: "failure", answered: false, sipStatus: 503 });
  });

  it("survives a broken connection: its BYE goes over the next one", async () => {
    const far = await carrier(answerCalls(OFFER));
    const { call, answered, ended, heard } = dial(await bench.trunks([trunkTo(far.port, tcp)]));
    await answered;
    await expect.poll(() => methodsOf(far)).toContain("ACK");
    breakAll(far);
    await expect.poll(() => far.connections.size).toBe(0);
    await call.hangUp();
    expect(await ended).toMatchObject({ by: "us", answered: true });
    expect(heard).toEqual(["answer", "end"]);
    expect(methodsOf(far)).toEqual(["INVITE", "ACK", "BYE"]);
  });

  it("resends a BYE if the connection broke before the response", async () => {
    let byes = 0;
    const far = await carrier((message, send) => {
      if (message.startsWith("BYE ") && (byes += 1) === 1) breakAll(far);
      else answerCalls(OFFER)(message, send);
    });
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port, tcp)]));
    await answered;
    await call.hangUp();
    expect(byes).toBe(2);
  });
});

describe("the connection", () => {
  it("is kept open with pings, and closed when a carrier that answered them stops", async () => {
    let pings = 0;
    const far = await carrier(() => undefined);
    const { opened } = connection(far.port, { pingEveryMs: 20, pongWithinMs: 60 });
    await expect.poll(() => far.connections.size).toBe(1);
    const [first] = far.connections;
    first?.on("data", () => {
      pings += 1;
      if (pings <= 3) first.write("\r\n");
    });
    await once(first ?? far.connections.values().next().value!, "close");
    expect(pings).toBeGreaterThan(3);
    await expect.poll(() => opened.connected && far.connections.size).toBe(1);
  });

  it("is kept open although the carrier never answers pings", async () => {
    let pings = 0;
    const far = await carrier(() => undefined);
    connection(far.port, { pingEveryMs: 10, pongWithinMs: 10 });
    await expect.poll(() => far.connections.size).toBe(1);
    const [first] = far.connections;
    first?.on("data", () => (pings += 1));
    await expect.poll(() => pings).toBeGreaterThan(10);
    expect([...far.connections]).toEqual([first]);
  });

  it("is reopened when the carrier comes back", async () => {
    const far = await carrier(() => undefined);
    const { opened } = connection(far.port);
    await expect.poll(() => opened.connected).toBe(true);
    await far.close();
    await expect.poll(() => opened.connected).toBe(false);
    await carrier(() => undefined, far.port);
    await expect.poll(() => opened.connected).toBe(true);
  });

  it.each([
    ["headers without an end", "a".repeat(70_000)],
    ["a message without a length", "OPTIONS sip:a SIP/2.0\r\nVia: x\r\n\r\n"],
    ["half a message", "OPTIONS sip:a SIP/2.0\r\nContent-Length: 10\r\n\r\nhalf"],
    ["another protocol", "HTTP/1.1 400 Bad Request\r\n\r\n"],
  ])("is closed by %s", async (_, text) => {
    const far = await carrier(() => undefined);
    const { received } = connection(far.port, { messageWithinMs: 50, firstRetryMs: 20_000 });
    await expect.poll(() => far.connections.size).toBe(1);
    const [first] = far.connections;
    first?.write(text);
    await expect.poll(() => far.connections.size).toBe(0);
    expect(received).toEqual([]);
  });

  it("accepts messages one byte at a time", async () => {
    const far = await carrier(() => undefined);
    const { received } = connection(far.port);
    await expect.poll(() => far.connections.size).toBe(1);
    const [first] = far.connections;
    const request = requestInDialog(`Contact: <sip:a>\r\nTo: <sip:b>\r\nFrom: <sip:c>;tag=1\r\nCall-ID: 1\r\n`, "OPTIONS", 1, {
      sdp: OFFER,
    });
    for (const byte of Buffer.from(`${request}\r\n${request}`)) first?.write(Buffer.from([byte]));
    await expect.poll(() => received).toEqual([request, request]);
  });

  it("is always outgoing: the exchange listens on no TCP port", async () => {
    const far = await carrier(answerCalls(OFFER));
    const trunks = await bench.trunks([trunkTo(far.port, tcp)]);
    const stranger = connect(trunks.port, "127.0.0.1");
    const [error] = (await once(stranger, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });
});

describe("TLS", () => {
  const pem = (name: string): Promise<string> => readFile(new URL(`../../../test/tls/${name}`, import.meta.url), "utf8");
  async function secureCarrier(name: string, more: object = {}): Promise<SocketCarrier> {
    const tls = { cert: await pem(`${name}.pem`), key: await pem(`${name}.key`), ...more };
    const started = await startSocketCarrier("tls", answerCalls(OFFER), tls);
    bench.add(() => started.close());
    return started;
  }
  const secure = { transport: "tls", host: "localhost" } as const;

  it.each(["carrier", "sip-domain"])("carries a call when the certificate of %s names the host", async (name) => {
    const far = await secureCarrier(name);
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port, { ...secure, tls: { ca: await pem("ca.pem") } })]));
    await answered;
    await call.hangUp();
    expect(fieldOf(far.heard[0] ?? "", "Via")).toMatch(/^SIP\/2\.0\/TLS /);
    expect(fieldOf(far.heard[0] ?? "", "Contact")).toMatch(/^<sip:.*;transport=tls>$/);
  });

  it("sends the exchange's client certificate to a carrier that requests it", async () => {
    const ca = await pem("ca.pem");
    const far = await secureCarrier("carrier", { requestCert: true, rejectUnauthorized: true, ca });
    const tls = { ca, cert: await pem("exchange.pem"), key: await pem("exchange.key") };
    await dial(await bench.trunks([trunkTo(far.port, { ...secure, tls })])).answered;
    expect(await dial(await bench.trunks([trunkTo(far.port, { ...secure, tls: { ca } })])).ended).toMatchObject({
      by: "failure",
    });
  });

  it.each([
    ["names another host", "other", {}, true],
    ["comes from nobody we trust", "carrier", {}, false],
    ["comes with an old TLS", "carrier", { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }, true],
  ])("refuses a carrier whose certificate %s", async (_, name, more, trusted) => {
    const far = await secureCarrier(name, more);
    const tls = trusted ? { ca: await pem("ca.pem") } : {};
    const { ended } = dial(await bench.trunks([trunkTo(far.port, { ...secure, tls })]));
    expect(await ended).toMatchObject({ by: "failure", answered: false });
    expect(far.heard).toEqual([]);
  });
});
