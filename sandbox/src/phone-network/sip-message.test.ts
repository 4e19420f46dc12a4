import { fc, test } from "@fast-check/vitest";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { startPhoneNetwork } from "./phone-network.ts";
import { hostOf, parseNameAddress, parseSip, userOf } from "./sip-message.ts";
import { readOffer } from "./sdp.ts";
import { TestCaller } from "../../test/test-caller.ts";

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

describe("the SIP parser", () => {
  it("reads compact names, lists, folded lines and quoted names", () => {
    const message = parseSip(Buffer.from(INVITE));
    expect(message).toMatchObject({
      kind: "request",
      method: "INVITE",
      from: { uri: "sip:+12025550143@127.0.0.1", tag: "abc" },
      to: { uri: "tel:+442079460000", tag: null },
      cseq: { number: 7, method: "INVITE" },
      body: "v=0\n",
    });
    expect(message?.vias.map((via) => [via.host, via.port, via.branch, via.rport])).toEqual([
      ["proxy.example", 5070, "z9hG4bK-2", true],
      ["::1", null, "z9hG4bK-1", false],
    ]);
    expect(message?.headers.get("record-route")).toEqual(["<sip:a.example;lr>", "<sip:b.example;lr>"]);
    expect(message?.headers.get("subject")).toEqual(["folded over two lines"]);
  });

  it.each([
    ["a missing header", INVITE.replace("Call-ID: 1@x\r\n", "")],
    ["a header given twice", INVITE.replace("CSeq: 7 INVITE", "CSeq: 7 INVITE\r\nCSeq: 8 INVITE")],
    ["another method in CSeq", INVITE.replace("CSeq: 7 INVITE", "CSeq: 7 BYE")],
    ["a From without a tag", INVITE.replace(";tag=abc", "")],
    ["a body shorter than its Content-Length", INVITE.replace("Content-Length: 4", "Content-Length: 400")],
    ["a negative Content-Length", INVITE.replace("Content-Length: 4", "Content-Length: -1")],
    ["a bare line feed in a header", INVITE.replace("Call-ID: 1@x", "Call-ID: 1@x\nVia: evil")],
    ["an unknown version", INVITE.replace("SIP/2.0\r\nv:", "SIP/3.0\r\nv:")],
    ["headers without an end", INVITE.replace("\r\n\r\n", "\r\n")],
    ["too many headers", INVITE.replace("Call-ID", `${"X-Many: 1\r\n".repeat(200)}Call-ID`)],
    ["too many bytes", INVITE + " ".repeat(9000)],
  ])("rejects a message with %s", (_what, text) => {
    expect(parseSip(Buffer.from(text))).toBeNull();
  });

  it("splits URIs into user, host and port", () => {
    expect(userOf("sip:+442079460000;phone-context=x@127.0.0.1:5060")).toBe("+442079460000");
    expect(userOf("tel:+442079460000;ext=1")).toBe("+442079460000");
    expect(userOf("sip:127.0.0.1:5060")).toBe("");
    expect(hostOf("sip:a@127.0.0.1:5070;transport=udp")).toEqual({ host: "127.0.0.1", port: 5070 });
    expect(hostOf("sip:[::1]")).toEqual({ host: "::1", port: null });
    expect(parseNameAddress("sip:a@b;tag=q")).toMatchObject({ uri: "sip:a@b", tag: "q" });
    expect(parseNameAddress("<no uri>")).toBeNull();
  });

  test.prop([fc.uint8Array({ maxLength: 2000 })])("never throws on random bytes", (bytes) => {
    parseSip(Buffer.from(bytes));
  });

  test.prop([fc.string({ maxLength: 400 }), fc.nat({ max: 300 })])(
    "never throws on SDP that is partly replaced by random text",
    (noise, at) => {
      const sdp =
        "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\na=sendrecv\r\n";
      readOffer(sdp.slice(0, at) + noise + sdp.slice(at + 3));
    },
  );
});

describe("the phone network", () => {
  it("still answers a call after thousands of random and mangled datagrams", async () => {
    const network = await startPhoneNetwork({ log: pino({ level: "silent" }), sipPort: 0, ringMs: 0 });
    const caller = await TestCaller.open(network.sipPort);
    const good = caller.invite("+442079460486");
    const text = good.text("INVITE", { branch: "z9hG4bK-fuzz", body: caller.offer(), tagged: false });
    const cut = fc.tuple(fc.nat(text.length), fc.nat(40), fc.string({ maxLength: 60 }), fc.uuid());
    const mangled = fc.sample(cut, { numRuns: 1500, seed: 7 }).map(([at, length, noise, id]) => {
      return Buffer.from((text.slice(0, at) + noise + text.slice(at + length)).replaceAll("call-1", id));
    });
    const random = fc.sample(fc.uint8Array({ maxLength: 1400 }), { numRuns: 500, seed: 8 }).map((bytes) => Buffer.from(bytes));
    const datagrams = [...mangled, ...random];
    for (let sent = 0; sent < datagrams.length; sent += 50) {
      for (const datagram of datagrams.slice(sent, sent + 50)) caller.send(datagram); // in batches that fit the UDP buffer
      caller.send(good.text("OPTIONS", { branch: `z9hG4bK-alive-${sent}`, cseq: 1000 + sent, tagged: false }));
      await caller.waitForMessage((message) => message.header("CSeq") === `${1000 + sent} OPTIONS`);
    }
    await caller.invite("+442079460404").response(404);
    expect(network.malformed).toBeGreaterThan(300);
    expect(network.liveCalls).toBeLessThanOrEqual(200);
    await network.close();
    caller.close();
  });
});
