import { createHash } from "node:crypto";
import { PATIENCE } from "@farline/domain/test/patience.ts";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TestCaller } from "../../test/test-caller.ts";
import { carrierNumbers } from "./carrier-numbers.ts";
import { startPhoneNetwork, type PhoneNetwork } from "./phone-network.ts";

const number = (digits: string) => `+4420794600${digits}`;
const settled = (check: () => void) => vi.waitFor(check, PATIENCE);

let network: PhoneNetwork;
let caller: TestCaller;
beforeEach(async () => {
  network = await startPhoneNetwork({ log: pino({ level: "silent" }), sipPort: 0, ringMs: 20 });
  caller = await TestCaller.open(network.sipPort);
});
afterEach(async () => {
  await network.close();
  caller.close();
});

/** Credentials for the first challenge of a response, by MD5. */
function credentialsFor(challenge: string, dialled: string, count = "00000001"): string {
  const of = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? "";
  const md5 = (text: string) => createHash("md5").update(text).digest("hex");
  const uri = `sip:${dialled}@127.0.0.1`;
  const response = md5(`${md5(`sandbox:${of("realm")}:sandbox`)}:${of("nonce")}:${count}:c:auth:${md5(`INVITE:${uri}`)}`);
  return `Digest username="sandbox", realm="${of("realm")}", nonce="${of("nonce")}", uri="${uri}", response="${response}", algorithm=MD5, cnonce="c", qop=auth, nc=${count}`;
}

describe("a carrier's answer", () => {
  it("comes in parts, also before the call is answered", async () => {
    const call = caller.invite(number("11"));
    for (const status of [183, 200]) {
      const { text } = await call.response(status);
      const boundary = /Content-Type: multipart\/mixed;boundary=(\w+)\r\n/.exec(text)?.[1] ?? "none";
      expect(text.split(`--${boundary}`)).toHaveLength(4);
      expect(text).toMatch(/Content-Type: application\/isup.*\r\n[\s\S]*Content-Type: application\/sdp\r\n\r\nv=0\r\n/);
    }
  });

  it("lists two codecs, of which the second is used", async () => {
    const ok = await caller.invite(number("12"), { body: caller.offer({ formats: "0 8 101" }) }).answered();
    expect(ok.body).toMatch(/m=audio \d+ RTP\/AVP 0 8 101\r\na=rtpmap:0 PCMU\/8000\r\na=rtpmap:8 PCMA\/8000\r\n/);
    await settled(() => expect(caller.packets.length).toBeGreaterThan(5));
    expect(new Set(caller.packets.map(({ payloadType }) => payloadType))).toEqual(new Set([8]));
  });

  it("has another Contact than the 180", async () => {
    const call = caller.invite(number("13"));
    expect((await call.response(180)).header("Contact")).toContain(":9>");
    expect((await call.answered()).header("Contact")).toContain(`:${network.sipPort}>`);
  });

  it("follows an UPDATE that moves the sound", async () => {
    const call = caller.invite(number("14"), { extra: "Supported: 100rel\r\n" });
    const progress = await call.response(183);
    expect([progress.header("Require"), progress.header("RSeq")]).toEqual(["100rel", "1"]);
    caller.send(call.text("PRACK", { branch: "z9hG4bK-prack", cseq: 2, extra: "RAck: 1 1 INVITE\r\n" }));
    const update = await caller.waitForMessage(({ startLine }) => startLine.startsWith("UPDATE "));
    const port = (body: string) => /m=audio (\d+)/.exec(body)?.[1];
    expect(port(update.body)).not.toBe(port(progress.body));
    expect(call.responses(200)).toHaveLength(0);
    const copied = ["Via", "From", "To", "Call-ID", "CSeq"].map((name) => `${name}: ${update.header(name)}\r\n`).join("");
    const body = caller.offer({ formats: "0 101" });
    caller.send(`SIP/2.0 200 OK\r\n${copied}Content-Type: application/sdp\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    expect((await call.answered()).body).toBe("");
  });

  it("is not given to a caller without reliable provisional responses", async () => {
    expect((await caller.invite(number("14")).response(421)).header("Require")).toBe("100rel");
  });

  it("has an IPv6 address, a named Contact, a strict route or long headers", async () => {
    expect((await caller.invite(number("24")).answered()).body).toContain("c=IN IP6 2001:db8::1\r\n");
    expect((await caller.invite(number("25")).answered()).header("Contact")).toContain(`@localhost:${network.sipPort}>`);
    expect((await caller.invite(number("26")).answered()).header("Record-Route")).toBe(
      `<sip:strict@127.0.0.1:${network.sipPort}>`,
    );
    expect((await caller.invite(number("29")).answered()).text.indexOf("\r\n\r\n")).toBeGreaterThan(9_000);
  });

  it("is folded over several lines", async () => {
    const call = caller.invite(number("20"));
    const ok = await caller.waitForMessage(
      ({ text }) => text.startsWith("SIP/2.0 200 ") && text.includes(`Call-ID:\r\n\t${call.callId}\r\n`),
    );
    expect(ok.text).toMatch(/\r\nVia: SIP\/2\.0\/UDP\r\n /);
  });

  it("has no To tag and no Content-Type, and still makes a call that can be hung up", async () => {
    const call = caller.invite(number("27"));
    const ok = await call.answered();
    expect(ok.header("To")).not.toContain("tag");
    expect(ok.header("Content-Type")).toBe("");
    expect(ok.header("P-Asserted-Identity")).toBe(`<tel:${number("27")}>`);
    expect((await call.bye()).startLine).toBe("SIP/2.0 200 OK");
    expect(network.calls()[0]).toMatchObject({ state: "ended", endedBy: "caller" });
  });

  it("has no phrase", async () => {
    const call = caller.invite(number("28"));
    const ok = await caller.waitForMessage(({ startLine, text }) => startLine === "SIP/2.0 200" && text.includes(call.callId));
    expect(ok.body).toContain("m=audio");
  });
});

describe("in a call", () => {
  it("the carrier hangs up under another name", async () => {
    const call = caller.invite(number("18"));
    await call.answered();
    const bye = await caller.waitForMessage(({ startLine }) => startLine.startsWith("BYE "));
    expect(bye.startLine).toMatch(/^BYE sip:somebody-else@/);
    expect(bye.header("Call-ID")).toBe(call.callId);
  });

  it("the sound moves twice", async () => {
    const call = caller.invite(number("31"));
    await call.answered();
    const ports = new Set<number>();
    await settled(() => {
      ports.add(caller.rtpPeer?.port ?? 0);
      expect([...ports].filter((port) => port > 0)).toHaveLength(3);
    });
  });

  it("the first refresh is refused", async () => {
    const call = caller.invite(number("32"), { extra: "Supported: timer\r\n" });
    expect((await call.answered()).header("Session-Expires")).toBe("90;refresher=uac");
    caller.send(call.text("INVITE", { branch: "z9hG4bK-refresh", cseq: 2, body: caller.offer() }));
    await call.response(491, 2);
    caller.send(call.text("INVITE", { branch: "z9hG4bK-again", cseq: 3, body: caller.offer() }));
    await call.response(200, 3);
    call.ack(3);
  });
});

describe("a carrier refuses", () => {
  it.each(
    carrierNumbers.flatMap(({ number: dialled, behaviour: { outcome } }) =>
      outcome.kind === "refuse" ? [[dialled, outcome.status, outcome.reason] as const] : [],
    ),
  )("%s with %i", async (dialled, status, reason) => {
    const call = caller.invite(dialled);
    expect((await call.response(status)).startLine).toBe(`SIP/2.0 ${status} ${reason}`);
    call.ackRejection();
  });

  it("with reasons, in one header", async () => {
    expect((await caller.invite(number("19")).response(480)).header("Reason")).toBe(
      'SIP;cause=480;text="Gone, for now", Q.850;cause=34;text="No circuit available"',
    );
    expect((await caller.invite(number("15")).response(404)).header("Reason")).toContain("cause=3;");
  });

  it("with the time after which to try again", async () => {
    expect((await caller.invite(number("33")).response(503)).header("Retry-After")).toBe("30 (maintenance)");
  });

  it("by a redirect to a ported number in its own network, which answers", async () => {
    const contact = (await caller.invite(number("30")).response(302)).header("Contact");
    expect(contact).toBe(`<sip:+442079460002;npdi;rn=+442079460999@127.0.0.1:${network.sipPort}>`);
    await caller.invite("+442079460002;npdi;rn=+442079460999").answered();
    expect(network.calls()[0]?.number).toBe("+442079460002");
  });

  it("calls without credentials, and takes those for any of its challenges", async () => {
    const refusal = await caller.invite(number("21")).response(401);
    expect(refusal.text.match(/WWW-Authenticate: Digest .*algorithm=(MD5|SHA-256)/g)).toHaveLength(2);
    const header = `Authorization: ${credentialsFor(refusal.header("WWW-Authenticate"), number("21"))}\r\n`;
    await caller.invite(number("21"), { extra: header }).answered();
    await caller.invite(number("21"), { extra: header.replace(/response="./, 'response="x') }).response(403);
    expect(network.calls()).toHaveLength(1);
  });

  it("calls that the proxy lets pass but the server does not", async () => {
    const proxy = await caller.invite(number("22")).response(407);
    const first = `Proxy-Authorization: ${credentialsFor(proxy.header("Proxy-Authenticate"), number("22"))}\r\n`;
    const server = await caller.invite(number("22"), { extra: first }).response(401);
    const both = [
      `Proxy-Authorization: ${credentialsFor(proxy.header("Proxy-Authenticate"), number("22"), "00000002")}`,
      `Authorization: ${credentialsFor(server.header("WWW-Authenticate"), number("22"))}`,
    ];
    const ok = await caller.invite(number("22"), { extra: `${both.join("\r\n")}\r\n` }).answered();
    expect(ok.startLine).toContain("200");
  });

  it("credentials that were used before", async () => {
    const challenge = (await caller.invite(number("23")).response(401)).header("WWW-Authenticate");
    const header = (count: string) => `Authorization: ${credentialsFor(challenge, number("23"), count)}\r\n`;
    await caller.invite(number("23"), { extra: header("00000001") }).answered();
    const again = await caller.invite(number("23"), { extra: header("00000002") }).response(403);
    expect(again.startLine).toContain("403");
  });
});
