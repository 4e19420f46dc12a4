import { afterEach, describe, expect, it } from "vitest";
import {
  answerCalls,
  fieldOf,
  replyTo,
  requestInDialog,
  type SocketCarrier,
  startSocketCarrier,
} from "../../test/socket-carrier.ts";
import { callTo, contactOf, heard, ok, onWire, type Say, statusOf, TRANSPORTS } from "../../test/far-end.ts";
import { dial, HELD, OFFER, SipBench, trunkTo } from "../../test/sip-bench.ts";

/** What far ends of the world do, in tables: each is allowed by an RFC, or seen often enough. */

const bench = new SipBench();
afterEach(() => bench.end());

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
    const { far, call, answered } = await callTo(bench, transport, onInvite);
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
    const { far, call, answered } = await callTo(bench, transport, (invite, carrier) =>
      ok(transport, ...headers(carrier.port))(invite, carrier),
    );
    await answered;
    await call.hangUp();
    const [bye = ""] = heard(far, "BYE ");
    expect([...bye.matchAll(/^Route: (.*)$/gm)].map(([, value]) => value?.trim())).toEqual(routes(far.port));
  });

  it("takes the routes of the 2xx, not those of the ringing, and none of the preloaded ones", async () => {
    const { far, call, answered } = await callTo(bench, transport, (invite, carrier) => [
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
    } = await callTo(bench, transport, (invite, carrier) => [
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
    [
      "a CANCEL of what was answered changes nothing",
      [
        request("INVITE", 5, { sdp: OFFER }),
        (invite) => requestInDialog(invite, "CANCEL", 5).replace("z9hG4bKCANCEL", "z9hG4bKINVITE"),
      ],
      { "5 CANCEL": "200" },
    ],
    ["a BYE with another's tag gets 481", [request("BYE", 1, { tag: "foreign" })], { "1 BYE": "481" }],
    [
      "a session of weeks is taken",
      [request("UPDATE", 1, { headers: ["Session-Expires: 99999999999", "Supported: timer"] })],
      { "1 UPDATE": "200" },
    ],
    [
      "a session below zero is taken for none",
      [request("UPDATE", 1, { headers: ["Session-Expires: -90", "Min-SE: -1", "Supported: timer"] })],
      { "1 UPDATE": "200" },
    ],
    ["PRACK of nothing gets 405", [request("PRACK", 1, { headers: ["RAck: 1 1 INVITE"] })], { "1 PRACK": "405" }],
  ])("%s", async (_, requests, statuses) => {
    const {
      far,
      call,
      answered,
      heard: said,
    } = await callTo(bench, transport, ok(transport), (invite) => requests.map((make) => make(invite)));
    await answered;
    for (const [cseq, wanted] of Object.entries(statuses))
      await expect.poll(() => statusOf(far, cseq) ?? "none", { message: cseq }).toBe(wanted);
    expect(said).toEqual(["answer"]);
    await call.hangUp();
    expect(heard(far, "BYE ")).toHaveLength(1);
  });

  it("a far end without timers is not required to have them (RFC 4028 §9)", async () => {
    const { far, call, answered } = await callTo(
      bench,
      transport,
      ok(transport, "Session-Expires: 1800;refresher=uac"),
      (invite) => requestInDialog(invite, "INVITE", 1, { sdp: OFFER }),
    );
    await answered;
    await expect.poll(() => statusOf(far, "1 INVITE")).toBe("200");
    const reply = far.heard.find((message) => message.startsWith("SIP/") && fieldOf(message, "CSeq") === "1 INVITE") ?? "";
    expect(fieldOf(reply, "Require")).toBe("");
    await call.hangUp();
  });

  it("a BYE with a body, an odd Reason and no Max-Forwards ends it", async () => {
    const { ended, answered } = await callTo(bench, transport, ok(transport), (invite) =>
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

describe.each(TRANSPORTS)("over %s, an offer on demand", (transport) => {
  const held = `${HELD}m=video 0 RTP/AVP 96\r\n`;
  it.each<readonly [string, readonly (readonly [string, string])[], string]>([
    ["nothing else", [], OFFER],
    ["a hold", [["INVITE", HELD]], OFFER],
    ["a hold by UPDATE", [["UPDATE", HELD]], OFFER],
    ["a hold with a picture beside it", [["INVITE", held]], `${OFFER}m=video 0 RTP/AVP 96\r\n`],
  ])("is all that we can, whatever was held before, after %s (RFC 6337 §5.1)", async (_, before, expected) => {
    const asked = before.length + 1;
    const far: SocketCarrier = await startSocketCarrier(transport, (message, send) => {
      const invite = far.heard[0] ?? "";
      const ask = (cseq: number): void => {
        const [method, sdp] = before[cseq - 1] ?? ["INVITE", ""];
        send(onWire(requestInDialog(invite, method, cseq, { sdp }), far, transport));
      };
      if (message.startsWith("INVITE ")) send(ok(transport)(message, far) as string);
      else if (message.startsWith("ACK ")) ask(1);
      else if (message.startsWith("SIP/2.0 200")) {
        const [number = "", method = ""] = fieldOf(message, "CSeq").split(" ");
        const ack = requestInDialog(invite, "ACK", Number(number), { sdp: Number(number) === asked ? OFFER : "" });
        if (method === "INVITE") send(onWire(ack, far, transport));
        if (Number(number) < asked) ask(Number(number) + 1);
      } else answerCalls(OFFER, far.port)(message, send);
    });
    bench.add(() => far.close());
    const renegotiate = async (sdp: string): Promise<string> => (sdp.includes("recvonly") ? sdp : OFFER);
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port, { transport })]), { renegotiate });
    await answered;
    await expect.poll(() => statusOf(far, `${asked} INVITE`)).toBe("200");
    const offered =
      far.heard.find((message) => message.startsWith("SIP/") && fieldOf(message, "CSeq") === `${asked} INVITE`) ?? "";
    expect(offered.split("\r\n\r\n")[1]?.replace(/^o=.*$/m, "")).toBe(expected.replace(/^o=.*$/m, ""));
    await call.hangUp();
  });
});

describe.each(TRANSPORTS)("over %s, a fork that did not answer", (transport) => {
  it.each(["INVITE", "UPDATE"])("cannot move the sound of the one that did by %s", async (method) => {
    const asked: string[] = [];
    const far: SocketCarrier = await startSocketCarrier(transport, (message, send) => {
      const reliable = { headers: [contactOf(far, transport, "b"), "Require: 100rel", "RSeq: 1"], sdp: OFFER, tag: "b" };
      if (message.startsWith("INVITE ")) send(replyTo(message, "183 Session Progress", reliable));
      else if (message.startsWith("PRACK ")) {
        send(replyTo(message, "200 OK"));
        send(ok(transport)(far.heard[0] ?? "", far) as string);
      } else if (message.startsWith("ACK ") && fieldOf(message, "To").endsWith("tag=carrier"))
        send(onWire(requestInDialog(far.heard[0] ?? "", method, 1, { sdp: HELD, tag: "b" }), far, transport));
      else answerCalls(OFFER, far.port)(message, send);
    });
    bench.add(() => far.close());
    const renegotiate = async (sdp: string): Promise<string> => {
      asked.push(sdp);
      return HELD;
    };
    const { call, answered, heard: said } = dial(await bench.trunks([trunkTo(far.port, { transport })]), { renegotiate });
    await answered;
    await expect.poll(() => statusOf(far, `1 ${method}`)).toBe("481");
    expect(asked).toEqual([]);
    await call.hangUp();
    expect(said).toEqual(["183 sdp", "answer", "end"]);
    expect(fieldOf(heard(far, "ACK ")[0] ?? "", "CSeq")).toBe("1 ACK");
  });
});

describe.each(TRANSPORTS)("over %s, a far end that moves", (transport) => {
  const moved = (method: string, cseq: number, sdp: string) => (invite: string, far: SocketCarrier) =>
    onWire(requestInDialog(invite, method, cseq, { sdp }), far, transport).replace("<sip:c@", "<sip:moved@");
  it.each([
    ["UPDATE", ""],
    ["UPDATE", HELD],
    ["INVITE", OFFER],
    ["INVITE", ""],
  ])("by %s with %j is stored at once, and our BYE follows", async (method, sdp) => {
    const { far, call, answered, dialogs } = await callTo(bench, transport, ok(transport), (invite, carrier) =>
      moved(method, 1, sdp)(invite, carrier),
    );
    await answered;
    await expect.poll(() => dialogs.at(-1)).toContain("sip:moved@");
    await call.hangUp();
    expect(heard(far, "BYE ")[0]).toMatch(/^BYE sip:moved@/);
  });
});
