import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { readPem } from "@farline/sip/test/tls/pem.ts";
import pino from "pino";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  answerCalls,
  type CarrierHandler,
  fieldOf,
  replyTo,
  requestInDialog,
  type SocketCarrier,
  startSocketCarrier,
} from "../../../test/socket-carrier.ts";
import { dial, HELD, IMPATIENT, OFFER, SipBench, trunkTo } from "../../../test/sip-bench.ts";

const bench = new SipBench();
afterEach(() => bench.end());

type Transport = "udp" | "tcp";

async function carrier(transport: Transport, handle: CarrierHandler): Promise<SocketCarrier> {
  const started = await startSocketCarrier(transport, handle);
  bench.add(() => started.close());
  return started;
}

/** A proxy that answers for a far side with these headers. */
function answering(...headers: string[]): CarrierHandler {
  return (message, send) => {
    if (message.startsWith("INVITE ")) send(replyTo(message, "200 OK", { headers, sdp: OFFER }));
    else if (/^(BYE|OPTIONS) /.test(message)) send(replyTo(message, "200 OK"));
  };
}

const methodsOf = ({ heard }: SocketCarrier): string[] => heard.map((message) => message.split(" ")[0] ?? "");

describe("a request in a dialog", () => {
  it.each<[Transport, Transport, string]>([
    ["tcp", "tcp", ";transport=tcp"],
    ["tcp", "tcp", ""],
    ["udp", "udp", ""],
    ["udp", "tcp", ";transport=tcp"],
    ["tcp", "udp", ";transport=udp"],
  ])(
    "of a %s trunk goes by %s to the Contact of the answer (%j), past a proxy that wants no more of it",
    async (own, far, parameter) => {
      const phone = await carrier(far, answerCalls(OFFER));
      const proxy = await carrier(own, answering(`Contact: <sip:phone@127.0.0.1:${phone.port}${parameter}>`));
      const { call, answered } = dial(await bench.trunks([trunkTo(proxy.port, { transport: own })]));
      await answered;
      await expect.poll(() => methodsOf(phone)).toEqual(["ACK"]);
      await call.hangUp();
      expect(methodsOf(phone)).toEqual(["ACK", "BYE"]);
      expect(methodsOf(proxy)).toEqual(["INVITE"]);
      expect(fieldOf(phone.heard[1] ?? "", "Via")).toContain(`SIP/2.0/${far.toUpperCase()} `);
    },
  );

  it.each<[Transport, Transport, readonly string[]]>([
    ["udp", "tcp", ["<sip:127.0.0.1:PORT;transport=tcp;lr>"]],
    ["tcp", "udp", ["<sip:127.0.0.1:PORT;lr;transport=UDP>"]],
    ["udp", "tcp", ["<sip:10.9.9.9;r2=on;lr>", "<sip:127.0.0.1:PORT;r2=on;lr;transport=TCP>"]],
    ["tcp", "tcp", ["<sip:127.0.0.1:PORT;lr>"]],
  ])("of a %s trunk goes by %s along Record-Route %j, whatever the Contact wants", async (own, far, routes) => {
    const node = await carrier(far, answerCalls(OFFER));
    const headers = routes.map((route) => `Record-Route: ${route.replace("PORT", String(node.port))}`);
    const proxy = await carrier(own, answering("Contact: <sip:phone@127.0.0.1:9;transport=tls>", ...headers));
    const { call, answered } = dial(await bench.trunks([trunkTo(proxy.port, { transport: own })]));
    await answered;
    await call.hangUp();
    expect([methodsOf(node), methodsOf(proxy)]).toEqual([["ACK", "BYE"], ["INVITE"]]);
    expect(node.heard[1]).toMatch(/^BYE sip:phone@127\.0\.0\.1:9;transport=tls /);
  });

  it.each<[Transport, Transport]>([
    ["udp", "tcp"],
    ["tcp", "udp"],
  ])("of a %s trunk goes by %s where a redirect to its own host says so", async (own, far) => {
    const other: SocketCarrier = await carrier(far, (message, send) =>
      answering(`Contact: <sip:phone@127.0.0.1:${other.port};transport=${far}>`)(message, send),
    );
    const proxy = await carrier(own, (message, send) => {
      const moved = `Contact: <sip:+447400123456@127.0.0.1:${other.port};transport=${far}>`;
      if (message.startsWith("INVITE ")) send(replyTo(message, "302 Moved Temporarily", { headers: [moved] }));
    });
    const { call, answered } = dial(await bench.trunks([trunkTo(proxy.port, { transport: own })]));
    await answered;
    await call.hangUp();
    expect(methodsOf(proxy)).toEqual(["INVITE", "ACK"]);
    expect(methodsOf(other)).toEqual(["INVITE", "ACK", "BYE"]);
  });

  it("that ends an answer after our CANCEL goes along its Record-Route, too", async () => {
    const node = await carrier("udp", answerCalls(OFFER));
    const headers = [`Record-Route: <sip:127.0.0.1:${node.port};lr>`, "Contact: <sip:phone@127.0.0.1:9>"];
    const proxy: SocketCarrier = await carrier("udp", (message, send) => {
      const [invite = ""] = proxy.heard;
      if (message.startsWith("INVITE ")) send(replyTo(message, "180 Ringing", { headers }));
      else if (message.startsWith("CANCEL ")) {
        send(replyTo(message, "200 OK"));
        send(replyTo(invite, "200 OK", { headers, sdp: OFFER }));
      }
    });
    const { call, rang, ended } = dial(await bench.trunks([trunkTo(proxy.port)]));
    await rang;
    await call.hangUp();
    expect(await ended).toMatchObject({ by: "us", answered: false });
    await expect.poll(() => methodsOf(node)).toEqual(["ACK", "BYE"]);
  });

  it("over TCP goes to the node in Record-Route, which may hang up over its own connection", async () => {
    const node = await carrier("tcp", answerCalls(OFFER));
    const route = `<sip:127.0.0.1:${node.port};transport=tcp;lr>`;
    const second = "<sip:127.0.0.3:5060;transport=tcp;lr>";
    const proxy = await carrier(
      "tcp",
      answering("Contact: <sip:phone@127.0.0.1:9>", `Record-Route: ${second}`, `Record-Route: ${route}`),
    );
    const { answered, ended } = dial(await bench.trunks([trunkTo(proxy.port, { transport: "tcp" })]));
    await answered;
    await expect.poll(() => methodsOf(node)).toEqual(["ACK"]);
    expect(node.heard[0]).toContain(`Route: ${route}`);
    const invite = proxy.heard[0] ?? "";
    const port = Number(/:(\d+);transport=tcp/.exec(fieldOf(invite, "Contact"))?.[1]);
    const stranger = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.9" }).on("error", () => undefined);
    await once(stranger, "close");
    const other = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.3" });
    other.write(requestInDialog(invite, "BYE", 1));
    expect(await ended).toMatchObject({ by: "callee", answered: true });
    other.destroy();
  });

  it("over TCP lets its far side keep a connection for half a minute after the call, and no longer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const proxy = await carrier("tcp", answering("Contact: <sip:phone@127.0.0.3:9;transport=tcp>"));
    const { call, answered } = dial(await bench.trunks([trunkTo(proxy.port, { transport: "tcp" })]));
    await answered;
    await expect.poll(() => methodsOf(proxy)).toContain("ACK");
    const port = Number(/:(\d+);transport=tcp/.exec(fieldOf(proxy.heard[0] ?? "", "Contact"))?.[1]);
    const phone = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.3" });
    phone.write("\r\n\r\n");
    await once(phone, "data");
    await call.hangUp();
    const closed = once(phone, "close");
    await vi.advanceTimersByTimeAsync(31_000);
    phone.write("\r\n\r\n");
    await once(phone, "data");
    await vi.advanceTimersByTimeAsync(1_000);
    await closed;
  });

  it.each<[Transport, string]>([
    ["udp", "sip:phone@nowhere.invalid"],
    ["tcp", "sip:phone@nowhere.invalid;transport=tcp"],
    ["tcp", "sip:phone@127.0.0.1:9;transport=tcp"],
    ["udp", "sip:phone@127.0.0.1:9"],
    ["udp", "sip:phone@127.0.0.1:9;transport=tcp"],
  ])("over %s goes where the answer came from if %s leads nowhere, with one warning", async (transport, contact) => {
    const warnings: string[] = [];
    const log = pino({ level: "warn" }, { write: (line) => void warnings.push(line) });
    const isAcknowledged = (): boolean => far.heard.some((message) => message.startsWith("ACK "));
    const far: SocketCarrier = await carrier(transport, (message, send) => {
      answering(`Contact: <${contact}>`)(message, send);
      if (!message.startsWith("INVITE ")) return;
      const repeat = setInterval(() => {
        if (isAcknowledged()) clearInterval(repeat);
        else send(replyTo(message, "200 OK", { headers: [`Contact: <${contact}>`], sdp: OFFER }));
      }, 50);
      bench.add(async () => clearInterval(repeat));
    });
    const trunks = await bench.trunks([trunkTo(far.port, { transport })], { log });
    const { call, answered } = dial(trunks);
    await answered;
    await expect.poll(isAcknowledged).toBe(true);
    await call.hangUp();
    expect(methodsOf(far).at(-1)).toBe("BYE");
    expect(far.heard.at(-1)).toMatch(`BYE ${contact}`);
    expect(warnings.filter((line) => line.includes("leads nowhere"))).toHaveLength(1);
  });

  it("goes where the far end moved by a re-INVITE, also after a crash", async () => {
    const moved = await carrier("udp", answerCalls(OFFER));
    const far: SocketCarrier = await carrier("udp", (message, send) => {
      answering(`Contact: <sip:phone@127.0.0.1:${far.port}>`)(message, send);
      if (!message.startsWith("ACK ")) return;
      const invite = requestInDialog(far.heard[0] ?? "", "INVITE", 1, { sdp: HELD }).replace("SIP/2.0/TCP", "SIP/2.0/UDP");
      send(invite.replace(/^Contact: .*$/m, `Contact: <sip:phone@127.0.0.1:${moved.port}>`));
    });
    const trunks = await bench.trunks([trunkTo(far.port)]);
    const { dialogs } = dial(trunks, { renegotiate: async () => HELD });
    await expect.poll(() => dialogs.at(-1)).toContain(`phone@127.0.0.1:${moved.port}`);
    const later = await bench.trunks([trunkTo(far.port)]);
    await later.endDialog(dialogs.at(-1) ?? "");
    expect(methodsOf(moved)).toEqual(["BYE"]);
  });
});

it.each(["udp", "tcp", "tls"] as const)("a call over IPv6 by %s is answered and hung up", async (transport) => {
  const far: SocketCarrier = await startSocketCarrier(
    transport,
    (message, send) => answering(`Contact: <sip:phone@[::1]:${far.port};transport=${transport}>`)(message, send),
    { cert: await readPem("carrier.pem"), key: await readPem("carrier.key") },
    { host: "::1" },
  );
  bench.add(() => far.close());
  const address = { bound: "::1", announced: "::1" };
  // The test's certificate names no IPv6 address.
  const host = transport === "tls" ? "localhost" : "::1";
  const dns = { srv: async () => [], addresses: async () => ["::1"] };
  const trunk = trunkTo(far.port, { transport, host, ...(transport === "tls" ? { tls: { ca: await readPem("ca.pem") } } : {}) });
  const { call, answered } = dial(await bench.trunks([trunk], { address, dns }));
  await answered;
  await call.hangUp();
  expect(methodsOf(far)).toEqual(["INVITE", "ACK", "BYE"]);
  const [invite = ""] = far.heard;
  expect(invite.split("\r\n")[0]).toContain(transport === "tls" ? `@localhost:${far.port}` : `@[::1]:${far.port}`);
  expect([fieldOf(invite, "Via"), fieldOf(invite, "Contact")].every((field) => field.includes("[::1]:"))).toBe(true);
});

describe("a registered trunk", () => {
  it("calls over the address that knows it, and registers at another once that fails", async () => {
    const known = new Set<number>();
    const dead = new Set<number>();
    const node = async (): Promise<SocketCarrier> => {
      const started: SocketCarrier = await carrier("udp", (message, send) => {
        if (dead.has(started.port)) return;
        if (message.startsWith("REGISTER ")) {
          known.add(started.port);
          send(replyTo(message, "200 OK", { headers: [`Contact: ${fieldOf(message, "Contact")};expires=600`] }));
        } else if (message.startsWith("INVITE ") && !known.has(started.port)) send(replyTo(message, "403 Forbidden"));
        else answerCalls(OFFER, started.port)(message, send);
      });
      return started;
    };
    const nodes = [await node(), await node()];
    const srv = async () => nodes.map(({ port }) => ({ name: "node.test", port, priority: 1, weight: 1 }));
    const dns = { srv, addresses: async () => ["127.0.0.1"] };
    const registrar = { host: "carrier.test", port: null };
    const trunk = trunkTo(0, { host: "carrier.test", port: null, registrar, username: "farline" });
    const trunks = await bench.trunks([trunk], { dns, ...IMPATIENT });
    await expect.poll(() => trunks.states()[0]?.registration).toBe("registered");
    for (let calls = 0; calls < 8; calls += 1) {
      const { call, answered } = dial(trunks);
      await answered;
      await call.hangUp();
    }
    const [first] = nodes.filter(({ port }) => known.has(port));
    const [second] = nodes.filter(({ port }) => !known.has(port));
    expect(methodsOf(first as SocketCarrier).filter((method) => method === "INVITE")).toHaveLength(8);
    if (first !== undefined) dead.add(first.port);
    dial(trunks);
    await expect.poll(() => methodsOf(second as SocketCarrier)).toContain("REGISTER");
  });
});

it.each(["udp", "tcp"] as const)("a trunk registered over %s calls the node that knows it, or another", async (transport) => {
  const known = new Set<number>();
  const dead = new Set<number>();
  const node = async (): Promise<SocketCarrier> => {
    const started: SocketCarrier = await carrier(transport, (message, send) => {
      if (dead.has(started.port)) return;
      if (message.startsWith("REGISTER ")) {
        known.clear();
        known.add(started.port);
        send(replyTo(message, "200 OK", { headers: [`Contact: ${fieldOf(message, "Contact")};expires=600`] }));
      } else if (message.startsWith("INVITE ") && !known.has(started.port)) send(replyTo(message, "403 Forbidden"));
      else answerCalls(OFFER, started.port)(message, send);
    });
    return started;
  };
  const nodes = [await node(), await node(), await node()];
  const srv = async () => nodes.map(({ port }, index) => ({ name: "node.test", port, priority: 1, weight: index }));
  const dns = { srv, addresses: async () => ["127.0.0.1"] };
  const registrar = { host: "registrar.test", port: null };
  const trunk = trunkTo(0, { host: "carrier.test", port: null, transport, registrar, username: "farline" });
  const trunks = await bench.trunks([trunk], { dns, ...IMPATIENT });
  await expect.poll(() => trunks.states()[0]?.registration).toBe("registered");
  for (let calls = 0; calls < 4; calls += 1) {
    const { call, answered } = dial(trunks);
    await answered;
    await call.hangUp();
  }
  const [first] = known;
  dead.add(first ?? 0);
  if (transport === "tcp") await nodes.find(({ port }) => port === first)?.close();
  if (transport === "udp") dial(trunks);
  await expect.poll(() => [...known].filter((port) => port !== first).length).toBe(1);
  // The trunk reads the node's response once this turn has ended.
  await setImmediate();
  const again = dial(trunks);
  await again.answered;
  await again.call.hangUp();
});

describe("a registrar", () => {
  const registeredAt = (port: number) => ({ registrar: { host: "127.0.0.1", port }, username: "farline" });
  const binding = (message: string) => `Contact: ${fieldOf(message, "Contact")};expires=600`;

  it.each<Transport>(["udp", "tcp"])("that wants calls through its proxy gets them there, by %s", async (transport) => {
    const proxy: SocketCarrier = await carrier(transport, (message, send) => answerCalls(OFFER, proxy.port)(message, send));
    const route = `<sip:127.0.0.1:${proxy.port};transport=${transport};lr>`;
    const far = await carrier(transport, (message, send) => {
      if (message.startsWith("REGISTER "))
        send(replyTo(message, "200 OK", { headers: [binding(message), `Service-Route: ${route}, <sip:second.example;lr>`] }));
    });
    const trunks = await bench.trunks([trunkTo(far.port, { ...registeredAt(far.port), transport })]);
    await expect.poll(() => trunks.states()[0]?.registration).toBe("registered");
    const { call, answered } = dial(trunks);
    await answered;
    await call.hangUp();
    const [invite = ""] = proxy.heard;
    expect(invite).toContain(`Route: ${route}\r\nRoute: <sip:second.example;lr>\r\n`);
    expect(invite.split("\r\n")[0]).toContain(`@127.0.0.1:${far.port}`);
    expect(methodsOf(proxy)).toEqual(["INVITE", "ACK", "BYE"]);
    expect([methodsOf(far), fieldOf(far.heard[0] ?? "", "Route")]).toEqual([["REGISTER"], ""]);
  });

  it("that keeps the flow of a REGISTER gets calls whose far ends use it; one that cannot is asked for none", async () => {
    const flow = await carrier("tcp", (message, send) => {
      if (message.startsWith("REGISTER "))
        send(replyTo(message, "200 OK", { headers: [binding(message), "Require: outbound", "Flow-Timer: 60"] }));
      else answerCalls(OFFER)(message, send);
    });
    const trunks = await bench.trunks([trunkTo(flow.port, { ...registeredAt(flow.port), transport: "tcp" })]);
    await expect.poll(() => trunks.states()[0]?.registration).toBe("registered");
    const { call, answered } = dial(trunks);
    await answered;
    await call.hangUp();
    const [register = "", invite = ""] = flow.heard;
    expect(fieldOf(register, "Contact")).toMatch(/^<sip:[^>]*>;\+sip\.instance="<urn:uuid:[0-9a-f-]{36}>";reg-id=1$/);
    expect(register).toMatch(/^Supported: path\r\nSupported: outbound\r$/m);
    expect(fieldOf(invite, "Contact")).toMatch(/;ob>$/);
    const plain = await carrier("tcp", (message, send) => {
      const isFlow = message.includes("reg-id");
      send(
        replyTo(message, isFlow ? "439 First Hop Lacks Outbound Support" : "200 OK", {
          headers: isFlow ? [] : [binding(message)],
        }),
      );
    });
    const others = await bench.trunks([trunkTo(plain.port, { ...registeredAt(plain.port), transport: "tcp" })]);
    await expect.poll(() => others.states()[0]?.registration).toBe("registered");
    expect(plain.heard).toHaveLength(2);
    expect(plain.heard[1]).not.toContain("outbound");
  });
});

describe("a TCP connection that breaks", () => {
  const tcp = { transport: "tcp" } as const;
  const breakAll = (far: SocketCarrier): void => {
    for (const socket of far.connections) socket.destroy();
  };

  it("after the INVITE arrived and before any response: the call is cancelled there, and goes to the next trunk", async () => {
    const far: SocketCarrier = await carrier("tcp", (message, send) => {
      if (message.startsWith("INVITE ")) breakAll(far);
      else if (message.startsWith("CANCEL "))
        send(replyTo(message, "200 OK") + replyTo(far.heard[0] ?? "", "487 Request Terminated"));
    });
    const spare = await carrier("tcp", answerCalls(OFFER));
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port, tcp), trunkTo(spare.port, { ...tcp, priority: 1 })]));
    await answered;
    await expect.poll(() => methodsOf(far)).toEqual(["INVITE", "CANCEL", "ACK"]);
    await call.hangUp();
  });

  it("is answered there all the same: the call is acknowledged and hung up", async () => {
    const far: SocketCarrier = await carrier("tcp", (message, send) => {
      if (message.startsWith("INVITE ")) breakAll(far);
      else if (message.startsWith("CANCEL "))
        send(replyTo(message, "481 Gone") + replyTo(far.heard[0] ?? "", "200 OK", { sdp: OFFER }));
      else if (message.startsWith("BYE ")) send(replyTo(message, "200 OK"));
    });
    const { ended } = dial(await bench.trunks([trunkTo(far.port, tcp)]));
    expect(await ended).toMatchObject({ answered: false, by: "failure" });
    await expect.poll(() => methodsOf(far)).toEqual(["INVITE", "CANCEL", "ACK", "BYE"]);
  });

  it("because of a message without a length: its live calls are checked, and one that the carrier has ended is ended here", async () => {
    let answers = true;
    const far: SocketCarrier = await carrier("tcp", (message, send) => {
      if (message.startsWith("INVITE ") && !answers)
        send(
          replyTo(message, "180 Ringing").replace(/^Content-Length: 0\r\n/m, "") + requestInDialog(far.heard[0] ?? "", "BYE", 1),
        );
      else if (message.startsWith("OPTIONS ")) send(replyTo(message, "481 Call/Transaction Does Not Exist"));
      else answerCalls(OFFER)(message, send);
    });
    const trunks = await bench.trunks([trunkTo(far.port, tcp)]);
    const first = dial(trunks);
    await first.answered;
    answers = false;
    const second = dial(trunks);
    expect(await first.ended).toMatchObject({ answered: true });
    await second.call.hangUp();
  });
});
