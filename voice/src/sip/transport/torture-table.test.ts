import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { readPem } from "@farline/sip/test/tls/pem.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../test/free-port.ts";
import { SipBench, trunkTo } from "../../../test/sip-bench.ts";

/**
 * Strange messages of a trunk outside calls, by the facts of RFC 4475 (§ of it first) and RFC 5118 ("v6 §"), and the status that an
 * endpoint owes each: null is no answer.
 */

const TRANSPORTS = ["udp", "tcp", "tls"] as const;
type Transport = (typeof TRANSPORTS)[number];
/** Each address may send fifty requests at once. */
const ADDRESSES = { udp: addresses(1), tcp: addresses(2), tls: addresses(3) };

function addresses(network: number): string[] {
  return [1, 2, 3, 4].map((host) => `127.0.${network}.${host}`);
}

const SDP = "v=0\r\no=a 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 49172 RTP/AVP 0\r\n";

interface Parts {
  readonly line?: string;
  readonly uri?: string;
  readonly via?: string;
  readonly from?: string;
  readonly to?: string;
  readonly callId?: string;
  readonly cseq?: string;
  readonly length?: string;
  readonly more?: readonly string[];
  readonly body?: string;
}

/** A request whose parts are replaced; an empty one is left out. {ID} and {PORT} are filled in when it is sent. */
function request(method: string, parts: Parts = {}): string {
  const { uri = "sip:b@b.example", body = "" } = parts;
  return [
    parts.line ?? `${method} ${uri} SIP/2.0`,
    parts.via ?? "Via: SIP/2.0/UDP {ID}.example:{PORT};branch=z9hG4bK{ID}",
    parts.from ?? "From: <sip:a@a.example>;tag=1",
    parts.to ?? "To: <sip:b@b.example>",
    parts.callId ?? "Call-ID: {ID}",
    parts.cseq ?? `CSeq: 1 ${method}`,
    "Max-Forwards: 70",
    ...(parts.more ?? []),
    parts.length ?? `Content-Length: ${Buffer.byteLength(body)}`,
  ]
    .filter((line) => line !== "")
    .join("\r\n")
    .concat("\r\n\r\n", body);
}

function response(statusLine: string, via = "Via: SIP/2.0/UDP {ID}.example:{PORT};branch=z9hG4bK{ID}"): string {
  return request("OPTIONS", { line: statusLine, via, to: "To: <sip:b@b.example>;tag=2" });
}

const tagged = { to: "To: <sip:b@b.example>;tag=2" };
const v6 = "Via: SIP/2.0/UDP [2001:db8::9:1]:{PORT};branch=z9hG4bK{ID};{ID}.example";
const long = "long-".repeat(60);

type Row = readonly [what: string, message: string, status: number | null, only?: "udp"];
const TABLE: readonly Row[] = [
  [
    "3.1.1.1 white space, folding and old branches, with a To tag of no dialog",
    request("INVITE", {
      uri: "sip:meera@b.example;unknownparam",
      via: "Via  : SIP  /   2.0\r\n /UDP\r\n    {ID}.example:{PORT};branch=old-style\r\nv:  SIP  / 2.0  / TCP     m.example   ;\r\n  branch  =   z9hG4bKx  ,\r\n SIP  /    2.0   / UDP  198.51.100.7   ; branch=\r\n z9hG4bKy",
      from: 'from   : "Ann Lee \\\\\\""       <sip:ann@b.example>\r\n  ;\r\n  tag = 7b',
      to: "TO :\r\n sip:meera@b.example ;   tag    = 55a",
      cseq: "cseq: 0009\r\n  INVITE",
      more: ["s :", "X-Separators: ;;,,;;,;"],
    }),
    481,
  ],
  ["3.1.1.2 every character of a token", request("!odd-Method0123456789_*+`.%indeed'~"), 405],
  ["3.1.1.3 escapes", request("INVITE", { uri: "sip:sips%3Auser%40b.example@b.example" }), 403],
  ["3.1.1.4 escaped null bytes", request("REGISTER", { from: "From: <sip:null-%00-null@b.example>;tag=1" }), 405],
  ["3.1.1.5 a percent sign that escapes nothing", request("RE%47IST%45R", { uri: "sip:registrar.b.example" }), 405],
  ["3.1.1.6 no space before an angle bracket", request("OPTIONS", { from: 'From: "a"<sip:a@a.example>;tag=1' }), 200],
  [
    "3.1.1.7 long values",
    request("INVITE", {
      uri: `sip:${long}@b.example`,
      from: `From: "${"a name that goes on ".repeat(50)}" <sip:${long}@a.example>;tag=${"t".repeat(900)};x${"p".repeat(900)}=1`,
      more: Array.from({ length: 34 }, (_, hop) => `v: SIP/2.0/TCP h${hop}.example;branch=z9hG4bK${hop}${"b".repeat(200)}`),
    }),
    403,
  ],
  ["3.1.1.8 a second message in the datagram", request("OPTIONS") + request("INVITE", { callId: "Call-ID: other" }), 200, "udp"],
  ["3.1.1.9 a semicolon in the user", request("OPTIONS", { uri: "sip:user;par=u%40example.net@b.example" }), 200],
  [
    "3.1.1.10 many transports",
    request("OPTIONS", { more: ["Via: SIP/2.0/SCTP t2.example;branch=z9hG4bK2", "Via: SIP/2.0/UNKNOWN t3.example"] }),
    200,
  ],
  [
    "3.1.1.11 a multipart body of an unknown method",
    request("MESSAGE", { more: ["Content-Type: multipart/mixed;boundary=x"], body: "--x\r\n\r\na\r\n--x--" }),
    405,
  ],
  ["3.1.1.12 a reason in two scripts", response("SIP/2.0 200 = 2**3 * 5**2 но сто девяносто девять"), null],
  ["3.1.1.13 no reason", response("SIP/2.0 100 "), null],
  ["3.1.2.1 empty parameters of Via", request("INVITE", { via: "Via: SIP/2.0/UDP {ID}.example:{PORT};;,;,," }), 400],
  ["3.1.2.2 a length above the body", request("INVITE", { length: "Content-Length: 9999", body: SDP }), 400, "udp"],
  ["3.1.2.3 a negative length", request("INVITE", { length: "Content-Length: -999", body: SDP }), 400],
  ["3.1.2.4 numbers beyond their range", request("REGISTER", { cseq: "CSeq: 36893488147419103232 REGISTER" }), 400],
  ["3.1.2.4 a CSeq above 2**31", request("OPTIONS", { cseq: "CSeq: 2147483648 OPTIONS" }), 400],
  [
    "3.1.2.5 a response with numbers beyond their range",
    response("SIP/2.0 503 Service Unavailable").replace("CSeq: 1", "CSeq: 9292394834772304023312"),
    null,
  ],
  ["3.1.2.6 unclosed quotes", request("INVITE", { to: 'To: "Mr. J. User <sip:b@b.example>' }), 400],
  ["3.1.2.7 the Request-URI in angle brackets", request("INVITE", { uri: "<sip:b@b.example>" }), 400],
  ["3.1.2.8 white space in the Request-URI", request("INVITE", { uri: "sip:b@b.example; lr" }), 400],
  ["3.1.2.9 more spaces in the request line", request("INVITE", { line: "INVITE  sip:b@b.example  SIP/2.0" }), 400],
  ["3.1.2.10 a space behind the request line", request("OPTIONS", { line: "OPTIONS sip:b@b.example SIP/2.0 " }), 400],
  ["3.1.2.11 headers in the Request-URI", request("INVITE", { uri: "sip:b@b.example?Route=%3Csip:b.example%3E" }), 400],
  ["3.1.2.12 a date of another zone", request("OPTIONS", { more: ["Date: Fri, 01 Jan 2010 16:00:00 EST"] }), 200],
  [
    "3.1.2.13 a Contact without brackets",
    request("REGISTER", { more: ["Contact: sip:a@a.example?Route=%3Csip:b.example%3E"] }),
    405,
  ],
  ["3.1.2.14 spaces inside the brackets", request("OPTIONS", { to: 'To: "Watson, Thomas" < sip:b@b.example >' }), 400],
  ["3.1.2.15 a name that needs quotes", request("OPTIONS", { from: "From: Bell, Alexander <sip:a@a.example>;tag=43" }), 200],
  [
    "3.1.2.16 another version",
    request("OPTIONS", {
      line: "OPTIONS sip:b@b.example SIP/7.0",
      via: "Via: SIP/7.0/UDP {ID}.example:{PORT};branch=z9hG4bK{ID}",
    }),
    505,
  ],
  ["3.1.2.17 another method in CSeq", request("OPTIONS", { cseq: "CSeq: 8 INVITE" }), 400],
  ["3.1.2.18 an unknown method, and another in CSeq", request("NEWMETHOD", { cseq: "CSeq: 8 INVITE" }), 400],
  ["3.1.2.19 a status beyond its range", response("SIP/2.0 4294967301 better not break the receiver"), null],
  ["3.2.1 a branch of the cookie alone", request("OPTIONS", { via: "Via: SIP/2.0/UDP {ID}.example:{PORT};branch=z9hG4bK" }), 200],
  [
    "3.2.1 the same branch again, in another request",
    request("OPTIONS", { via: "Via: SIP/2.0/UDP {ID}.example:{PORT};branch=z9hG4bK", cseq: "CSeq: 2 OPTIONS" }),
    200,
  ],
  ["3.3.1 no From, To and Call-ID", request("INVITE", { from: "", to: "", callId: "" }), 400],
  ["3.3.1 no CSeq", request("OPTIONS", { cseq: "" }), 400],
  ["3.3.2 an unknown scheme", request("OPTIONS", { uri: "nobodyKnowsThisScheme:totallyopaquecontent" }), 416],
  ["3.3.3 a known scheme that is none of ours", request("OPTIONS", { uri: "soap.beep://192.0.2.103:3002" }), 416],
  ["3.3.3 the same, of an INVITE", request("INVITE", { uri: "https://b.example/" }), 416],
  [
    "3.3.4 unknown schemes elsewhere",
    request("OPTIONS", { to: "To: <isbn:2983792873>", from: "From: <http://a.example>;tag=1" }),
    200,
  ],
  [
    "3.3.5 unknown extensions",
    request("OPTIONS", {
      more: ["Require: nothingSupportsThis, nothingSupportsThisEither", "Proxy-Require: noProxiesSupportThis"],
    }),
    420,
  ],
  ["3.3.5 the same, of an INVITE", request("INVITE", { more: ["Require: nothingSupportsThis"] }), 420],
  ["3.3.6 an unknown type", request("INVITE", { more: ["Content-Type: application/unknownformat"], body: "<audio>" }), 415],
  [
    "3.3.7 an unknown scheme of credentials",
    request("REGISTER", { more: ["Authorization: NoOneKnowsThisScheme opaque-data=here"] }),
    405,
  ],
  [
    "3.3.8 several of what must be single",
    request("INVITE", {
      more: ["CSeq: 59 INVITE", "Call-ID: other", "From: <sip:x@a.example>;tag=2", "To: <sip:y@b.example>", "Max-Forwards: 5"],
    }),
    400,
  ],
  ["3.3.9 several lengths", request("OPTIONS", { more: ["Content-Length: 5"] }), 400],
  [
    "3.3.10 a response that nobody awaits, for everybody",
    response(
      "SIP/2.0 200 OK",
      "Via: SIP/2.0/UDP 192.0.2.198;branch=z9hG4bK{ID}\r\nVia: SIP/2.0/UDP 255.255.255.255;branch=z9hG4bKb",
    ),
    null,
  ],
  ["3.3.11 no hop left, which only proxies refuse", request("OPTIONS").replace("Max-Forwards: 70", "Max-Forwards: 0"), 200],
  ["3.3.12 parameters of Contact", request("REGISTER", { more: ["Contact: <sip:+19725552222@gw1.example;unknownparam>"] }), 405],
  [
    "3.3.15 an unknown type of answer",
    request("INVITE", { more: ["Accept: text/nobodyKnowsThis", "Content-Type: application/sdp"], body: SDP }),
    403,
  ],
  [
    "3.4.1 RFC 2543",
    request("INVITE", { via: "Via: SIP/2.0/UDP {ID}.example:{PORT}", from: "From: <sip:a@a.example>", length: "", body: "" }),
    403,
  ],
  ["a request of a dialog that does not exist", request("BYE", tagged), 481],
  ["a BYE without a To tag", request("BYE"), 481],
  ["a CANCEL of nothing", request("CANCEL"), 481],
  ["an ACK of nothing", request("ACK", tagged), null],
  ["a malformed ACK", request("ACK", { ...tagged, cseq: "CSeq: 1 INVITE" }), null],
  ["OPTIONS in a dialog that does not exist", request("OPTIONS", tagged), 481],
  ["a method in small letters", request("options"), 405],
  ["no scheme", request("OPTIONS", { uri: "b.example" }), 400],
  ["a host of impossible characters", request("OPTIONS", { uri: "sip:b@b!example" }), 400],
  ["a port beyond its range", request("OPTIONS", { uri: "sip:b@b.example:99999" }), 400],
  ["no Via", request("OPTIONS", { via: "" }), null],
  ["v6 4.1 an IPv6 reference", request("OPTIONS", { uri: "sip:[2001:db8::10]", via: v6 }), 200],
  ["v6 4.2 without its brackets", request("OPTIONS", { uri: "sip:2001:db8::10", via: v6 }), 400],
  ["v6 4.3 a port inside the brackets", request("OPTIONS", { uri: "sip:[2001:db8::10:5070]", via: v6 }), 200],
  ["v6 4.4 a port behind the brackets", request("OPTIONS", { uri: "sip:[2001:db8::10]:5070", via: v6 }), 200],
  ["v6 4.5 received with brackets", request("BYE", { ...tagged, via: `${v6};received=[2001:db8::9:255]` }), 481],
  ["v6 4.5 received without brackets", request("BYE", { ...tagged, via: `${v6};received=2001:db8::9:255` }), 481],
  [
    "v6 4.6 SDP of IPv6",
    request("INVITE", {
      via: v6,
      more: ["Content-Type: application/sdp"],
      body: SDP.replaceAll("IP4 192.0.2.1", "IP6 2001:db8::20"),
    }),
    403,
  ],
  [
    "v6 4.7 addresses of both kinds",
    request("BYE", {
      ...tagged,
      via: v6,
      more: ["Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKb", "Via: SIP/2.0/TCP [2001:db8::9:ff];branch=z9hG4bKc"],
    }),
    481,
  ],
  ["v6 4.9 an IPv4 address in IPv6", request("INVITE", { uri: "sip:user@[::ffff:192.0.2.10]", via: v6 }), 403],
  ["v6 4.10 three colons", request("OPTIONS", { uri: "sip:user@[2001:db8:::192.0.2.1]", via: v6 }), 200],
];

const bench = new SipBench();
let ports: Record<Transport, number>;
let exchanges = 0;

beforeAll(async () => {
  const tls = { port: await freePort(), cert: await readPem("exchange.pem"), key: await readPem("exchange.key") };
  const trunks = await bench.trunks(
    Object.values(ADDRESSES)
      .flat()
      .map((host) => trunkTo(9, { name: host, host })),
    { tls },
  );
  ports = { udp: trunks.port, tcp: trunks.port, tls: tls.port };
});
afterAll(() => bench.end());

/** Sends a message and then OPTIONS; resolves to all that is received until those are answered, or the connection is closed. */
async function exchange(transport: Transport, localAddress: string, message: string): Promise<string> {
  exchanges += 1;
  const after = request("OPTIONS").replaceAll("{ID}.", "after.").replaceAll("{ID}", `after${exchanges}`);
  return transport === "udp" ? overUdp(localAddress, [message, after]) : overStream(transport, localAddress, message + after);
}

async function overUdp(address: string, messages: readonly string[]): Promise<string> {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  const { port } = socket.address();
  let heard = "";
  const done = new Promise<void>((resolve) =>
    socket.on("message", (datagram) => {
      heard += datagram.toString();
      if (heard.includes("after.example")) resolve();
    }),
  );
  for (const message of messages) socket.send(message.replaceAll("{PORT}", String(port)), ports.udp, "127.0.0.1");
  await done;
  socket.close();
  return heard;
}

async function overStream(transport: "tcp" | "tls", localAddress: string, text: string): Promise<string> {
  const to = { host: "127.0.0.1", port: ports[transport], localAddress };
  const socket: Socket = transport === "tcp" ? connectTcp(to) : connectTls({ ...to, rejectUnauthorized: false });
  await once(socket, transport === "tcp" ? "connect" : "secureConnect");
  let heard = "";
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    heard += chunk.toString();
    if (heard.includes("after.example")) socket.destroy();
  });
  socket.write(text.replaceAll("{PORT}", "5060"));
  await once(socket, "close");
  return heard;
}

describe.each(TRANSPORTS)("over %s", (transport) => {
  const rows = TABLE.map((row, index) => [...row, index] as const).filter(
    ([, , , only]) => transport === "udp" || only !== "udp",
  );
  it.each(rows.map(([what, message, status, ...rest]) => [what, message, status, rest.at(-1) as number] as const))(
    "%s",
    async (_, message, status, index) => {
      const id = `${transport}${index}`;
      const text = message.replaceAll("{ID}", id).replaceAll("SIP/2.0/UDP", `SIP/2.0/${transport.toUpperCase()}`);
      const heard = await exchange(transport, ADDRESSES[transport][index % 4] as string, text);
      const answers = heard.split(/(?=^SIP\/2\.0 )/m).filter((answer) => answer.includes(`${id}.example`));
      expect(answers.map((answer) => Number(answer.split(" ")[1]))).toEqual(status === null ? [] : [status]);
    },
  );

  it("a refusal names what it refuses", async () => {
    const more = ["Require: nothing, neither"];
    const text = request("OPTIONS", { more }).replaceAll("{ID}", `${transport}-named`);
    expect(await exchange(transport, ADDRESSES[transport][0] as string, text)).toMatch(
      /^Unsupported: nothing\r\nUnsupported: neither\r$/m,
    );
    const unknown = request("PUBLISH").replaceAll("{ID}", `${transport}-method`);
    expect(await exchange(transport, ADDRESSES[transport][1] as string, unknown)).toMatch(/^Allow: INVITE\r$/m);
  });
});
