import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { answerCalls, replyTo, type SocketCarrier, startSocketCarrier } from "../../test/socket-carrier.ts";
import { refusingCarrier } from "../../test/scenarios/refusals.ts";
import { answeringCarrier } from "../../test/scenarios/scenario.ts";
import { dial, IMPATIENT, OFFER, SipBench, trunkTo } from "../../test/sip-bench.ts";

const bench = new SipBench();
const rate = (ratePerMinuteMicros = 0n) => ({ ratePerMinuteMicros, firstIntervalSeconds: 1, nextIntervalSeconds: 1 });
afterEach(() => bench.end());

describe("a call with several trunks", () => {
  it.each([
    "503 Service Unavailable",
    "302 Moved Temporarily",
    "408 Request Timeout",
    "421 Extension Required",
    "488 Not Acceptable Here",
  ])("tries the next trunk after %s", async (reply) => {
    const broken = await bench.carrier(refusingCarrier(reply));
    const good = await bench.carrier(answeringCarrier);
    const { call, answered, ended } = dial(await bench.trunks([trunkTo(broken.port), trunkTo(good.port)]));
    await answered;
    await call.hangUp();
    expect(await ended).toMatchObject({ trunk: `to-${good.port}`, answered: true });
    await Promise.all([broken.done, good.done]);
  });

  it("tries the next trunk when the first refuses our account, and shows that until it takes a call", async () => {
    const far = { refuses: true };
    const first: SocketCarrier = await startSocketCarrier("udp", (message, send) => {
      if (far.refuses && message.startsWith("INVITE ")) send(replyTo(message, "402 Payment Required"));
      else answerCalls(OFFER, first.port)(message, send);
    });
    bench.add(() => first.close());
    const good = await bench.carrier(answeringCarrier);
    const set = await bench.trunks([trunkTo(first.port), trunkTo(good.port)]);
    const refusals = () => set.states().map(({ refusedWith, failing }) => [refusedWith, failing]);
    const { call, answered } = dial(set);
    await answered;
    expect(refusals()).toEqual([
      [402, true],
      [null, false],
    ]);
    await call.hangUp();
    far.refuses = false;
    set.reload([trunkTo(first.port)]);
    const second = dial(set);
    await second.answered;
    expect(refusals()[0]).toEqual([null, false]);
    await second.call.hangUp();
  });

  it("uses the cheapest trunk, then the more expensive one, and never one above the sale price", async () => {
    const [expensive, broken, loss] = await Promise.all([
      bench.carrier(answeringCarrier),
      bench.carrier(refusingCarrier("503 Service Unavailable")),
      bench.carrier(answeringCarrier),
    ]);
    const costs = new Map(
      [expensive, broken, loss].map(({ port }, index) => [`to-${port}`, rate([12_000n, 10_000n, 20_000n][index])]),
    );
    const set = await bench.trunks([trunkTo(loss.port), trunkTo(expensive.port), trunkTo(broken.port)]);
    const { call, answered, ended } = dial(set, { prices: { sale: rate(20_000n), costs } });
    await answered;
    await call.hangUp();
    expect(await ended).toMatchObject({ trunk: `to-${expensive.port}` });
    expect(call.route).toMatchObject({
      trunk: `to-${expensive.port}`,
      cost: rate(12_000n),
      attempts: [
        { trunk: `to-${broken.port}`, sipStatus: 503, outcome: "failed" },
        { trunk: `to-${expensive.port}`, sipStatus: 200, outcome: "answered" },
      ],
    });
    const refused = dial(set, { prices: { sale: rate(10_000n), costs } });
    expect(await refused.ended).toMatchObject({ sipStatus: 503, reason: "No trunk carries this call for its price" });
    expect(refused.call.route.attempts).toEqual([]);
  });

  it("gives a trunk a rest that asks for it with Retry-After", async () => {
    const busy = await startSocketCarrier("udp", (message, send) => {
      if (message.startsWith("INVITE ")) send(replyTo(message, "503 Busy", { headers: ["Retry-After: 9 (maintenance)"] }));
    });
    const good: SocketCarrier = await startSocketCarrier("udp", (message, send) => answerCalls(OFFER, good.port)(message, send));
    for (const carrier of [busy, good]) bench.add(() => carrier.close());
    const set = await bench.trunks([trunkTo(busy.port), trunkTo(good.port)]);
    for (const tried of [[`to-${busy.port}`, `to-${good.port}`], [`to-${good.port}`]]) {
      const { call, answered } = dial(set);
      await answered;
      expect(call.route.attempts.map(({ trunk }) => trunk)).toEqual(tried);
      await call.hangUp();
    }
  });

  it("does not try the next trunk when a 503 has the Q.850 cause busy", async () => {
    const busy = await bench.carrier(refusingCarrier("503 Busy", ["Reason: Q.850;cause=17"]));
    const { call, ended } = dial(await bench.trunks([trunkTo(busy.port), trunkTo(9)]));
    expect(await ended).toMatchObject({ sipStatus: 503, q850Cause: 17, trunk: `to-${busy.port}` });
    expect(call.route.attempts).toMatchObject([{ outcome: "refused", q850Cause: 17 }]);
  });

  it.each([
    [486, "Busy Here"],
    [404, "Not Found"],
    [603, "Decline"],
  ])("does not try the next trunk when the callee refuses with %i", async (status, phrase) => {
    const busy = await bench.carrier(refusingCarrier(`${status} ${phrase}`));
    const { ended } = dial(await bench.trunks([trunkTo(busy.port), trunkTo(9)]));
    expect(await ended).toMatchObject({ sipStatus: status, trunk: `to-${busy.port}` });
  });

  it("tries the next trunk when the first does not respond", async () => {
    const silent = createSocket("udp4");
    await new Promise<void>((resolve) => silent.bind(0, "127.0.0.1", resolve));
    bench.add(() => silent.close());
    const good = await bench.carrier(answeringCarrier);
    const set = await bench.trunks([trunkTo(silent.address().port), trunkTo(good.port)], IMPATIENT);
    const { call, answered, ended } = dial(set);
    await answered;
    await call.hangUp();
    expect(await ended).toMatchObject({ trunk: `to-${good.port}` });
  });

  it("fails if no trunk serves the number", async () => {
    const set = await bench.trunks([trunkTo(9, { prefixes: ["1"] })]);
    expect(await dial(set).ended).toMatchObject({ sipStatus: 503, by: "failure", answered: false });
  });
});

describe("the SIP port", () => {
  it("survives junk datagrams and still carries a call", async () => {
    const far = await bench.carrier(answeringCarrier);
    const set = await bench.trunks([trunkTo(far.port)]);
    const attacker = createSocket("udp4");
    bench.add(() => attacker.close());
    for (const junk of junkDatagrams(set.port)) {
      attacker.send(junk, set.port, "127.0.0.1");
      await setImmediate(); // let it be read, or the system drops most of it
    }
    const { call, answered } = dial(set);
    expect(await answered).toContain("m=audio");
    await call.hangUp();
    await far.done;
  });

  it("does not respond to addresses that belong to no trunk", async () => {
    const set = await bench.trunks([trunkTo(9)]);
    const heard: string[] = [];
    const clients = await Promise.all(
      ["127.0.0.2", "127.0.0.1"].map(async (address) => {
        const client = createSocket("udp4").bind(0, address);
        await once(client, "listening");
        client.on("message", () => heard.push(address));
        bench.add(() => new Promise<void>((resolve) => client.close(() => resolve())));
        return client;
      }),
    );
    // The trunk's request is sent last, so its response proves that the stranger's was received.
    for (const client of clients) {
      client.send(strangerRequest("OPTIONS", set.port), set.port, "127.0.0.1");
      await setImmediate();
    }
    await expect.poll(() => heard).toEqual(["127.0.0.1"]);
  });

  it("refuses incoming calls and answers OPTIONS", async () => {
    const set = await bench.trunks([trunkTo(9)]);
    const client = createSocket("udp4");
    bench.add(() => new Promise<void>((resolve) => client.close(() => resolve())));
    const ask = (method: string): Promise<string> => {
      const reply = new Promise<string>((resolve) => client.once("message", (datagram) => resolve(datagram.toString())));
      client.send(strangerRequest(method, set.port), set.port, "127.0.0.1");
      return reply;
    };
    expect(await ask("OPTIONS")).toMatch(/^SIP\/2.0 200 /);
    expect(await ask("INVITE")).toMatch(/^SIP\/2.0 403 /);
    expect(await ask("REGISTER")).toMatch(/^SIP\/2.0 405 /);
    expect(await ask("BYE")).toMatch(/^SIP\/2.0 (481|404) /);
  });
});

describe("the OPTIONS check of all trunks", () => {
  it("succeeds if one trunk responds with any status", async () => {
    const set = await bench.trunks([]);
    const other = await bench.trunks([trunkTo(set.port)]);
    const mutual = await bench.trunks([trunkTo(other.port)]);
    expect(await mutual.options()).toBe(true);
  });

  it("fails if none responds within four seconds", async () => {
    const silent = createSocket("udp4");
    await new Promise<void>((resolve) => silent.bind(0, "127.0.0.1", resolve));
    bench.add(() => silent.close());
    expect(await (await bench.trunks([trunkTo(silent.address().port)])).options()).toBe(false);
  });
});

describe("while DNS is away", () => {
  const DOWN = { fails: () => Promise.reject(new Error("EAI_AGAIN")), "says nothing": () => new Promise<never>(() => undefined) };
  it.each([
    ["udp", "fails"],
    ["udp", "says nothing"],
    ["tcp", "fails"],
    ["tcp", "says nothing"],
  ] as const)("a call to a named trunk over %s is answered an hour after DNS %s", async (transport, how) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const far: SocketCarrier = await startSocketCarrier(transport, (message, send) =>
      answerCalls(OFFER, far.port)(message, send),
    );
    bench.add(() => far.close());
    const dns = {
      srv: async () => [{ name: "node.test", port: far.port, priority: 1, weight: 1 }],
      addresses: async () => ["127.0.0.1"],
    };
    const trunks = await bench.trunks([trunkTo(0, { host: "carrier.test", port: null, transport })], { dns });
    for (const calls of [1, 2]) {
      const { call, answered } = dial(trunks);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await answered).toContain("m=audio");
      await call.hangUp();
      expect(far.heard.filter((message) => message.startsWith("BYE "))).toHaveLength(calls);
      Object.assign(dns, { srv: DOWN[how], addresses: DOWN[how] });
      await vi.advanceTimersByTimeAsync(3_600_000);
    }
  });
});

describe("dial", () => {
  it.each(["447400123456", "+44 7400", "sip:+447400123456@evil", "+44\r\nX: y"])("refuses %j as a number", async (to) => {
    const set = await bench.trunks([]);
    expect(() => dial(set, { to })).toThrow(RangeError);
  });
});

function strangerRequest(method: string, port: number): string {
  return [
    `${method} sip:1000@127.0.0.1:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK${method}1;rport`,
    "From: <sip:scanner@127.0.0.1>;tag=1",
    "To: <sip:1000@127.0.0.1>",
    `Call-ID: ${method}@127.0.0.1`,
    `CSeq: 1 ${method}`,
    "Contact: <sip:scanner@127.0.0.1:9>",
    "Max-Forwards: 70",
    "Content-Length: 0",
    "",
    "",
  ].join("\r\n");
}

function junkDatagrams(port: number): Buffer[] {
  const whole = strangerRequest("INVITE", port);
  const cut = Array.from({ length: 40 }, (_, i) => Buffer.from(whole.slice(0, (whole.length * i) / 40)));
  const twisted = ["Via", "From", "To", "Call-ID", "CSeq", "Contact", "Content-Length"].map((name) =>
    Buffer.from(whole.replace(`${name}: `, `${name}: \u0000;;,<>"`)),
  );
  const noise = Array.from({ length: 200 }, (_, i) =>
    Buffer.from(Array.from({ length: i * 7 }, (_unused, j) => (i * 31 + j * 17) % 256)),
  );
  const huge = Buffer.from(whole.replace("Max-Forwards: 70", `X-Long: ${"a".repeat(60_000)}`));
  return [...cut, ...twisted, ...noise, huge, Buffer.from("\r\n\r\n"), Buffer.from(`SIP/2.0 200 OK\r\n${whole}`)];
}
