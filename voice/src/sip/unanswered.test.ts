import { afterEach, describe, expect, it } from "vitest";
import { callTo, contactOf, heard, ok, type Say, TRANSPORTS } from "../../test/far-end.ts";
import { fieldOf, replyTo, type SocketCarrier } from "../../test/socket-carrier.ts";
import { OFFER, SipBench } from "../../test/sip-bench.ts";

/** What far ends of the world say before they answer, in tables. */

const bench = new SipBench();
afterEach(() => bench.end());

const account = { username: "farline", password: "secret" };

describe.each(TRANSPORTS)("over %s, before the answer", (transport) => {
  const reliable = (rseq: number): readonly string[] => ["Require: 100rel", `RSeq: ${rseq}`];
  it("each reliable response gets one PRACK, a repeated one none, and PRACK has no SDP", async () => {
    const { far, call, answered } = await callTo(bench, transport, (invite, carrier) => {
      const ring = (rseq: number, sdp: string): string =>
        replyTo(invite, "183 Session Progress", { headers: [contactOf(carrier, transport), ...reliable(rseq)], sdp });
      return [ring(7, OFFER), ring(7, OFFER), ring(8, ""), ok(transport)(invite, carrier) as string];
    });
    await answered;
    await expect.poll(() => heard(far, "PRACK ").map((prack) => fieldOf(prack, "RAck").split(" ")[0])).toEqual(["7", "8"]);
    expect(heard(far, "PRACK ").every((prack) => fieldOf(prack, "Content-Length") === "0")).toBe(true);
    // The number of the INVITE, whatever was sent in between (RFC 3261 §13.2.2.4).
    await expect.poll(() => heard(far, "ACK ").map((ack) => fieldOf(ack, "CSeq"))).toEqual(["1 ACK"]);
    await call.hangUp();
  });

  it.each<readonly [string, string, readonly string[], object]>([
    ["480 without a reason", "480 ", [], { sipStatus: 480 }],
    ["486 with Retry-After and text", "486 Busy Here", ["Retry-After: 5 (in a meeting);duration=3600"], { sipStatus: 486 }],
    ["600 for everywhere", "600 Busy Everywhere", [], { sipStatus: 600 }],
    ["607, unknown to us", "607 Unwanted", [], { sipStatus: 607 }],
    ["499, unknown to us", "499 Odd", ['Warning: 399 x "y"'], { sipStatus: 499 }],
    ["480 with a cause of its own", "480 Gone", ['Reason: Q.850;cause=34;text="No circuit"'], { sipStatus: 480, q850Cause: 34 }],
    ["404 whose Reason lacks a cause", "404 Not Found", ["Reason: SIP"], { sipStatus: 404, q850Cause: null }],
    ["401 without a challenge", "401 Unauthorized", [], { sipStatus: 401 }],
    ["407 with a challenge of another scheme", "407 No", ['Proxy-Authenticate: Bearer realm="x"'], { sipStatus: 407 }],
    ["422 without Min-SE", "422 Too Small", [], { sipStatus: 422 }],
    ["422 that demands weeks", "422 Too Small", ["Min-SE: 999999"], { sipStatus: 422 }],
    ["302 without a Contact", "302 Moved", [], { sipStatus: 302 }],
    ["302 to a premium number", "302 Moved", ["Contact: <sip:+99912345@127.0.0.1>"], { sipStatus: 302 }],
    ["305 to a proxy of strangers", "305 Use Proxy", ["Contact: <sip:203.0.113.8>"], { sipStatus: 305 }],
    ["420 of everything", "420 Bad Extension", ["Unsupported: timer, 100rel"], { sipStatus: 420 }],
    ["421 for what we lack", "421 Extension Required", ["Require: precondition"], { sipStatus: 421 }],
    ["494 of a security agreement", "494 Security Agreement Required", [], { sipStatus: 494 }],
  ])("%s ends the call once, with its status", async (_, status, headers, end) => {
    const {
      far,
      ended,
      heard: said,
    } = await callTo(bench, transport, (invite) => replyTo(invite, status, { headers }), undefined, account);
    expect(await ended).toMatchObject({ answered: false, ...end });
    await expect.poll(() => heard(far, "ACK ").length).toBe(1);
    expect(heard(far, "INVITE ")).toHaveLength(1);
    expect(said).toEqual(["end"]);
  });

  it.each<readonly [string, readonly string[], string]>([
    [
      "a nonce that is stale twice",
      ['WWW-Authenticate: Digest realm="c", nonce="1", stale=true'],
      'WWW-Authenticate: Digest realm="c", nonce="2", stale=TRUE',
    ],
    [
      "several challenges in one response",
      [
        'WWW-Authenticate: Digest realm="c", nonce="0", algorithm=SHA-512-256',
        'WWW-Authenticate: Digest realm="c", nonce="1", algorithm=MD5',
      ],
      "",
    ],
    [
      "spaces, capitals and unknown parameters",
      ['WWW-Authenticate: DIGEST  realm = "c, d" , NONCE="1",Qop="auth,auth-int",x=y , opaque=""'],
      "",
    ],
    ["a realm of an escaped quote", ['WWW-Authenticate: Digest realm="c\\"d", nonce="1"'], ""],
    [
      "a challenge without quotes around its algorithm, in lower case",
      ['WWW-Authenticate: Digest realm="c", nonce="1", algorithm="md5"'],
      "",
    ],
    [
      "a challenge behind another scheme in one line",
      ['WWW-Authenticate: Bearer realm="x"', 'WWW-Authenticate: Digest realm="c",nonce="1",qop=auth'],
      "",
    ],
  ])("a challenge with %s is answered", async (_, first, second) => {
    const { call, answered } = await callTo(
      bench,
      transport,
      (invite, far) => {
        const sent = heard(far, "INVITE ").length;
        if (fieldOf(invite, "Authorization") === "") return replyTo(invite, "401 No", { headers: first });
        return second !== "" && sent === 2 ? replyTo(invite, "401 No", { headers: [second] }) : ok(transport)(invite, far);
      },
      undefined,
      account,
    );
    expect(await answered).toContain("m=audio");
    await call.hangUp();
  });

  it("422 with a longer minimum is followed, also in another case and with parameters", async () => {
    const { far, call, answered } = await callTo(bench, transport, (invite, carrier) =>
      fieldOf(invite, "Min-SE") === "120"
        ? ok(transport)(invite, carrier)
        : replyTo(invite, "422 Too Small", { headers: ["MIN-SE: 120;x=y"] }),
    );
    await answered;
    expect(heard(far, "INVITE ")).toHaveLength(2);
    await call.hangUp();
  });
});

describe.each(TRANSPORTS)("over %s, forks", (transport) => {
  const sdp = (port: number): string => OFFER.replace("30000", String(port));
  type Said = [invite: string, far: SocketCarrier, status: string, tag: string, body?: string, more?: readonly string[]];
  const say = (...[invite, far, status, tag, body = "", more = []]: Said): string =>
    replyTo(invite, status, { headers: [contactOf(far, transport, tag), ...more], sdp: body, tag });

  it.each<readonly [string, Say, readonly string[], number, string]>([
    [
      "one rings, the other answers",
      (invite, far) => [say(invite, far, "180 Ringing", "a"), say(invite, far, "200 OK", "b", sdp(40_002))],
      ["180", "answer"],
      40_002,
      "b",
    ],
    [
      "the first with sound ends, the other rings on and answers",
      (invite, far) => [
        say(invite, far, "183 Progress", "a", sdp(40_000)),
        say(invite, far, "180 Ringing", "b"),
        say(invite, far, "199 Terminated", "a"),
        say(invite, far, "200 OK", "b", sdp(40_002)),
      ],
      ["183 sdp", "180", "answer"],
      40_002,
      "b",
    ],
    [
      "both have sound, reliably, and the first answers without SDP",
      (invite, far) => [
        say(invite, far, "183 Progress", "a", sdp(40_000), ["Require: 100rel", "RSeq: 9"]),
        say(invite, far, "183 Progress", "b", sdp(40_002), ["Require: 100rel", "RSeq: 1"]),
        say(invite, far, "200 OK", "a"),
      ],
      ["183 sdp", "183 sdp", "answer"],
      40_000,
      "a",
    ],
    [
      "a third brings sound after the second",
      (invite, far) => [
        say(invite, far, "183 Progress", "a", sdp(40_000)),
        say(invite, far, "183 Progress", "b", sdp(40_002)),
        say(invite, far, "183 Progress", "c", sdp(40_004)),
        say(invite, far, "200 OK", "c", sdp(40_004)),
      ],
      ["183 sdp", "183 sdp", "183 sdp", "answer"],
      40_004,
      "c",
    ],
  ])("%s", async (...[, onInvite, events, port, tag]) => {
    const { far, call, answered, heard: said } = await callTo(bench, transport, onInvite);
    expect(await answered).toContain(`m=audio ${port} `);
    expect(said).toEqual(events);
    await call.hangUp();
    expect(heard(far, "BYE ").map((bye) => bye.split(" ")[1])).toEqual([expect.stringContaining(`sip:${tag}@`)]);
  });
});
describe("a TCP connection that breaks", () => {
  const breakAll = (far: SocketCarrier): void => void setImmediate(() => far.connections.forEach((socket) => socket.end()));

  it.each<readonly [string, Say, readonly string[]]>([
    [
      "right after the answer: ACK and BYE go over the next",
      (invite, far) => {
        breakAll(far);
        return ok("tcp")(invite, far);
      },
      ["answer"],
    ],
    [
      "after early media: the answer comes over the next",
      (invite, far) => {
        breakAll(far);
        const answer = ok("tcp")(invite, far) as string;
        const again = setInterval(() => {
          const [next] = far.connections;
          if (next === undefined || next.writableEnded) return;
          clearInterval(again);
          next.write(answer);
        }, 20);
        return replyTo(invite, "183 Session Progress", { headers: [contactOf(far, "tcp")], sdp: OFFER });
      },
      ["183 sdp", "answer"],
    ],
  ])("%s", async (_, onInvite, events) => {
    const { far, call, answered, heard: said } = await callTo(bench, "tcp", onInvite);
    await answered;
    await expect.poll(() => heard(far, "ACK ").length).toBeGreaterThan(0);
    expect(said).toEqual(events);
    await call.hangUp();
    await expect.poll(() => heard(far, "BYE ").length).toBe(1);
  });

  it.each([
    ["a negative length", "Content-Length: -1"],
    ["a length in words", "Content-Length: none"],
    ["two lengths", "Content-Length: 0\r\nContent-Length: 7"],
    ["a length beyond all bounds", "Content-Length: 999999"],
    ["a head beyond all bounds", `X-Long: ${"x".repeat(70_000)}`],
  ])("because of a ringing with %s costs that call, which is cancelled over the next", async (_, length) => {
    const { far, ended } = await callTo(bench, "tcp", (invite, carrier) =>
      replyTo(invite, "180 Ringing", { headers: [contactOf(carrier, "tcp")] }).replace("Content-Length: 0", length),
    );
    expect(await ended).toMatchObject({ answered: false, by: "failure" });
    await expect.poll(() => heard(far, "CANCEL ").length).toBe(1);
  });
});
