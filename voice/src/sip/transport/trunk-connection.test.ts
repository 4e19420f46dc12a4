import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { readPem } from "@farline/sip/test/tls/pem.ts";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  answerCalls,
  type CarrierHandler,
  fieldOf,
  type SocketCarrier,
  replyTo,
  requestInDialog,
  startSocketCarrier,
} from "../../../test/socket-carrier.ts";
import { dial, IMPATIENT, HELD, OFFER, SipBench, trunkTo } from "../../../test/sip-bench.ts";

const bench = new SipBench();
afterEach(() => bench.end());

async function carrier(handle: CarrierHandler, port = 0): Promise<SocketCarrier> {
  const started = await startSocketCarrier("tcp", handle, {}, { port });
  bench.add(() => started.close());
  return started;
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
    await expect.poll(() => methodsOf(broken)).toContain("CANCEL");
  });

  it("tries the next trunk when the connection is refused", async () => {
    const good = await carrier(answerCalls(OFFER));
    const { answered } = dial(await bench.trunks([trunkTo(9, tcp), trunkTo(good.port, tcp)]));
    expect(await answered).toContain("m=audio");
  });

  it("rings on when the connection breaks, and is answered over the next one", async () => {
    const contact = { headers: ["Contact: <sip:c@127.0.0.1>"] };
    const far = await carrier((message, send) => {
      if (message.startsWith("INVITE ")) send(replyTo(message, "180 Ringing", contact));
      else answerCalls(OFFER)(message, send);
    });
    const { call, rang, answered, ended } = dial(await bench.trunks([trunkTo(far.port, tcp)]));
    await rang;
    const before = [...far.connections];
    breakAll(far);
    await expect.poll(() => [...far.connections].some((socket) => !before.includes(socket))).toBe(true);
    for (const socket of far.connections) socket.write(replyTo(far.heard[0] ?? "", "200 OK", { ...contact, sdp: OFFER }));
    await answered;
    await call.hangUp();
    expect(await ended).toMatchObject({ by: "us", answered: true });
    expect(methodsOf(far)).toEqual(["INVITE", "ACK", "BYE"]);
  });

  it("survives a broken connection: its BYE goes over the next one", async () => {
    const far = await carrier(answerCalls(OFFER));
    const { call, answered, ended, heard } = dial(await bench.trunks([trunkTo(far.port, tcp)]));
    await answered;
    await expect.poll(() => methodsOf(far)).toContain("ACK");
    breakAll(far);
    await expect.poll(() => methodsOf(far)).toContain("OPTIONS");
    await call.hangUp();
    expect(await ended).toMatchObject({ by: "us", answered: true });
    expect(heard).toEqual(["answer", "end"]);
    expect(methodsOf(far)).toEqual(["INVITE", "ACK", "OPTIONS", "BYE"]);
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

/** From now on nothing arrives over the open connections, as if the path were cut: no side learns of it. */
const cutPath = (far: SocketCarrier): void => {
  for (const socket of far.connections) socket.pause();
};

describe("a dead connection", () => {
  it("is replaced when a call gets no response over it, and calls in a dialog go on over the new one", async () => {
    const far = await carrier(answerCalls(OFFER));
    const trunks = await bench.trunks([trunkTo(far.port, tcp)], IMPATIENT);
    const earlier = dial(trunks);
    await earlier.answered;
    await expect.poll(() => methodsOf(far)).toContain("ACK");
    cutPath(far);
    const { call, answered } = dial(trunks);
    await answered;
    expect(call.route.attempts).toMatchObject([{ outcome: "answered" }]);
    await Promise.all([call.hangUp(), earlier.call.hangUp()]);
    expect(methodsOf(far).filter((method) => !["CANCEL", "OPTIONS"].includes(method))).toEqual([
      "INVITE",
      "ACK",
      "INVITE",
      "ACK",
      "BYE",
      "BYE",
    ]);
  });

  it("gives way to another address of the trunk", async () => {
    const [first, second] = [await carrier(answerCalls(OFFER)), await carrier(answerCalls(OFFER))];
    const srv = async () => [first, second].map(({ port }, priority) => ({ name: "a.test", port, priority, weight: 0 }));
    const dns = { srv, addresses: async () => ["127.0.0.1"] };
    const trunks = await bench.trunks([trunkTo(0, { ...tcp, host: "carrier.test", port: null })], { ...IMPATIENT, dns });
    const earlier = dial(trunks);
    await earlier.answered;
    await expect.poll(() => methodsOf(first)).toContain("ACK");
    cutPath(first);
    const { answered, call } = dial(trunks);
    await answered;
    await call.hangUp();
    await expect.poll(() => trunks.states()[0]?.connected).toBe(true);
    await earlier.call.hangUp();
    expect(methodsOf(second)).toContain("INVITE");
    expect([...methodsOf(first), ...methodsOf(second)].filter((method) => method === "BYE")).toHaveLength(2);
  });

  it("is not assumed while the carrier says anything else, nor twice in one call", async () => {
    let invites = 0;
    const far = await carrier((message, send) => {
      if (message.startsWith("INVITE ")) invites += 1;
      else if (message.startsWith("OPTIONS ")) send(replyTo(message, "200 OK"));
    });
    const spare = await carrier(answerCalls(OFFER));
    const trunks = await bench.trunks([trunkTo(far.port, tcp), trunkTo(spare.port, { ...tcp, priority: 1 })], IMPATIENT);
    await expect.poll(() => far.connections.size).toBe(1);
    const call = dial(trunks);
    await trunks.options();
    await call.answered;
    expect(invites).toBe(1);
    await call.call.hangUp();
    const again = dial(trunks);
    await again.answered;
    expect(invites).toBe(3);
    await again.call.hangUp();
  });

  it("is noticed by an unanswered ping, too", async () => {
    const far = await carrier(answerCalls(OFFER));
    const trunks = await bench.trunks([trunkTo(far.port, tcp)]);
    expect(await trunks.options()).toBe(true);
    cutPath(far);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const answered = trunks.options();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await answered).toBe(false);
    expect(trunks.states()[0]?.connected).toBe(false);
    vi.useRealTimers();
    expect(await trunks.options()).toBe(true);
  });
});

describe("a trunk's connection", () => {
  it("is reopened when the carrier comes back", async () => {
    const far = await carrier(() => undefined);
    const trunks = await bench.trunks([trunkTo(far.port, tcp)]);
    const connected = (): boolean | null | undefined => trunks.states()[0]?.connected;
    await expect.poll(connected).toBe(true);
    await far.close();
    await expect.poll(connected).toBe(false);
    await carrier(() => undefined, far.port);
    await expect.poll(connected).toBe(true);
  });

  it("is not closed with that of another trunk to the same address", async () => {
    const far = await carrier(answerCalls(OFFER));
    const [first, second] = [trunkTo(far.port, { ...tcp, name: "first" }), trunkTo(far.port, { ...tcp, name: "second" })];
    const trunks = await bench.trunks([first, second]);
    await expect.poll(() => far.connections.size).toBe(2);
    const accepted = [...far.connections];
    trunks.reload([second]);
    await expect.poll(() => far.connections.size).toBe(1);
    expect(accepted.filter((socket) => far.connections.has(socket))).toHaveLength(1);
    expect(trunks.states()).toMatchObject([{ name: "second", connected: true }]);
  });

  it("may also be opened by the carrier, to the port in our Contact (RFC 3261 §18.2.1)", async () => {
    const far = await carrier(answerCalls(OFFER));
    const { answered, ended } = dial(await bench.trunks([trunkTo(far.port, tcp)]));
    await answered;
    await expect.poll(() => methodsOf(far)).toContain("ACK");
    const invite = far.heard[0] ?? "";
    const stream = open(Number(/:(\d+);transport=tcp/.exec(fieldOf(invite, "Contact"))?.[1]), "127.0.0.1");
    stream.write(requestInDialog(invite, "BYE", 1));
    expect(await ended).toMatchObject({ by: "callee", answered: true });
    expect(String(await once(stream, "data"))).toMatch(/^SIP\/2\.0 200 /);
  });

  it("is refused to addresses that belong to no trunk", async () => {
    const trunks = await bench.trunks([trunkTo(9)]);
    const stranger = open(trunks.port, "127.0.0.2");
    await once(stranger, "close");
    expect(stranger.bytesRead).toBe(0);
  });
});

function open(port: number, localAddress: string): Socket {
  const stream = connect({ port, host: "127.0.0.1", localAddress });
  stream.on("error", () => undefined);
  bench.add(async () => void stream.destroy());
  return stream;
}

describe("TLS", () => {
  async function secureCarrier(name: string, more: object = {}): Promise<SocketCarrier> {
    const tls = { cert: await readPem(`${name}.pem`), key: await readPem(`${name}.key`), ...more };
    const started = await startSocketCarrier("tls", answerCalls(OFFER), tls);
    bench.add(() => started.close());
    return started;
  }
  const secure = { transport: "tls", host: "localhost" } as const;

  it.each(["carrier", "sip-domain"])("carries a call when the certificate of %s names the host", async (name) => {
    const far = await secureCarrier(name);
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port, { ...secure, tls: { ca: await readPem("ca.pem") } })]));
    await answered;
    await call.hangUp();
    expect(fieldOf(far.heard[0] ?? "", "Via")).toMatch(/^SIP\/2\.0\/TLS /);
    expect(fieldOf(far.heard[0] ?? "", "Contact")).toMatch(/^<sip:.*;transport=tls>$/);
  });

  it("sends the exchange's client certificate to a carrier that requests it", async () => {
    const ca = await readPem("ca.pem");
    const far = await secureCarrier("carrier", { requestCert: true, rejectUnauthorized: true, ca });
    const tls = { ca, cert: await readPem("exchange.pem"), key: await readPem("exchange.key") };
    const trunks = await bench.trunks([trunkTo(far.port, { ...secure, name: "main", tls })]);
    await dial(trunks).answered;
    expect(trunks.certificates().map(({ name }) => name)).toEqual([
      "trunk main",
      "authority of trunk main",
      "carrier of trunk main",
    ]);
    expect(trunks.certificates().every(({ endsAt }) => endsAt.getTime() > Date.now())).toBe(true);
    expect(await dial(await bench.trunks([trunkTo(far.port, { ...secure, tls: { ca } })])).ended).toMatchObject({
      by: "failure",
    });
  });

  it("shows each of two trunks at one address its own certificate", async () => {
    const ca = await readPem("ca.pem");
    const far = await secureCarrier("carrier", { requestCert: true, rejectUnauthorized: true, ca });
    const own = { ca, cert: await readPem("exchange.pem"), key: await readPem("exchange.key") };
    const trunks = [
      trunkTo(far.port, { ...secure, name: "without", tls: { ca } }),
      trunkTo(far.port, { ...secure, name: "with", tls: own, priority: 1 }),
    ];
    const set = await bench.trunks(trunks);
    const { answered, call } = dial(set);
    await answered;
    expect(call.route).toMatchObject({ trunk: "with", attempts: [{ trunk: "without", outcome: "failed" }, {}] });
    await call.hangUp();
  });

  it.each([
    ["names another host", "other", {}, true],
    ["comes from nobody we trust", "carrier", {}, false],
    ["comes with an old TLS", "carrier", { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }, true],
  ])("refuses a carrier whose certificate %s", async (_, name, more, trusted) => {
    const far = await secureCarrier(name, more);
    const tls = trusted ? { ca: await readPem("ca.pem") } : {};
    const { ended } = dial(await bench.trunks([trunkTo(far.port, { ...secure, tls })]));
    expect(await ended).toMatchObject({ by: "failure", answered: false });
    expect(far.heard).toEqual([]);
  });
});
