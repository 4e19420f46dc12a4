import { createSocket } from "node:dgram";
import { setImmediate } from "node:timers/promises";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { once, startLossyRelay } from "../../test/lossy-relay.ts";
import { type Carrier, startCarrier } from "../../test/sipp.ts";
import { createTrunks } from "./create-trunks.ts";
import type { CallEnd, OutboundCall, TrunkConfig, Trunks, TrunksOptions } from "./trunk.ts";

const OFFER = [
  "v=0",
  "o=farline 1 1 IN IP4 127.0.0.1",
  "s=-",
  "c=IN IP4 127.0.0.1",
  "t=0 0",
  "m=audio 30000 RTP/AVP 0",
  "a=rtpmap:0 PCMU/8000",
  "a=sendrecv",
  "",
].join("\r\n");
const HELD = OFFER.replace("a=sendrecv", "a=recvonly");
const log = pino({ level: "silent" });

const cleanups: (() => Promise<unknown>)[] = [];
let trunks: Trunks | null = null;

afterEach(async () => {
  await trunks?.close();
  trunks = null;
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function carrier(scenario: string, keys?: Record<string, string>, calls?: number): Promise<Carrier> {
  const started = await startCarrier(scenario, keys, calls);
  cleanups.push(() => started.stop());
  return started;
}

function trunkTo(port: number, more: Partial<TrunkConfig> = {}): TrunkConfig {
  return { name: `to-${port}`, host: "127.0.0.1", port, transport: "udp", ...more };
}

async function openTrunks(config: TrunkConfig[], options: Partial<TrunksOptions> = {}): Promise<Trunks> {
  trunks = await createTrunks(config, { bindAddress: "127.0.0.1", port: 0, log, ...options });
  return trunks;
}

/** A call whose events can be awaited. */
function dial(set: Trunks, more: { ringTimeoutMs?: number; to?: string; renegotiate?: (sdp: string) => Promise<string> } = {}) {
  const answered = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<CallEnd>();
  const rang = Promise.withResolvers<void>();
  const heard: string[] = [];
  const call: OutboundCall = set.dial(
    { to: more.to ?? "+447400123456", from: "+15550001111", sdp: OFFER, ringTimeoutMs: more.ringTimeoutMs ?? 20_000, displayName: "Ann" },
    {
      onProgress: ({ status, sdp }) => {
        heard.push(`${status}${sdp === null ? "" : " sdp"}`);
        rang.resolve();
      },
      onAnswer: ({ sdp }) => {
        heard.push("answer");
        answered.resolve(sdp);
      },
      onEnd: (end) => {
        heard.push("end");
        ended.resolve(end);
      },
      onRenegotiate: more.renegotiate ?? (() => Promise.reject(new Error("not expected"))),
    },
  );
  return { call, heard, rang: rang.promise, answered: answered.promise, ended: ended.promise };
}

describe("a call over a trunk", () => {
  it("rings, is answered, and ends with the far end's BYE and its cause", async () => {
    const far = await carrier("answer-then-bye");
    const { heard, answered, ended } = dial(await openTrunks([trunkTo(far.port)]));
    expect(await answered).toContain("m=audio 40000");
    expect(await ended).toEqual({
      sipStatus: 200,
      reason: "Normal call clearing",
      q850Cause: 16,
      by: "callee",
      answered: true,
      trunk: `to-${far.port}`,
    });
    expect(heard).toEqual(["180", "answer", "end"]);
    await far.done;
  });

  it("takes the media of 183 when the answer carries none, and hangs up with BYE", async () => {
    const far = await carrier("answer-wait-bye");
    const { call, heard, answered, ended } = dial(await openTrunks([trunkTo(far.port)]));
    expect(await answered).toContain("m=audio 40000");
    await Promise.all([call.hangUp("done"), call.hangUp()]);
    expect(await ended).toMatchObject({ by: "us", answered: true, sipStatus: 200 });
    expect(heard).toEqual(["183 sdp", "answer", "end"]);
    await far.done;
  });

  it("rings although the carrier leaves Contact out", async () => {
    const far = await carrier("ring-without-contact");
    const { call, heard, answered } = dial(await openTrunks([trunkTo(far.port)]));
    await answered;
    await call.hangUp();
    expect(heard).toEqual(["180", "answer", "end"]);
    await far.done;
  });

  it.each([
    [486, "Busy Here"],
    [404, "Not Found"],
    [503, "Service Unavailable"],
    [603, "Decline"],
  ])("reports %i as it came and acknowledges it", async (status, phrase) => {
    const far = await carrier("refuse", { status: String(status), phrase });
    const { ended } = dial(await openTrunks([trunkTo(far.port)]));
    expect(await ended).toMatchObject({ sipStatus: status, reason: phrase, by: "callee", answered: false });
    await far.done;
  });

  it("cancels only after the first provisional response, and acknowledges the 487", async () => {
    const far = await carrier("ring-until-cancelled");
    const { call, ended } = dial(await openTrunks([trunkTo(far.port)]));
    await call.hangUp();
    expect(await ended).toMatchObject({ sipStatus: 487, by: "us", answered: false });
    await far.done;
  });

  it("is cancelled when it rings too long", async () => {
    const far = await carrier("ring-until-cancelled");
    const { ended } = dial(await openTrunks([trunkTo(far.port)]), { ringTimeoutMs: 500 });
    expect(await ended).toMatchObject({ sipStatus: 487, by: "timeout", answered: false });
    await far.done;
  });

  it("is hung up, not connected, when the answer crosses our CANCEL", async () => {
    const far = await carrier("answer-crosses-cancel");
    const { call, heard, rang, ended } = dial(await openTrunks([trunkTo(far.port)]));
    await rang;
    await call.hangUp();
    expect(await ended).toMatchObject({ by: "us", answered: false });
    expect(heard).toEqual(["180", "end"]);
    await far.done;
  });

  it("counts as active until it ends, and the limit refuses the next", async () => {
    const far = await carrier("answer-wait-bye");
    const set = await openTrunks([trunkTo(far.port)], { maxCalls: 1 });
    const first = dial(set);
    expect(set.activeCalls).toBe(1);
    expect(await dial(set).ended).toMatchObject({ sipStatus: 503, by: "failure" });
    await first.answered;
    await first.call.hangUp();
    expect(set.activeCalls).toBe(0);
  });

  it("is ended when the trunks close", async () => {
    const far = await carrier("answer-wait-bye");
    const set = await openTrunks([trunkTo(far.port)]);
    const { answered, ended } = dial(set);
    await answered;
    await set.close();
    expect(await ended).toMatchObject({ by: "us", answered: true });
    await far.done;
  });
});

describe("digest", () => {
  it("answers 401 with credentials the carrier accepts", async () => {
    const far = await carrier("challenge-401");
    const { call, answered } = dial(await openTrunks([trunkTo(far.port, { username: "farline", password: "secret" })]));
    await answered;
    await call.hangUp();
    await far.done;
  });

  it("ends with 403 when the password is wrong", async () => {
    const far = await carrier("challenge-401");
    const { ended } = dial(await openTrunks([trunkTo(far.port, { username: "farline", password: "guess" })]));
    expect(await ended).toMatchObject({ sipStatus: 403, answered: false });
    await far.done;
  });

  it("answers 407 of a proxy", async () => {
    const far = await carrier("challenge-407");
    const { call, answered } = dial(await openTrunks([trunkTo(far.port, { username: "farline", password: "secret" })]));
    await answered;
    await call.hangUp();
    await far.done;
  });

  it("ends with 401 without credentials", async () => {
    const far = await carrier("refuse", { status: "401", phrase: "Unauthorized" });
    const { ended } = dial(await openTrunks([trunkTo(far.port)]));
    expect(await ended).toMatchObject({ sipStatus: 401, answered: false });
  });
});

describe("lost datagrams", () => {
  it.each([
    ["INVITE", once(/^INVITE /, "caller")],
    ["answer", once(/^SIP\/2.0 200 OK[\s\S]*CSeq: 1 INVITE/, "carrier")],
    ["ACK of the answer", once(/^ACK /, "caller")],
    ["BYE", once(/^BYE /, "caller")],
  ])("a call goes as it should although the first %s is lost", async (_, lose) => {
    const far = await carrier("answer-wait-bye");
    const relay = await startLossyRelay(far.port, lose);
    cleanups.push(() => relay.close());
    const { call, answered } = dial(await openTrunks([trunkTo(relay.port)]));
    await answered;
    await call.hangUp();
    await far.done;
    expect(relay.dropped).toHaveLength(1);
  });

  it("a refusal is acknowledged again when the first ACK is lost", async () => {
    const far = await carrier("refuse", { status: "486", phrase: "Busy Here" });
    const relay = await startLossyRelay(far.port, once(/^ACK /, "caller"));
    cleanups.push(() => relay.close());
    const { ended } = dial(await openTrunks([trunkTo(relay.port)]));
    expect(await ended).toMatchObject({ sipStatus: 486 });
    await far.done;
    expect(relay.dropped).toHaveLength(1);
  });

  it("a repeated BYE gets its 200 when the first one was lost", async () => {
    const far = await carrier("answer-then-bye");
    const relay = await startLossyRelay(far.port, once(/^SIP\/2.0 200 OK[\s\S]*CSeq: 1 BYE/, "caller"));
    cleanups.push(() => relay.close());
    const { ended } = dial(await openTrunks([trunkTo(relay.port)]));
    expect(await ended).toMatchObject({ by: "callee", answered: true });
    await far.done;
    expect(relay.dropped).toHaveLength(1);
  });
});

describe("renegotiation by the far end", () => {
  it("answers hold with our SDP, OPTIONS with 200, UPDATE with 405", async () => {
    const far = await carrier("reinvite");
    const offers: string[] = [];
    const { ended } = dial(await openTrunks([trunkTo(far.port)]), {
      renegotiate: async (sdp) => {
        offers.push(sdp);
        return HELD;
      },
    });
    expect(await ended).toMatchObject({ by: "callee", answered: true });
    await far.done;
    expect(offers).toHaveLength(1);
    expect(offers[0]).toContain("a=sendonly");
  });

  it("offers our session when asked, and hands over the answer that comes with the ACK", async () => {
    const far = await carrier("reinvite-without-offer");
    const answers: string[] = [];
    const { ended } = dial(await openTrunks([trunkTo(far.port)]), {
      renegotiate: async (sdp) => {
        answers.push(sdp);
        return HELD;
      },
    });
    expect(await ended).toMatchObject({ by: "callee" });
    await far.done;
    expect(answers).toHaveLength(1);
    expect(answers[0]).toContain("a=sendonly");
  });
});

describe("several trunks", () => {
  it("tries the next trunk after 503", async () => {
    const broken = await carrier("refuse", { status: "503", phrase: "Service Unavailable" });
    const good = await carrier("answer-wait-bye");
    const { call, answered, ended } = dial(await openTrunks([trunkTo(broken.port), trunkTo(good.port)]));
    await answered;
    await call.hangUp();
    expect(await ended).toMatchObject({ trunk: `to-${good.port}`, answered: true });
    await Promise.all([broken.done, good.done]);
  });

  it("does not try the next trunk when the callee is busy", async () => {
    const busy = await carrier("refuse", { status: "486", phrase: "Busy Here" });
    const { ended } = dial(await openTrunks([trunkTo(busy.port), trunkTo(9)]));
    expect(await ended).toMatchObject({ sipStatus: 486, trunk: `to-${busy.port}` });
  });

  it("tries the next trunk when the first says nothing", async () => {
    const silent = createSocket("udp4");
    await new Promise<void>((resolve) => silent.bind(0, "127.0.0.1", resolve));
    cleanups.push(() => new Promise<void>((resolve) => silent.close(() => resolve())));
    const good = await carrier("answer-wait-bye");
    const set = await openTrunks([trunkTo(silent.address().port), trunkTo(good.port)], { firstResponseTimeoutMs: 200 });
    const { call, answered, ended } = dial(set);
    await answered;
    await call.hangUp();
    expect(await ended).toMatchObject({ trunk: `to-${good.port}` });
  });

  it("ends a call that no trunk takes", async () => {
    const set = await openTrunks([trunkTo(9, { prefixes: ["1"] })]);
    expect(await dial(set).ended).toMatchObject({ sipStatus: 503, by: "failure", answered: false });
  });
});

describe("the SIP port", () => {
  it("survives junk of every kind and still carries a call", async () => {
    const far = await carrier("answer-wait-bye");
    const set = await openTrunks([trunkTo(far.port)]);
    const attacker = createSocket("udp4");
    cleanups.push(() => new Promise<void>((resolve) => attacker.close(() => resolve())));
    for (const junk of junkDatagrams(set.port)) {
      attacker.send(junk, set.port, "127.0.0.1");
      await setImmediate(); // let it be read, else the system drops most of it
    }
    const { call, answered } = dial(set);
    await answered;
    await call.hangUp();
    await far.done;
  });

  it("refuses incoming calls and answers OPTIONS", async () => {
    const set = await openTrunks([trunkTo(9)]);
    const client = createSocket("udp4");
    cleanups.push(() => new Promise<void>((resolve) => client.close(() => resolve())));
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

describe("the health of trunks", () => {
  it("is good when one answers OPTIONS with anything", async () => {
    const set = await openTrunks([]);
    const other = await createTrunks([trunkTo(set.port)], { bindAddress: "127.0.0.1", port: 0, log });
    const mutual = await createTrunks([trunkTo(other.port)], { bindAddress: "127.0.0.1", port: 0, log });
    cleanups.push(() => other.close(), () => mutual.close());
    expect(await mutual.options()).toBe(true);
  });

  it("is bad when none answers within four seconds", async () => {
    const silent = createSocket("udp4");
    await new Promise<void>((resolve) => silent.bind(0, "127.0.0.1", resolve));
    cleanups.push(() => new Promise<void>((resolve) => silent.close(() => resolve())));
    expect(await (await openTrunks([trunkTo(silent.address().port)])).options()).toBe(false);
  });
});

describe("what is dialled", () => {
  let set: Trunks;
  beforeEach(async () => {
    set = await openTrunks([]);
  });

  it.each(["447400123456", "+44 7400", "sip:+447400123456@evil", "+44\r\nX: y"])("refuses %j as a number", (to) => {
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
  const twisted = ["Via", "From", "To", "Call-ID", "CSeq", "Contact", "Content-Length"].map((name) => Buffer.from(whole.replace(`${name}: `, `${name}: \u0000;;,<>"`)));
  const noise = Array.from({ length: 200 }, (_, i) => Buffer.from(Array.from({ length: i * 7 }, (_unused, j) => (i * 31 + j * 17) % 256)));
  const huge = Buffer.from(whole.replace("Max-Forwards: 70", `X-Long: ${"a".repeat(60_000)}`));
  return [...cut, ...twisted, ...noise, huge, Buffer.from("\r\n\r\n"), Buffer.from(`SIP/2.0 200 OK\r\n${whole}`)];
}
