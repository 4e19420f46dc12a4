import { afterEach, describe, expect, it } from "vitest";
import {
  answerCalls,
  fieldOf,
  replyTo,
  requestInDialog,
  type SocketCarrier,
  startSocketCarrier,
} from "../../test/socket-carrier.ts";
import { dial, HELD, OFFER, SipBench, trunkTo } from "../../test/sip-bench.ts";

/** What far ends of the world do, in tables: each is allowed by an RFC, or seen often enough. */

const bench = new SipBench();
afterEach(() => bench.end());

const TRANSPORTS = ["udp", "tcp"] as const;
type Transport = (typeof TRANSPORTS)[number];
type Say = (invite: string, far: SocketCarrier) => string | readonly string[];
const account = { username: "farline", password: "secret" };

const contactOf = (far: SocketCarrier, transport: Transport, user = "c"): string =>
  `Contact: <sip:${user}@127.0.0.1:${far.port};transport=${transport}>`;
const heard = (far: SocketCarrier, start: string): string[] => far.heard.filter((message) => message.startsWith(start));
const statusOf = (far: SocketCarrier, cseq: string): string | undefined =>
  far.heard.find((message) => message.startsWith("SIP/") && fieldOf(message, "CSeq") === cseq)?.slice(8, 11);

/** A call to a carrier that says `onInvite` to the first INVITE and `onAck` once its answer is acknowledged. */
async function callTo(transport: Transport, onInvite: Say, onAck: Say = () => [], more: Parameters<typeof trunkTo>[1] = {}) {
  const refresh = (message: string): string => replyTo(message, "200 OK", { sdp: message.startsWith("INVITE ") ? OFFER : "" });
  let isAcknowledged = false;
  const far: SocketCarrier = await startSocketCarrier(transport, (message, send) => {
    const first = far.heard[0] ?? "";
    const say = (what: string | readonly string[]): void => [what].flat().forEach((text) => send(onWire(text, far, transport)));
    if (message === first || (message.startsWith("INVITE ") && fieldOf(message, "To") === fieldOf(first, "To"))) {
      say(onInvite(message, far));
    } else if (message.startsWith("ACK ") && !isAcknowledged) {
      isAcknowledged = true;
      say(onAck(far.heard.findLast((each) => each.startsWith("INVITE ")) ?? "", far));
    } else if (/^(BYE|OPTIONS|PRACK|UPDATE|INVITE) /.test(message)) send(refresh(message));
    else if (message.startsWith("CANCEL ")) {
      send(replyTo(message, "200 OK"));
      send(replyTo(first, "487 Request Terminated"));
    }
  });
  bench.add(() => far.close());
  const trunks = await bench.trunks([trunkTo(far.port, { transport, ...more })]);
  return { far, ...dial(trunks, { renegotiate: async () => HELD }) };
}

/** Requests of the carrier name their transport and want their answers back where they came from. */
function onWire(text: string, far: SocketCarrier, transport: Transport): string {
  if (text.startsWith("SIP/")) return text;
  return text
    .replace("Contact: <sip:carrier@127.0.0.1:5060>", contactOf(far, transport))
    .replace("SIP/2.0/TCP", `SIP/2.0/${transport.toUpperCase()}`)
    .replace(";branch", ";rport;branch");
}

const ok =
  (transport: Transport, ...headers: string[]): Say =>
  (invite, far) =>
    replyTo(invite, "200 OK", { headers: [contactOf(far, transport), ...headers], sdp: OFFER });

describe.each(TRANSPORTS)("over %s, an answer", (transport) => {
  const change =
    (edit: (answer: string) => string): Say =>
    (invite, far) =>
      edit(ok(transport)(invite, far) as string);
  it.each<readonly [string, Say]>([
    ["without a reason", change((text) => text.replace("200 OK", "200 "))],
    ["with brackets in its reason", change((text) => text.replace("200 OK", "200 OK [call processed] = 2*3"))],
    ["with an empty display name", change((text) => text.replace("To: <", 'To: "" <'))],
    ["with parameters before the tag of To", change((text) => text.replace(/^(To: .*);tag=/m, "$1;epid=a22e;tag="))],
    [
      "with headers in short form",
      change((text) =>
        text
          .replace("Contact:", "m:")
          .replace("Content-Type", "c")
          .replace("Content-Length", "l")
          .replace("Call-ID", "i")
          .replace("From:", "f:")
          .replace("To:", "t:")
          .replace("Via:", "v:"),
      ),
    ],
    [
      "with names in another case",
      change((text) =>
        text.replace("CSeq:", "CSEQ:").replace("Call-ID:", "call-id:").replace("Content-Length:", "content-length :"),
      ),
    ],
    ["with a folded To", change((text) => text.replace(/^(To: .*);tag=/m, "$1\r\n ;tag="))],
    ["with an empty header", change((text) => text.replace("\r\nCall-ID", "\r\nUser-Agent: \r\nCall-ID"))],
    ["with two Contacts", ok(transport, "Contact: <sip:other@127.0.0.1:9>")],
    ["with a Contact without brackets", change((text) => text.replace(/Contact: <([^;>]*)[^>]*>/, "Contact: $1"))],
    ["with received and rport in Via", change((text) => text.replace(/;rport/, ";received=192.0.2.7;rport=1024"))],
    [
      "with the type in capitals and a charset",
      change((text) => text.replace("application/sdp", "Application/SDP; charset=utf-8")),
    ],
    ["with Content-Disposition", ok(transport, "Content-Disposition: session;handling=required")],
    ["with an Allow that cannot be read", ok(transport, "Allow: ,,INVITE;;,")],
    ["with a Require that is known", ok(transport, "Require: timer", "Session-Expires: 1800;refresher=uas")],
    ["with a Session-Expires that cannot be read", ok(transport, "Session-Expires: soon")],
    [
      "after a provisional response without a tag",
      (invite, far) => [replyTo(invite, "180 Ringing").replace(";tag=carrier", ""), ok(transport)(invite, far) as string],
    ],
    [
      "after 100 with a tag",
      (invite, far) => [replyTo(invite, "100 Trying").replace(/^To: .*$/m, "$&;tag=early"), ok(transport)(invite, far) as string],
    ],
    [
      "with SDP of bare line feeds",
      (invite, far) => replyTo(invite, "200 OK", { headers: [contactOf(far, transport)], sdp: OFFER.replaceAll("\r\n", "\n") }),
    ],
  ])("%s counts, and the call ends by BYE", async (_, onInvite) => {
    const { far, call, answered } = await callTo(transport, onInvite);
    expect(await answered).toContain("m=audio");
    await call.hangUp();
    expect(heard(far, "BYE ")).toHaveLength(1);
    expect(fieldOf(heard(far, "BYE ")[0] ?? "", "To")).toContain(";tag=carrier");
  });

  it.each<readonly [string, (port: number) => readonly string[], (port: number) => readonly string[]]>([
    [
      "two Record-Routes in one line",
      (port) => [`Record-Route: <sip:10.9.9.9;lr>, <sip:127.0.0.1:${port};lr;did=1.2>`],
      (port) => [`<sip:127.0.0.1:${port};lr;did=1.2>`, "<sip:10.9.9.9;lr>"],
    ],
    [
      "Record-Route twice (r2=on)",
      (port) => ["Record-Route: <sip:10.9.9.9;r2=on;lr=on>", `Record-Route: <sip:127.0.0.1:${port};r2=on;lr=on>`],
      (port) => [`<sip:127.0.0.1:${port};r2=on;lr=on>`, "<sip:10.9.9.9;r2=on;lr=on>"],
    ],
    [
      "a Record-Route with a name and a comma in it",
      (port) => [`Record-Route: "a, b" <sip:127.0.0.1:${port};lr>;x="1,2"`],
      (port) => [`<sip:127.0.0.1:${port};lr>`],
    ],
    [
      "a Record-Route of a network that is not ours to reach",
      () => ["Record-Route: <sip:203.0.113.77;lr;nat=yes>".replace("203.0.113.77", "unknown.invalid")],
      () => ["<sip:unknown.invalid;lr;nat=yes>"],
    ],
  ])("with %s is hung up along it", async (_, headers, routes) => {
    const { far, call, answered } = await callTo(transport, (invite, carrier) =>
      ok(transport, ...headers(carrier.port))(invite, carrier),
    );
    await answered;
    await call.hangUp();
    const [bye = ""] = heard(far, "BYE ");
    expect([...bye.matchAll(/^Route: (.*)$/gm)].map(([, value]) => value?.trim())).toEqual(routes(far.port));
  });

  it("takes the routes of the 2xx, not those of the ringing, and none of the preloaded ones", async () => {
    const { far, call, answered } = await callTo(transport, (invite, carrier) => [
      replyTo(invite, "180 Ringing", { headers: [contactOf(carrier, transport), "Record-Route: <sip:127.0.0.1:9;lr>"] }),
      ok(transport, `Record-Route: <sip:127.0.0.1:${carrier.port};lr>`)(invite, carrier) as string,
    ]);
    await answered;
    await call.hangUp();
    expect(heard(far, "BYE ")[0]).toContain(`Route: <sip:127.0.0.1:${far.port};lr>\r\n`);
    expect(heard(far, "BYE ")[0]).not.toContain("127.0.0.1:9;lr");
  });

  it("of a second fork is acknowledged and hung up, and the first goes on", async () => {
    const {
      far,
      call,
      answered,
      heard: said,
    } = await callTo(transport, (invite, carrier) => [
      ok(transport)(invite, carrier) as string,
      (ok(transport)(invite, carrier) as string).replaceAll("tag=carrier", "tag=second"),
    ]);
    await answered;
    await expect.poll(() => heard(far, "BYE ").map((bye) => fieldOf(bye, "To").split("tag=")[1])).toEqual(["second"]);
    expect(said).toEqual(["answer"]);
    await call.hangUp();
  });
});

describe.each(TRANSPORTS)("over %s, in a call", (transport) => {
  const request =
    (method: string, cseq: number, parts: Parameters<typeof requestInDialog>[3] = {}): ((invite: string) => string) =>
    (invite) =>
      requestInDialog(invite, method, cseq, parts);
  const video = `${OFFER}m=video 30002 RTP/AVP 96\r\n`;
  it.each<readonly [string, readonly ((invite: string) => string)[], Readonly<Record<string, string>>]>([
    [
      "REFER is refused, and the call goes on",
      [request("REFER", 1, { headers: ["Refer-To: <sip:x@127.0.0.1>"] })],
      { "1 REFER": "405" },
    ],
    [
      "INFO, which is not in our Allow, gets 405",
      [request("INFO", 1, { headers: ["Content-Type: application/dtmf-relay"] })],
      { "1 INFO": "405" },
    ],
    ["a method that is not in our Allow gets 405", [request("PUBLISH", 1)], { "1 PUBLISH": "405" }],
    ["NOTIFY of no subscription gets 405", [request("NOTIFY", 1, { headers: ["Event: refer"] })], { "1 NOTIFY": "405" }],
    ["OPTIONS gets 200", [request("OPTIONS", 1)], { "1 OPTIONS": "200" }],
    [
      "UPDATE without SDP gets 200",
      [request("UPDATE", 1, { headers: ["Session-Expires: 90;refresher=uac", "Supported: timer"] })],
      { "1 UPDATE": "200" },
    ],
    [
      "UPDATE with too short a session gets 422",
      [request("UPDATE", 1, { headers: ["Session-Expires: 40", "Supported: timer"] })],
      { "1 UPDATE": "422" },
    ],
    [
      "UPDATE with Session-Expires in short form",
      [request("UPDATE", 1, { headers: ["x: 40", "k: timer"] })],
      { "1 UPDATE": "422" },
    ],
    ["re-INVITE with video is answered", [request("INVITE", 1, { sdp: video })], { "1 INVITE": "200" }],
    [
      "re-INVITE with an unknown extension gets 420",
      [request("INVITE", 1, { headers: ["Require: 100rel, foo"], sdp: OFFER })],
      { "1 INVITE": "420" },
    ],
    [
      "re-INVITE of another type gets 415",
      [(invite) => requestInDialog(invite, "INVITE", 1, { sdp: OFFER }).replace("application/sdp", "application/xml")],
      { "1 INVITE": "415" },
    ],
    [
      "a sequence that jumps is taken",
      [request("OPTIONS", 7), request("OPTIONS", 4_000)],
      { "7 OPTIONS": "200", "4000 OPTIONS": "200" },
    ],
    [
      "the same sequence again in another transaction gets 500",
      [
        request("OPTIONS", 3),
        (invite) => requestInDialog(invite, "OPTIONS", 3).replace("z9hG4bK", "z9hG4bKother").replace("3 OPTIONS", "2 OPTIONS"),
      ],
      { "3 OPTIONS": "200", "2 OPTIONS": "500" },
    ],
    ["a CANCEL of nothing gets 481", [request("CANCEL", 5)], { "5 CANCEL": "481" }],
    ["PRACK of nothing gets 405", [request("PRACK", 1, { headers: ["RAck: 1 1 INVITE"] })], { "1 PRACK": "405" }],
  ])("%s", async (_, requests, statuses) => {
    const {
      far,
      call,
      answered,
      heard: said,
    } = await callTo(transport, ok(transport), (invite) => requests.map((make) => make(invite)));
    await answered;
    for (const [cseq, wanted] of Object.entries(statuses))
      await expect.poll(() => statusOf(far, cseq) ?? "none", { message: cseq }).toBe(wanted);
    expect(said).toEqual(["answer"]);
    await call.hangUp();
    expect(heard(far, "BYE ")).toHaveLength(1);
  });

  it("a far end without timers is not required to have them (RFC 4028 §9)", async () => {
    const { far, call, answered } = await callTo(transport, ok(transport, "Session-Expires: 1800;refresher=uac"), (invite) =>
      requestInDialog(invite, "INVITE", 1, { sdp: OFFER }),
    );
    await answered;
    await expect.poll(() => statusOf(far, "1 INVITE")).toBe("200");
    const reply = far.heard.find((message) => message.startsWith("SIP/") && fieldOf(message, "CSeq") === "1 INVITE") ?? "";
    expect(fieldOf(reply, "Require")).toBe("");
    await call.hangUp();
  });

  it("a BYE with a body, an odd Reason and no Max-Forwards ends it", async () => {
    const { ended, answered } = await callTo(transport, ok(transport), (invite) =>
      requestInDialog(invite, "BYE", 1, { headers: ["Reason: Q.850 ;cause=16 ;text=unquoted text, SIP"], sdp: OFFER }).replace(
        "Max-Forwards: 70\r\n",
        "",
      ),
    );
    await answered;
    expect(await ended).toMatchObject({ by: "callee", answered: true });
  });

  it("a refused re-INVITE leaves it as it was, and the next is answered", async () => {
    const far: SocketCarrier = await startSocketCarrier(transport, (message, send) => {
      const say = (text: string): void => send(onWire(text, far, transport));
      if (message.startsWith("INVITE ")) say(ok(transport)(message, far) as string);
      else if (message.startsWith("ACK ") && heard(far, "ACK ").length === 1)
        say(requestInDialog(far.heard[0] ?? "", "INVITE", 1, { sdp: OFFER }));
      else if (message.startsWith("SIP/2.0 488")) {
        say(
          requestInDialog(far.heard[0] ?? "", "ACK", 1)
            .replace("CSeq: 1 INVITE", "CSeq: 1 ACK")
            .replace("z9hG4bKACK", "z9hG4bKINVITE"),
        );
        say(requestInDialog(far.heard[0] ?? "", "INVITE", 2, { sdp: HELD }));
      } else answerCalls(OFFER, far.port)(message, send);
    });
    bench.add(() => far.close());
    let refusals = 0;
    const renegotiate = async (): Promise<string> => {
      if ((refusals += 1) === 1) throw new Error("No codec of ours.");
      return HELD;
    };
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port, { transport })]), { renegotiate });
    await answered;
    await expect
      .poll(() => [statusOf(far, "1 INVITE"), statusOf(far, "2 INVITE")].map((status) => status ?? ""))
      .toEqual(["488", "200"]);
    await call.hangUp();
  });
});

describe.each(TRANSPORTS)("over %s, before the answer", (transport) => {
  const reliable = (rseq: number): readonly string[] => ["Require: 100rel", `RSeq: ${rseq}`];
  it("each reliable response gets one PRACK, a repeated one none, and PRACK has no SDP", async () => {
    const { far, call, answered } = await callTo(transport, (invite, carrier) => {
      const ring = (rseq: number, sdp: string): string =>
        replyTo(invite, "183 Session Progress", { headers: [contactOf(carrier, transport), ...reliable(rseq)], sdp });
      return [ring(7, OFFER), ring(7, OFFER), ring(8, ""), ok(transport)(invite, carrier) as string];
    });
    await answered;
    await expect.poll(() => heard(far, "PRACK ").map((prack) => fieldOf(prack, "RAck").split(" ")[0])).toEqual(["7", "8"]);
    expect(heard(far, "PRACK ").every((prack) => fieldOf(prack, "Content-Length") === "0")).toBe(true);
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
    } = await callTo(transport, (invite) => replyTo(invite, status, { headers }), undefined, account);
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
    const { far, call, answered } = await callTo(transport, (invite, carrier) =>
      fieldOf(invite, "Min-SE") === "120"
        ? ok(transport)(invite, carrier)
        : replyTo(invite, "422 Too Small", { headers: ["MIN-SE: 120;x=y"] }),
    );
    await answered;
    expect(heard(far, "INVITE ")).toHaveLength(2);
    await call.hangUp();
  });
});
