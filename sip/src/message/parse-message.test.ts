import { describe, expect, it } from "vitest";
import { stampSource } from "../transport/return-path.ts";
import type { SipMessage, SipRequest } from "./message.ts";
import { parseMessage } from "./parse-message.ts";
import { responseTo } from "./response.ts";
import { writeMessage } from "./write-message.ts";

const INVITE = [
  "INVITE sip:+442079460000@127.0.0.1:5060;user=phone SIP/2.0",
  "v: SIP/2.0/UDP proxy.example:5070;branch=z9hG4bK-2;rport , SIP/2.0/UDP [::1];branch=z9hG4bK-1",
  'f: "O\\"Neil, Ann" <sip:+12025550143@127.0.0.1>;tag=abc',
  "t: <tel:+442079460000>",
  "Call-ID: 1@x",
  "CSeq: 7 INVITE",
  "Subject: folded",
  "  over two lines",
  "Record-Route: <sip:a.example;lr>, <sip:b.example;lr>",
  "m: <sip:caller@127.0.0.1:5070>",
  "Content-Length: 4",
  "",
  "v=0\nrest that is not counted",
].join("\r\n");

const OK = [
  "SIP/2.0 200 OK",
  "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKa",
  "From: <sip:a@a.example>;tag=1",
  "To: <sip:b@b.example>;tag=2",
  "Call-ID: c",
  "CSeq: 1 INVITE",
  "Content-Length: 0",
  "",
  "",
].join("\r\n");

function parsed(text: string): SipMessage {
  const result = parseMessage(Buffer.from(text));
  if (!result.ok) throw new Error(result.problem);
  return result.message;
}

function problemOf(text: string | Buffer): string {
  const result = parseMessage(Buffer.from(text));
  return result.ok ? "none" : `${result.problem} (${result.refusal?.status ?? "no response"})`;
}

describe("the parser", () => {
  it("reads compact names, lists, folded lines and quoted names", () => {
    const message = parsed(INVITE);
    expect(message).toMatchObject({
      kind: "request",
      method: "INVITE",
      uri: "sip:+442079460000@127.0.0.1:5060;user=phone",
      from: { display: 'O"Neil, Ann', uri: "sip:+12025550143@127.0.0.1", parameters: new Map([["tag", "abc"]]) },
      to: { display: "", uri: "tel:+442079460000", parameters: new Map() },
      callId: "1@x",
      cseq: { number: 7, method: "INVITE" },
    });
    expect(message.vias).toEqual([
      {
        transport: "UDP",
        host: "proxy.example",
        port: 5070,
        parameters: new Map([
          ["branch", "z9hG4bK-2"],
          ["rport", null],
        ]),
      },
      { transport: "UDP", host: "::1", port: null, parameters: new Map([["branch", "z9hG4bK-1"]]) },
    ]);
    expect([...message.headers]).toEqual([
      ["subject", ["folded over two lines"]],
      ["record-route", ["<sip:a.example;lr>", "<sip:b.example;lr>"]],
      ["contact", ["<sip:caller@127.0.0.1:5070>"]],
    ]);
    expect(Buffer.from(message.body).toString()).toBe("v=0\n");
  });

  it.each([
    ["a status line without a phrase", OK.replace("200 OK", "200"), { status: 200, reason: "" }],
    ["a status line that ends with a space", OK.replace("200 OK", "200 "), { status: 200, reason: "" }],
    ["a phrase in UTF-8", OK.replace("OK", "= 2**3 * 9**2 но сто девяносто девять"), { status: 200 }],
    ["a phrase with a line separator of Unicode", OK.replace("OK", "O\u2028K"), { reason: "O\u2028K" }],
    ["a 200 without a To tag", OK.replace(";tag=2", ""), { to: { parameters: new Map() } }],
    [
      "a folded Via",
      OK.replace("/UDP 192", "/UDP\r\n 192").replace(";branch", "\r\n\t;branch"),
      { vias: [{ host: "192.0.2.1" }] },
    ],
    ["a folded Call-ID", OK.replace("Call-ID: c", "Call-ID:\r\n   c"), { callId: "c" }],
    ["white space around separators", OK.replace("Call-ID: c", "CALL-ID \t:c\t "), { callId: "c" }],
    ["no Content-Length", OK.replace("Content-Length: 0\r\n", ""), { status: 200 }],
    ["the same Content-Length twice", OK.replace("Content-Length", "l: 0\r\nContent-Length"), { status: 200 }],
    ["empty lines before the start line", `\r\n\r\n${OK}`, { status: 200 }],
    ["a From without brackets", OK.replace("<sip:a@a.example>", "sip:a@a.example "), { from: { uri: "sip:a@a.example" } }],
    [
      "an unquoted name of many words",
      OK.replace("From: ", "From: Café  de (Paris), Sud "),
      { from: { display: "Café  de (Paris), Sud" } },
    ],
    ["a Via port after white space", OK.replace("192.0.2.1", "192.0.2.1 : 99 "), { vias: [{ host: "192.0.2.1", port: 99 }] }],
    ["an unquoted parameter twice", OK.replace(";tag=2", ";tag=2;tag=3"), { to: { parameters: new Map([["tag", "2"]]) } }],
  ])("accepts %s", (_what, text, expected) => {
    expect(parsed(text)).toMatchObject(expected);
  });

  it("reads a long head", () => {
    const many = `Record-Route: <sip:hop.example;lr;x=${"a".repeat(500)}>\r\n`.repeat(20);
    expect(parsed(OK.replace("Content-Length", `${many}Content-Length`)).headers.get("record-route")).toHaveLength(20);
  });

  it("does not split challenges at their commas", () => {
    const challenge = 'Digest realm="a,b", nonce="1", algorithm=MD5';
    const message = parsed(
      OK.replace("200 OK", "401 No").replace("Content-Length", `WWW-Authenticate: ${challenge}\r\nContent-Length`),
    );
    expect(message.headers.get("www-authenticate")).toEqual([challenge]);
  });
});

describe("what the answer does not need is passed over (RFC 3261 §8.2.2)", () => {
  it.each([
    ["a line without a colon", "Subject: folded", "Subject folded"],
    ["a header of 20,000 characters", "folded", "a".repeat(20_000)],
    ["a bare line feed in a header", "Subject: folded", "Subject: a\nVia: evil"],
    ["a header name with a space", "Subject: folded", "Sub ject: folded"],
    ["a header name of other letters", "Subject: folded", "Onderwerp\u00e9: x"],
    ["a control character", "Subject: folded", "Subject: a\u0007b"],
    ["a From with an unclosed quote", 'Ann"', "Ann"],
    ["a From with quotes inside a name", '"O\\"Neil, Ann"', 'Ann "the" Lee'],
    ["a From whose parameter has a space", ";tag=abc", ";x=a b;tag=abc"],
    ["a malformed second Via", "SIP/2.0/UDP [::1]", "SIP/2.0/UDP :1]"],
    ["a second Via of another protocol", "SIP/2.0/UDP [::1]", "SIP/3.0/UDP h"],
  ])("%s", (_what, part, odd) => {
    const message = parsed(INVITE.replace(part, odd));
    expect(message).toMatchObject({ callId: "1@x", vias: [{ host: "proxy.example" }, ...message.vias.slice(1)] });
    expect(message.from.parameters.get("tag")).toBe("abc");
    expect([...message.headers.keys()]).not.toContain("evil");
  });

  it("also in a response", () => {
    expect(parsed(OK.replace("Call-ID", "X Odd: 1\r\nCall-ID"))).toMatchObject({ status: 200 });
  });
});

describe("a response repeats Via, From and To as they were received (RFC 3261 §8.2.6.2)", () => {
  const odd = [
    "BYE sip:a@b.example SIP/2.0",
    'Via: SIP/2.0/UDP  h.example:5070 ;branch=z9hG4bK%20[x]; rport;X="q ; r", SIP / 2.0 / TCP second:0;;',
    'From: Ann \t"the" Lee <sip:a@b.example;x=1>;Tag="q t";tag=1',
    "To: <sip:c@d.example>",
    "Call-ID: c",
    "CSeq: 1 BYE",
    "",
    "",
  ].join("\r\n");

  it("and adds source and tag to them", () => {
    const request = stampSource(parsed(odd) as SipRequest, { address: "192.0.2.1", port: 40_000 });
    const lines = writeMessage(responseTo(request, 200, "OK", { toTag: "ours" }))
      .toString()
      .split("\r\n");
    expect(lines.slice(1, 5)).toEqual([
      'Via: SIP/2.0/UDP  h.example:5070 ;branch=z9hG4bK%20[x];rport=40000;X="q ; r";received=192.0.2.1',
      "Via: SIP / 2.0 / TCP second:0;;",
      'From: Ann \t"the" Lee <sip:a@b.example;x=1>;Tag="q t";tag=1',
      "To: <sip:c@d.example>;tag=ours",
    ]);
  });

  it("without the claims of the sender about itself", () => {
    const claims = odd.replace("; rport", ";received=10.0.0.1;rport=1");
    const request = stampSource(parsed(claims) as SipRequest, { address: "2001:db8::1", port: 40_000 });
    const [, via] = writeMessage(responseTo(request, 200, "OK", { toTag: "ours" }))
      .toString()
      .split("\r\n");
    expect(via).toContain(";rport=40000;");
    expect(via).toContain(";received=[2001:db8::1]");
    expect(via).not.toContain("10.0.0.1");
  });
});

describe("a request that cannot be accepted is refused", () => {
  it.each([
    ["a body shorter than its Content-Length", INVITE.replace("Content-Length: 4", "Content-Length: 400")],
    ["a negative Content-Length", INVITE.replace("Content-Length: 4", "Content-Length: -1")],
    ["two lengths", INVITE.replace("Content-Length: 4", "Content-Length: 4\r\nl: 5")],
    ["another method in CSeq", INVITE.replace("CSeq: 7 INVITE", "CSeq: 7 BYE")],
    ["a missing Call-ID", INVITE.replace("Call-ID: 1@x\r\n", "")],
    ["two CSeq", INVITE.replace("CSeq: 7 INVITE", "CSeq: 7 INVITE\r\nCSeq: 8 INVITE")],
    ["two To", INVITE.replace("t: <", "To: <sip:x@y>\r\nt: <")],
    ["a From without a URI", INVITE.replace("<sip:+12025550143@127.0.0.1>", "<>")],
    ["a CSeq above 2**31", INVITE.replace("7 INVITE", "2147483648 INVITE")],
    ["a CSeq of a hundred digits", INVITE.replace("7 INVITE", `${"9".repeat(100)} INVITE`)],
    ["too many headers", INVITE.replace("Subject: folded", `${"X-Many: 1\r\n".repeat(300)}X-Last: 1`)],
    ["too many values", INVITE.replace("Subject: folded", `Supported: ${"a,".repeat(2_000)}`)],
  ])("with 400: %s", (_what, text) => {
    expect(problemOf(text)).toContain("(400)");
  });

  it("with 505 if it has another version", () => {
    expect(problemOf(INVITE.replace("SIP/2.0\r\nv:", "SIP/7.0\r\nv:"))).toBe("unknown version (505)");
  });

  it("with the fields that a response copies", () => {
    const result = parseMessage(Buffer.from(INVITE.replace("CSeq: 7 INVITE", "CSeq: 7 BYE")));
    const refusal = result.ok ? null : result.refusal;
    const written = parsed(refusal === null ? "" : writeMessage(refusal).toString());
    expect(written).toMatchObject({ status: 400, reason: "Bad Request", callId: "1@x", cseq: { number: 7, method: "BYE" } });
    expect(written.vias).toEqual(parsed(INVITE).vias);
  });
});

describe("a request that can be understood is taken, and says that it is malformed", () => {
  it.each([
    ["a space in the Request-URI", INVITE.replace("sip:+44", "sip: +44")],
    ["two spaces in the request line", INVITE.replace("INVITE sip", "INVITE  sip")],
    ["a space behind the request line", INVITE.replace("SIP/2.0\r\nv:", "SIP/2.0 \r\nv:")],
    ["headers in the Request-URI", INVITE.replace(";user=phone SIP", ";user=phone?b=c SIP")],
    ["an empty parameter of Via", INVITE.replace(";branch", ";;branch")],
    ["a To of unclosed quotes", INVITE.replace("t: ", 't: "a ')],
  ])("if it has %s", (_what, text) => {
    expect((parsed(text) as SipRequest).flaw).toBeTypeOf("string");
  });
});

describe("a message is dropped without a response", () => {
  it.each([
    ["no Via", INVITE.replace(/^v:.*\r\n/gm, "").replace(/^Via:.*\r\n/gm, "")],
    ["a Via port of zero", INVITE.replace("proxy.example:5070", "proxy.example:0")],
    ["headers without an end", INVITE.replace("\r\n\r\n", "\r\n")],
    ["another protocol", INVITE.replace("SIP/2.0\r\nv:", "HTTP/1.1\r\nv:")],
    ["a status of four digits", OK.replace("200 OK", "2000 OK")],
    ["a status below 100", OK.replace("200 OK", "099 OK")],
    ["a malformed ACK", INVITE.replaceAll("INVITE", "ACK").replace("Content-Length: 4", "Content-Length: 400")],
    ["a response with a shortened body", OK.replace("Content-Length: 0", "Content-Length: 1")],
    ["too many bytes", INVITE + " ".repeat(65_536)],
    ["too long a head", INVITE.replace("Subject: folded", `Subject: ${"a".repeat(9_000)}\r\n`.repeat(4).trim())],
    ["nothing", ""],
    ["only line breaks", "\r\n\r\n"],
  ])("if it has %s", (_what, text) => {
    expect(problemOf(text)).toContain("(no response)");
  });
});

describe("the writer", () => {
  it("writes the usual spelling, one value a line, and the length in bytes", () => {
    const message: SipMessage = {
      kind: "request",
      method: "INVITE",
      uri: "sip:b@b.example",
      vias: [{ transport: "TLS", host: "2001:db8::1", port: 5061, parameters: new Map([["branch", "z9hG4bK1"]]) }],
      from: { display: "Ärger, Ann", uri: "sip:a@a.example", parameters: new Map([["tag", "1"]]) },
      to: { display: "", uri: "sip:b@b.example;user=phone", parameters: new Map() },
      callId: "c",
      cseq: { number: 1, method: "INVITE" },
      headers: new Map([
        ["p-asserted-identity", ["<sip:a@a.example>", "<tel:+1>"]],
        ["www-authenticate", ["Digest x"]],
      ]),
      body: Buffer.from("ä"),
    };
    expect(writeMessage(message).toString()).toBe(
      [
        "INVITE sip:b@b.example SIP/2.0",
        "Via: SIP/2.0/TLS [2001:db8::1]:5061;branch=z9hG4bK1",
        'From: "Ärger, Ann" <sip:a@a.example>;tag=1',
        "To: <sip:b@b.example;user=phone>",
        "Call-ID: c",
        "CSeq: 1 INVITE",
        "P-Asserted-Identity: <sip:a@a.example>",
        "P-Asserted-Identity: <tel:+1>",
        "WWW-Authenticate: Digest x",
        "Content-Length: 2",
        "",
        "ä",
      ].join("\r\n"),
    );
  });

  it("lets no value add a header or end the head", () => {
    const message = parsed(OK);
    const hostile = "x\r\nEvil: 1\r\n\r\nbody";
    const written = writeMessage({
      ...message,
      kind: "response",
      status: 200,
      reason: hostile,
      from: { ...message.from, display: hostile },
      headers: new Map([["subject", [hostile]]]),
    });
    const again = parseMessage(written);
    expect(again.ok && [...again.message.headers.keys()]).toEqual(["subject"]);
  });
});
