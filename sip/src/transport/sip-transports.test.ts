import { Cleanups } from "../../test/cleanups.ts";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { readPem } from "../../test/tls/pem.ts";
import type { SipMessage, SipRequest } from "../message/message.ts";
import { responseTo } from "../message/response.ts";
import { SipTransports, type SipTransportsOptions } from "./sip-transports.ts";
import type { Target } from "./target.ts";

const HOST = "127.0.0.1";

const cleanups = new Cleanups();
afterEach(() => cleanups.end());

/** Transports with what they heard. Requests are answered with 200 over the way they came. */
async function open(options: Partial<SipTransportsOptions> = {}) {
  const heard: { message: SipMessage; source: Target }[] = [];
  const lost: Error[] = [];
  const malformed: string[] = [];
  const transports = await SipTransports.open({
    address: HOST,
    port: 0,
    events: {
      admits: () => true,
      message: (message, source) => {
        heard.push({ message, source });
        if (message.kind === "request")
          transports.respond(responseTo(message, 200, "OK", { toTag: "t" }), source).catch(() => undefined);
      },
      malformed: (problem) => malformed.push(problem),
      connectionLost: (_peer, problem) => lost.push(problem),
      problem: (error) => {
        throw error;
      },
    },
    ...options,
  });
  cleanups.add(() => transports.close());
  return { transports, heard, lost, malformed };
}

function options(branch = "1"): SipRequest {
  return {
    kind: "request",
    method: "OPTIONS",
    uri: "sip:b.example",
    vias: [
      {
        transport: "UDP",
        host: "client.invalid",
        port: 9,
        parameters: new Map([
          ["branch", `z9hG4bK${branch}`],
          ["rport", null],
        ]),
      },
    ],
    from: { display: "", uri: "sip:a", parameters: new Map([["tag", "1"]]) },
    to: { display: "", uri: "sip:b", parameters: new Map() },
    callId: "c",
    cseq: { number: 1, method: "OPTIONS" },
    headers: new Map(),
    body: new Uint8Array(),
  };
}

function targetOf(
  { transports }: { transports: SipTransports },
  transport: Target["transport"],
  domain: string | null = null,
  ca?: string,
): Target {
  const owner = ca === undefined ? {} : { owner: { name: "trunk", tls: { ca } } };
  return { transport, address: HOST, port: transports.port(transport) ?? 0, domain, ...owner };
}

describe("requests and responses", () => {
  it.each(["UDP", "TCP"] as const)("are exchanged over %s at the same port", async (transport) => {
    const [near, far] = [await open(), await open()];
    await near.transports.send(options(), targetOf(far, transport));
    await expect.poll(() => near.heard).toHaveLength(1);
    expect(near.heard[0]?.message).toMatchObject({ kind: "response", status: 200 });
    const top = far.heard[0]?.message.vias[0];
    expect(top?.parameters.get("received")).toBe(HOST);
    expect(top?.parameters.get("rport")).toBe(String(far.heard[0]?.source.port));
    expect(far.transports.port("UDP")).toBe(far.transports.port("TCP"));
  });

  it("over TCP share one connection, which the peer uses for its own requests to us", async () => {
    const [near, far] = [await open(), await open()];
    for (const branch of ["1", "2", "3"]) await near.transports.send(options(branch), targetOf(far, "TCP"));
    await expect.poll(() => near.heard).toHaveLength(3);
    const sources = new Set(far.heard.map(({ source }) => source.port));
    expect(sources.size).toBe(1);
    await far.transports.send(options("4"), far.heard[0]?.source as Target);
    await expect.poll(() => far.heard.at(-1)?.message.kind).toBe("response");
  });

  it("over TCP end a connection whose pings have no answer, if the peer has agreed to answer them", async () => {
    const near = await open({ times: { pingEveryMs: 2, pongWithinMs: 2 } });
    const server = createServer((socket) => void socket.resume()).listen(0, HOST);
    cleanups.add(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const connection = near.transports.connect({ transport: "TCP", address: HOST, port, domain: null }).keepOpen();
    connection.demandPongs(30);
    expect((await connection.ended).message).toBe("The peer does not answer pings.");
  });

  it("over TCP can keep their connection open with pings, which is not cut when nothing answers (RFC 5626 §4.4.1)", async () => {
    const near = await open({ times: { pingEveryMs: 2 } });
    const heard: Buffer[] = [];
    const server = createServer((socket) => socket.on("data", (chunk) => heard.push(chunk))).listen(0, HOST);
    cleanups.add(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    await near.transports.connect({ transport: "TCP", address: HOST, port, domain: null }).keepOpen().ready;
    await expect.poll(() => Buffer.concat(heard).toString()).toContain("\r\n".repeat(20));
    expect(near.lost).toEqual([]);
  });

  it("over TCP close a connection that is idle and not kept open", async () => {
    const [near, far] = [await open({ times: { idleMs: 200 } }), await open()];
    await near.transports.connect(targetOf(far, "TCP")).ready;
    await expect.poll(() => near.lost).toHaveLength(1);
  });

  it("go over a new connection when the old one has gone", async () => {
    const [near, far] = [await open(), await open()];
    const target = targetOf(far, "TCP");
    await near.transports.send(options(), target);
    await expect.poll(() => near.heard).toHaveLength(1);
    near.transports.connect(target).close();
    await expect.poll(() => near.lost).toHaveLength(1);
    await near.transports.send(options("2"), target);
    await expect.poll(() => near.heard).toHaveLength(2);
  });

  it("are rejected when nobody listens", async () => {
    const [near, far] = [await open(), await open()];
    const target = targetOf(far, "TCP");
    await far.transports.close();
    await expect(near.transports.send(options(), target)).rejects.toThrow("ECONNREFUSED");
  });

  it("of strangers are not read, and their connections are closed", async () => {
    const [near, far] = [await open(), await open({ events: { ...deaf(), admits: () => false } })];
    await near.transports.send(options(), targetOf(far, "UDP"));
    const socket = connect(far.transports.port("TCP") ?? 0, HOST);
    await once(socket, "close");
    expect(near.heard).toEqual([]);
  });

  it("that are malformed are reported", async () => {
    const far = await open();
    const socket = await dial(far);
    socket.write("OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\n\r\n");
    await expect.poll(() => far.malformed).toEqual(["no or malformed Via"]);
  });
});

function deaf(): SipTransportsOptions["events"] {
  return {
    admits: () => true,
    message: () => undefined,
    malformed: () => undefined,
    connectionLost: () => undefined,
    problem: () => undefined,
  };
}

async function dial({ transports }: { transports: SipTransports }): Promise<Socket> {
  const socket = connect(transports.port("TCP") ?? 0, HOST);
  cleanups.add(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

describe("a connection from a carrier", () => {
  it("answers a ping with one line break, and a single line break with nothing", async () => {
    const far = await open();
    const socket = await dial(far);
    let heard = "";
    socket.on("data", (chunk: Buffer) => {
      heard += chunk.toString();
    });
    socket.write("\r\n");
    socket.write("OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\n\r\n");
    await expect.poll(() => far.malformed).toHaveLength(1);
    expect(heard).toBe("");
    socket.write("\r\n\r\n");
    await expect.poll(() => heard).toBe("\r\n");
  });

  it("is closed if it sends something else, or does not complete a message", async () => {
    const far = await open({ times: { messageWithinMs: 50 } });
    const other = await dial(far);
    other.write(`GET / HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(other, "close");
    const slow = await dial(far);
    slow.write("OPTIONS sip:a SIP/2.0\r\n");
    await once(slow, "close");
    await expect
      .poll(() => far.lost.map(({ message }) => message))
      .toEqual(["A SIP message has no valid Content-Length.", "A SIP message was not completed in time."]);
  });

  it("is closed after a long silence", async () => {
    const far = await open({ times: { idleMs: 30 } });
    await once(await dial(far), "close");
    await expect.poll(() => far.lost[0]?.message).toBe("The SIP connection was idle.");
  });

  it("is closed if it reads nothing", async () => {
    const far = await open();
    const socket = await dial(far);
    socket.pause();
    socket.write("\r\n\r\n");
    const peer: Target = { transport: "TCP", address: HOST, port: socket.localPort ?? 0, domain: null };
    await expect.poll(() => far.transports.connect(peer).heard).toBe(true);
    const large = { ...options(), body: new Uint8Array(60_000) };
    const sends = Array.from({ length: 400 }, () => far.transports.send(large, peer));
    const results = await Promise.allSettled(sends);
    expect(results.at(-1)?.status).toBe("rejected");
    await expect.poll(() => far.lost[0]?.message).toBe("The peer does not read from the SIP connection.");
  });
});

describe("TLS", () => {
  async function secure(name: string) {
    return open({ tls: { port: 0, cert: await readPem(`${name}.pem`), key: await readPem(`${name}.key`) } });
  }

  it.each([
    ["carrier", "localhost"],
    ["carrier", HOST],
    ["sip-domain", "localhost"],
    ["other", "other.example"],
  ])("accepts the certificate of %s for the configured domain %s", async (name, domain) => {
    const ca = await readPem("ca.pem");
    const [near, far] = [await open(), await secure(name)];
    await near.transports.send(options(), targetOf(far, "TLS", domain, ca));
    await expect.poll(() => near.heard).toHaveLength(1);
    expect(far.heard[0]?.source.transport).toBe("TLS");
  });

  it.each([
    ["names another host", "other", true, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["comes from an unknown authority", "carrier", false, "unable to verify"],
  ])("refuses a certificate that %s", async (_what, name, trusted, reason) => {
    const ca = await readPem("ca.pem");
    const [near, far] = [await open(), await secure(name)];
    const target = targetOf(far, "TLS", "localhost", trusted ? ca : undefined);
    await expect(near.transports.connect(target).ready).rejects.toThrow();
    await expect.poll(() => `${near.lost[0]?.message} ${(near.lost[0] as NodeJS.ErrnoException).code}`).toContain(reason);
    expect(far.heard).toEqual([]);
  });

  it("is not opened without a domain to verify", async () => {
    const [near, far] = [await open(), await secure("carrier")];
    await expect(near.transports.send(options(), targetOf(far, "TLS"))).rejects.toThrow("no domain");
  });
});

describe("connections that peers open", () => {
  /** Everything that arrives on a silent connection until it is closed. */
  async function silent(port: number): Promise<{ socket: Socket; closed: Promise<number> }> {
    const socket = connect(port, HOST);
    let bytes = 0;
    socket.on("data", (chunk) => (bytes += chunk.length));
    socket.on("error", () => undefined);
    cleanups.add(() => socket.destroy());
    const closed = new Promise<number>((resolve) => socket.once("close", () => resolve(bytes)));
    return { socket, closed };
  }
  const SOON = { connectWithinMs: 100, speaksWithinMs: 100 };

  async function listening(options: Partial<SipTransportsOptions> = {}, events: Partial<SipTransportsOptions["events"]> = {}) {
    const problems: unknown[] = [];
    const transports = await SipTransports.open({
      address: HOST,
      port: 0,
      tls: { port: 0, cert: await readPem("carrier.pem"), key: await readPem("carrier.key") },
      events: {
        admits: () => true,
        message: () => undefined,
        malformed: () => undefined,
        connectionLost: () => undefined,
        problem: (error) => problems.push(error),
        ...events,
      },
      ...options,
    });
    cleanups.add(() => transports.close());
    return { transports, problems };
  }

  it.each(["TCP", "TLS"] as const)("from strangers are closed before a byte of them is read (%s)", async (transport) => {
    const { transports, problems } = await listening({}, { admits: () => false });
    const socket = connect(transports.port(transport) ?? 0, HOST);
    socket.on("error", () => undefined);
    // A TLS server that had begun a handshake would answer this with an alert.
    socket.write("no hello");
    let answered = 0;
    socket.on("data", (chunk) => (answered += chunk.length));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(answered).toBe(0);
    expect(problems).toEqual([]);
  });

  it.each(["TCP", "TLS"] as const)("are closed if they say nothing (%s)", async (transport) => {
    const { transports, problems } = await listening({ times: SOON });
    const { closed } = await silent(transports.port(transport) ?? 0);
    await closed;
    expect(problems).toEqual([]);
  });

  it.each(["TCP", "TLS"] as const)("are counted before their handshake, and freed when they close (%s)", async (transport) => {
    let open = 0;
    const connects = () => {
      if (open >= 3) return null;
      open += 1;
      return () => void (open -= 1);
    };
    const { transports } = await listening({}, { connects });
    const port = transports.port(transport) ?? 0;
    const kept = await Promise.all([silent(port), silent(port), silent(port)]);
    await expect.poll(() => open).toBe(3);
    await (
      await silent(port)
    ).closed;
    kept[0]?.socket.destroy();
    await expect.poll(() => open).toBe(2);
    await silent(port);
    await expect.poll(() => open).toBe(3);
  });

  it("have a bound for the whole handshake, however often a byte of it arrives", async () => {
    const { transports } = await listening({ times: { connectWithinMs: 200 } });
    const { socket, closed } = await silent(transports.port("TLS") ?? 0);
    // The head of a ClientHello of 512 bytes.
    socket.write(Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]));
    let sent = 0;
    const dribble = setInterval(() => {
      sent += 1;
      socket.write(Buffer.from([0]));
    }, 20);
    cleanups.add(() => clearInterval(dribble));
    await closed;
    expect(sent).toBeLessThan(100);
  });

  it("are closed when they may no longer stay, and ours are not", async () => {
    const [near, far] = [await open(), await open()];
    const { socket, closed } = await silent(near.transports.port("TCP") ?? 0);
    await near.transports.send(options(), targetOf(far, "TCP"));
    await expect.poll(() => near.heard).toHaveLength(1);
    near.transports.closeFromPeers(({ port }) => port === socket.localPort);
    expect(near.lost).toEqual([]);
    near.transports.closeFromPeers(() => false);
    await closed;
    await near.transports.send(options("2"), targetOf(far, "TCP"));
    await expect.poll(() => far.heard).toHaveLength(2);
    expect(new Set(far.heard.map(({ source }) => source.port)).size).toBe(1);
  });

  it("leave room for our own", async () => {
    const { transports } = await listening();
    const sockets = await Promise.all(Array.from({ length: 550 }, () => silent(transports.port("TCP") ?? 0)));
    await expect.poll(() => sockets.filter(({ socket }) => socket.destroyed)).toHaveLength(50);
    const far = await open();
    await transports.send(options(), targetOf(far, "TCP"));
    await expect.poll(() => far.heard).toHaveLength(1);
  });
});
