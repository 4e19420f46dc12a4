import { describe, expect, it } from "vitest";
import type { SipMessage } from "./message.ts";
import { parseNameAddress, tagOf } from "./name-address.ts";
import { type ParsedMessage, parseMessage } from "./parse-message.ts";
import { parseUri } from "./uri.ts";
import { writeMessage } from "./write-message.ts";

/** Messages in the manner of RFC 4475: unusual but valid, and wrong in ways that parsers often miss. */

function parse(...lines: string[]): ParsedMessage {
  return parseMessage(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`));
}

function valid(...lines: string[]): SipMessage {
  const result = parse(...lines);
  if (!result.ok) throw new Error(result.problem);
  // Whatever was accepted is written so that it can be read again.
  expect(parseMessage(writeMessage(result.message))).toMatchObject({
    ok: true,
    message: { ...result.message, ...(result.message.kind === "request" ? { received: expect.anything() } : {}) },
  });
  return result.message;
}

const COMMON = ["Via: SIP/2.0/UDP h.example;branch=z9hG4bK1", "From: <sip:a@a.example>;tag=1", "To: <sip:b@b.example>"];

describe("valid torture messages are read:", () => {
  it("white space, folding and mixed case everywhere", () => {
    const message = valid(
      "INVITE sip:meera@b.example;unknown=x SIP/2.0",
      "TO :",
      " sip:meera@b.example ;   tag    = to-55a",
      'from   : "Ann Lee \\\\\\""       <sip:ann@b.example>',
      "  ;",
      "  tag = from-7b",
      "MaX-fOrWaRdS: 0012",
      "Call-ID: folded-everywhere",
      "cseq: 0009",
      "  INVITE",
      "Via  : SIP  /   2.0",
      " /UDP",
      "    192.0.2.2;branch=old-style-1",
      "s :",
      "X-Folded:   first",
      " second  third",
      "X-Separators: ;;,,;;,;",
      "Content-Type: application/sdp",
      "Route:",
      " <sip:proxy.example;lr;other=1;path=%3Bx>",
      "v:  SIP  / 2.0  / TCP     middle.example   ;",
      "  branch  =   z9hG4bKsecond  ,",
      " SIP  /    2.0   / UDP  198.51.100.7   ; branch=",
      " z9hG4bKthird",
      'm:"Lee \\"Ann\\", London" <sip:ann@b.example>;wrapped =',
      "      value ;",
      "  second ; q = 0.33",
    );
    expect(message.vias.map(({ transport, host }) => `${transport} ${host}`)).toEqual([
      "UDP 192.0.2.2",
      "TCP middle.example",
      "UDP 198.51.100.7",
    ]);
    expect(message.vias[2]?.parameters.get("branch")).toBe("z9hG4bKthird");
    expect(message.from).toMatchObject({ display: 'Ann Lee \\"' });
    expect([tagOf(message.from), tagOf(message.to)]).toEqual(["from-7b", "to-55a"]);
    expect(message.cseq.number).toBe(9);
    expect(message.headers.get("x-folded")).toEqual(["first second  third"]);
    expect(message.headers.get("x-separators")).toEqual([";;,,;;,;"]);
    const contact = parseNameAddress(message.headers.get("contact")?.[0] ?? "");
    expect([...(contact?.parameters ?? [])]).toEqual([
      ["wrapped", "value"],
      ["second", null],
      ["q", "0.33"],
    ]);
  });

  it("every character of a token, and control characters in a quoted name", () => {
    const method = "!odd-Method0123456789_*+`.%indeed'~";
    const uri = "sip:u_1-.!~*'()&=+$,;?/:p_1-.!~*'()&=+$,@b.example";
    const message = valid(
      `${method} ${uri} SIP/2.0`,
      "Via: SIP/2.0/TCP h.example;branch=z9hG4bK-.!%66*_+`'~",
      "From: one~` two'+_ three*%!.- <sip:plain@b.example>;any'~+*_!.-%=\"значение\";tag=_t~1'+`*%!-.",
      'To: "BEL:\\\u0007 NUL:\\\u0000 DEL:\\\u007F" <sip:x@b.example>',
      "Call-ID: a.b%c-!.*_+'@d`~)(><:\\/\"][?}{",
      `CSeq: 77 ${method}`,
      "X-Token-!.%*+_`'~: \uFEFF電話",
    );
    expect(message).toMatchObject({ method, uri });
    expect(message.to.display).toBe("BEL:\u0007 NUL:\u0000 DEL:\u007F");
    expect(message.from.parameters.get("any'~+*_!.-%")).toBe("значение");
    expect(parseUri(uri)).toMatchObject({ host: "b.example", password: "p_1-.!~*'()&=+$," });
  });

  it("escapes, of which the null byte stays escaped", () => {
    const message = valid(
      "NE%57M sip:b.example;l%72;x=%40 SIP/2.0",
      "Via: SIP/2.0/UDP h.example;branch=z9hG4bK1",
      "From: <sip:null-%00-null@b.example>;tag=1",
      'To: "%Q%41" <sip:x@b.example>',
      "Call-ID: esc",
      "CSeq: 1 NE%57M",
    );
    expect(message).toMatchObject({
      method: "NE%57M",
      from: { uri: "sip:null-%00-null@b.example" },
      to: { display: "%Q%41" },
    });
  });

  it("values of great length", () => {
    const user = "long-".repeat(60);
    const message = valid(
      `INVITE sip:${user}@b.example SIP/2.0`,
      ...Array.from({ length: 34 }, (_, hop) => `v: SIP/2.0/TCP sip${hop}.example;branch=z9hG4bK${hop}${"b".repeat(200)}`),
      `F: "${"a name that goes on ".repeat(50)}" <sip:${user}@a.example>;tag=${"t".repeat(982)};unknown${"p".repeat(900)}=${"v".repeat(900)}`,
      `t: <sip:${user}@b.example>`,
      `Call-ID: ${"c".repeat(900)}`,
      "CSeq: 12 INVITE",
      `Unknown-${"long".repeat(100)}-Name: unknown-${"long".repeat(1_000)}-value`,
    );
    expect(message.vias).toHaveLength(34);
    expect(tagOf(message.from)).toHaveLength(982);
  });

  it("a To without a tag, a From of RFC 2543 and a Via without a branch", () => {
    const message = valid(
      "BYE sip:b@b.example SIP/2.0",
      "Via: SIP/2.0/UDP old.example",
      "From: <sip:+442079460001@old.example;user=phone>",
      "To: sip:+442079460002@b.example;user=phone",
      "Call-ID: 1@old.example",
      "CSeq: 4 BYE",
    );
    expect([tagOf(message.from), tagOf(message.to), message.vias[0]?.parameters.get("branch")]).toEqual([null, null, undefined]);
    // Without brackets the parameter belongs to the header.
    expect(message.to).toMatchObject({ uri: "sip:+442079460002@b.example", parameters: new Map([["user", "phone"]]) });
  });

  it("an unknown scheme in Request-URI and To", () => {
    const message = valid(
      "OPTIONS unheard-of:anything SIP/2.0",
      ...COMMON.slice(0, 2),
      "To: <isbn:0140449132>",
      "Call-ID: c",
      "CSeq: 1 OPTIONS",
    );
    expect(message).toMatchObject({ to: { uri: "isbn:0140449132" } });
    expect(parseUri((message as { uri: string }).uri)).toBeNull();
  });

  it("Via values of unknown transports and IPv6", () => {
    const message = valid(
      "OPTIONS sip:b@b.example SIP/2.0",
      "Via: SIP/2.0/UDP t1.example;branch=z9hG4bK1, SIP/2.0/SCTP t2.example;branch=z9hG4bK2",
      "Via: SIP/2.0/UNKNOWN t3.example;branch=z9hG4bK3",
      "Via: SIP/2.0/TLS [2001:db8::a]:5061;received=[2001:db8::b];branch=z9hG4bK4;maddr=2001:db8::1",
      ...COMMON.slice(1),
      "Call-ID: c",
      "CSeq: 1 OPTIONS",
    );
    expect(message.vias.map(({ transport }) => transport)).toEqual(["UDP", "SCTP", "UNKNOWN", "TLS"]);
    expect(message.vias[3]?.parameters.get("received")).toBe("[2001:db8::b]");
  });

  it("separators and header-like text inside quotes", () => {
    const message = valid(
      "INVITE sip:b@b.example SIP/2.0",
      COMMON[0] as string,
      'From: "a <b>, \\" ; tag=9 > , c\\\\" <sip:a@a.example>;tag=1;x="a;b,c>"',
      'To: "\\\\" <sip:b@b.example>',
      "Call-ID: c",
      "CSeq: 1 INVITE",
      'Contact: "x,y" <sip:a@a.example;p=a,b>;d="1,2", "z\\"," <sip:c@c.example>',
    );
    expect(tagOf(message.from)).toBe("1");
    expect(message.from.display).toBe('a <b>, " ; tag=9 > , c\\');
    expect(message.to.display).toBe("\\");
    expect(message.headers.get("contact")).toHaveLength(2);
  });
});

describe("invalid torture messages are refused or dropped:", () => {
  const invite = (...changed: string[]): ParsedMessage =>
    parse("INVITE sip:b@b.example SIP/2.0", ...COMMON, "Call-ID: c", "CSeq: 1 INVITE", ...changed);
  const statusOf = (result: ParsedMessage): number | string => (result.ok ? "accepted" : (result.refusal?.status ?? "dropped"));

  it.each<[string, ParsedMessage, number | string]>([
    ["extraneous separators in Via of another", invite("Via: SIP/2.0/UDP 192.0.2.9;;,;"), "accepted"],
    ["a Content-Length of many digits", invite(`Content-Length: ${"9".repeat(5_000)}`), 400],
    ["a Content-Length with a unit", invite("Content-Length: 0 bytes"), 400],
    ["a Content-Length above the body", invite("Content-Length: 9999"), 400],
    ["a header without a name", invite(": value"), "accepted"],
    ["a header name with a space", invite("Bad Name: value"), "accepted"],
    ["a control character where nothing depends on it", invite("Subject: a\u0000b"), "accepted"],
    ["a control character in what is required", invite("Require: a\u0000b"), 400],
    ["a length with a control character", invite("Content-Length: 0\u0000"), 400],
    ["an escaped line feed", invite("Subject: a\\\nVia: x"), "accepted"],
    ["a NUL in the Request-URI", parse("INVITE sip:b\u0000@b.example SIP/2.0", ...COMMON, "Call-ID: c", "CSeq: 1 INVITE"), 400],
    ["an ACK with a NUL in its Request-URI", parse("ACK sip:\u0000 SIP/2.0", ...COMMON, "Call-ID: c", "CSeq: 1 ACK"), "dropped"],
    ["a NUL in the method", parse("INV\u0000ITE sip:b@b.example SIP/2.0", ...COMMON, "Call-ID: c", "CSeq: 1 INVITE"), "dropped"],
    ["a NUL in a status line", parse("SIP/2.0 200 O\u0000K", ...COMMON, "Call-ID: c", "CSeq: 1 INVITE"), "dropped"],
    ["two different lengths", invite("Content-Length: 0", "Content-Length: 00"), 400],
    [
      "angle brackets around the Request-URI",
      parse("INVITE <sip:b@b.example> SIP/2.0", ...COMMON, "Call-ID: c", "CSeq: 1 INVITE"),
      "accepted",
    ],
    [
      "a trailing space in the request line",
      parse("OPTIONS sip:b@b.example SIP/2.0 ", ...COMMON, "Call-ID: c", "CSeq: 1 OPTIONS"),
      "accepted",
    ],
    [
      "CSeq and request line of different case",
      parse("invite sip:b@b.example SIP/2.0", ...COMMON, "Call-ID: c", "CSeq: 1 INVITE"),
      400,
    ],
    [
      "an unknown method in CSeq of a known one",
      parse("OPTIONS sip:b SIP/2.0", ...COMMON, "Call-ID: c", "CSeq: 8 NEWMETHOD"),
      400,
    ],
    ["version 7.0", parse("OPTIONS sip:b SIP/7.0", ...COMMON, "Call-ID: c", "CSeq: 8 OPTIONS"), 505],
    ["an overlarge status", parse("SIP/2.0 4294967500 Overflow", ...COMMON, "Call-ID: c", "CSeq: 8 OPTIONS"), "dropped"],
    [
      "a CSeq of 18446744073709551617",
      parse("OPTIONS sip:b SIP/2.0", ...COMMON, "Call-ID: c", "CSeq: 18446744073709551617 OPTIONS"),
      400,
    ],
    [
      "an unterminated quote",
      parse("OPTIONS sip:b SIP/2.0", ...COMMON.slice(0, 2), 'To: "Ann <sip:a@b>', "Call-ID: c", "CSeq: 1 OPTIONS"),
      "accepted",
    ],
    ["a header line as start line", parse(...COMMON, "Call-ID: c", "CSeq: 1 OPTIONS"), "dropped"],
  ])("%s", (_what, result, expected) => {
    expect(statusOf(result)).toBe(expected);
  });
});
