import { afterEach, describe, expect, it } from "vitest";
import {
  answerCalls,
  type CarrierHandler,
  fieldOf,
  replyTo,
  requestInDialog,
  type SocketCarrier,
  startSocketCarrier,
} from "../../../test/socket-carrier.ts";
import { dial, HELD, OFFER, SipBench, trunkTo } from "../../../test/sip-bench.ts";

const bench = new SipBench();
afterEach(() => bench.end());

async function carrier(transport: "udp" | "tcp", handle: (far: SocketCarrier) => CarrierHandler): Promise<SocketCarrier> {
  const started: SocketCarrier = await startSocketCarrier(transport, (message, send) => handle(started)(message, send));
  bench.add(() => started.close());
  return started;
}
const contact = (user: string, port = 5060) => ({ headers: [`Contact: <sip:${user}@127.0.0.1:${port}>`] });
const heard = (far: SocketCarrier, start: string): string[] => far.heard.filter((message) => message.startsWith(start));
const statusOf = (far: SocketCarrier, cseq: string): string =>
  far.heard.find((message) => message.startsWith("SIP/") && fieldOf(message, "CSeq") === cseq)?.slice(8, 11) ?? "";

describe("an answer", () => {
  it("may stand in a multipart body beside ISUP (RFC 5621)", async () => {
    const body = [
      "--b\r\nContent-Type: application/isup;version=itu-t92+\r\n\r\n\u0001\u0002",
      `--b\r\nContent-Type: application/sdp\r\n\r\n${OFFER}`,
      "--b--\r\n",
    ].join("\r\n");
    const far = await carrier("tcp", () => (message, send) => {
      if (!message.startsWith("INVITE ")) return answerCalls(OFFER)(message, send);
      const reply = replyTo(message, "200 OK", { ...contact("c"), sdp: body });
      send(
        reply.replace(
          "Content-Type: application/sdp\r\nContent-Length",
          "Content-Type: multipart/mixed;boundary=b\r\nContent-Length",
        ),
      );
    });
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port, { transport: "tcp" })]));
    expect(await answered).toContain("m=audio 30000");
    await call.hangUp();
  });

  it("has the Contact to which ACK and BYE go, not that of the ringing (RFC 3261 §12.2.1.2)", async () => {
    const phone = await carrier("udp", () => answerCalls(OFFER));
    const far = await carrier("udp", () => (message, send) => {
      if (!message.startsWith("INVITE ")) return answerCalls(OFFER)(message, send);
      send(replyTo(message, "180 Ringing", contact("proxy", far.port)));
      send(replyTo(message, "200 OK", { ...contact("phone", phone.port), sdp: OFFER }));
    });
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port)]));
    await answered;
    await call.hangUp();
    expect(phone.heard.map((message) => message.split(":")[0])).toEqual(["ACK sip", "BYE sip"]);
    expect(heard(far, "BYE ")).toEqual([]);
  });

  it("may name a strict router before loose ones, to which ACK and BYE go (RFC 3261 §12.2.1.1)", async () => {
    const strict = await carrier("udp", () => answerCalls(OFFER));
    const routes = [`Record-Route: <sip:127.0.0.1:9;lr>, <sip:127.0.0.1:${strict.port}>`];
    const far = await carrier("udp", () => (message, send) => {
      const headers = [...routes, ...contact("phone", far.port).headers];
      if (message.startsWith("INVITE ")) send(replyTo(message, "200 OK", { headers, sdp: OFFER }));
    });
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port)]));
    await answered;
    await call.hangUp();
    const [, bye = ""] = strict.heard;
    expect(strict.heard.map((message) => message.split(" ")[1])).toEqual(Array(2).fill(`sip:127.0.0.1:${strict.port}`));
    const wanted = ["Route: <sip:127.0.0.1:9;lr>", `Route: <sip:phone@127.0.0.1:${far.port}>`];
    expect([...bye.matchAll(/^Route: .*>/gm)].map(([line]) => line)).toEqual(wanted);
  });

  it("that is retransmitted gets the same ACK, with the INVITE's credentials (RFC 3261 §13.2.2.4)", async () => {
    const far = await carrier("tcp", () => (message, send) => {
      if (!message.startsWith("INVITE ")) return answerCalls(OFFER)(message, send);
      if (fieldOf(message, "Authorization") === "")
        return send(replyTo(message, "401 No", { headers: ['WWW-Authenticate: Digest realm="c", nonce="1"'] }));
      for (let times = 0; times < 2; times += 1) send(replyTo(message, "200 OK", { ...contact("c"), sdp: OFFER }));
    });
    const trunk = trunkTo(far.port, { transport: "tcp", username: "farline", password: "secret" });
    const { call, answered } = dial(await bench.trunks([trunk]));
    await answered;
    await expect.poll(() => heard(far, "ACK ").length).toBe(3);
    const [, first, second] = heard(far, "ACK ");
    expect(first).toBe(second);
    expect(fieldOf(first ?? "", "Authorization")).toBe(fieldOf(heard(far, "INVITE ")[1] ?? "", "Authorization"));
    await call.hangUp();
  });
});

describe("an early dialog", () => {
  it("takes an UPDATE with SDP after a reliable 183, and its answer does not undo it (RFC 3311 §5.2)", async () => {
    const reliable = ["Require: 100rel", "RSeq: 1", ...contact("c").headers];
    const moved = OFFER.replace("30000", "40000");
    const far = await carrier("tcp", () => (message, send) => {
      const invite = far.heard[0] ?? "";
      if (message.startsWith("INVITE ")) send(replyTo(message, "183 Session Progress", { headers: reliable, sdp: OFFER }));
      else if (message.startsWith("PRACK ")) {
        send(replyTo(message, "200 OK"));
        send(requestInDialog(invite, "UPDATE", 1, { sdp: moved }));
      } else if (fieldOf(message, "CSeq") === "1 UPDATE") send(replyTo(invite, "200 OK", { ...contact("c"), sdp: OFFER }));
      else answerCalls(OFFER)(message, send);
    });
    const offers: string[] = [];
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port, { transport: "tcp" })]), {
      renegotiate: async (sdp) => {
        offers.push(sdp);
        return HELD;
      },
    });
    expect(await answered).toBe(moved);
    expect(offers).toEqual([moved]);
    expect(statusOf(far, "1 UPDATE")).toBe("200");
    await call.hangUp();
  });

  it("refuses an UPDATE with SDP while our offer is unanswered", async () => {
    const far = await carrier("tcp", () => (message, send) => {
      if (message.startsWith("CANCEL ")) send(replyTo(far.heard[0] ?? "", "487 Request Terminated"));
      if (!message.startsWith("INVITE ")) return answerCalls(OFFER)(message, send);
      send(replyTo(message, "183 Session Progress", { ...contact("c"), sdp: OFFER }));
      send(requestInDialog(message, "UPDATE", 1, { sdp: OFFER }));
    });
    const { call } = dial(await bench.trunks([trunkTo(far.port, { transport: "tcp" })]));
    await expect.poll(() => statusOf(far, "1 UPDATE")).toBe("491");
    await call.hangUp();
  });
});

describe("a request of the carrier in an answered call", () => {
  async function answeredCall(requests: (invite: string) => string[]) {
    const far = await carrier("tcp", () => (message, send) => {
      if (message.startsWith("ACK ")) for (const request of requests(far.heard[0] ?? "")) send(request);
      else answerCalls(OFFER)(message, send);
    });
    const dialled = dial(await bench.trunks([trunkTo(far.port, { transport: "tcp" })]), { renegotiate: async () => HELD });
    await dialled.answered;
    return { far, ...dialled };
  }

  it("belongs to the call whatever user its Request-URI names (RFC 3261 §12.2.2)", async () => {
    const { ended } = await answeredCall((invite) => [requestInDialog(invite, "BYE", 1).replace(/ sip:trunk\d+@/, " sip:4711@")]);
    expect(await ended).toMatchObject({ by: "callee", answered: true });
  });

  it("is answered with 500 if its sequence number is lower than the last one", async () => {
    const { far, call } = await answeredCall((invite) => [
      requestInDialog(invite, "UPDATE", 5),
      requestInDialog(invite, "UPDATE", 4),
    ]);
    await expect.poll(() => [statusOf(far, "5 UPDATE"), statusOf(far, "4 UPDATE")]).toEqual(["200", "500"]);
    await call.hangUp();
  });

  it("changes by UPDATE where our BYE goes", async () => {
    const { far, call } = await answeredCall((invite) => [
      requestInDialog(invite, "UPDATE", 1).replace("Contact: <sip:carrier@", "Contact: <sip:moved@"),
    ]);
    await expect.poll(() => statusOf(far, "1 UPDATE")).toBe("200");
    await call.hangUp();
    expect(heard(far, "BYE ")[0]).toMatch(/^BYE sip:moved@/);
  });

  it("gets our SDP with a version that rises only with a change (RFC 3264 §8)", async () => {
    const hold = (cseq: number) => requestInDialog(far.heard[0] ?? "", "UPDATE", cseq, { sdp: HELD });
    const { far, call } = await answeredCall((invite) => [requestInDialog(invite, "UPDATE", 1, { sdp: HELD })]);
    await expect.poll(() => statusOf(far, "1 UPDATE")).toBe("200");
    for (const socket of far.connections) socket.write(hold(2));
    await expect.poll(() => statusOf(far, "2 UPDATE")).toBe("200");
    const versions = heard(far, "SIP/2.0 200").map((message) => /^o=farline 1 (\d+) /m.exec(message)?.[1]);
    expect(versions).toEqual(["2", "2"]);
    await call.hangUp();
  });

  it("gets 200 if its BYE crosses ours", async () => {
    const { far, call, ended } = await answeredCall(() => []);
    const hungUp = call.hangUp();
    for (const socket of far.connections) socket.write(requestInDialog(far.heard[0] ?? "", "BYE", 1));
    await hungUp;
    expect(await ended).toMatchObject({ by: "us" });
    await expect.poll(() => statusOf(far, "1 BYE")).toBe("200");
  });

  it.each([
    ["one Reason header with several reasons", 'Reason: SIP;cause=200;text="OK", Q.850;cause=31;text="Normal"'],
    ["folded headers", 'Reason: Q.850\r\n ;cause=31\r\n\t;text="OK"'],
  ])("is understood with %s", async (_, header) => {
    const { ended } = await answeredCall((invite) => [
      requestInDialog(invite, "BYE", 1, { headers: [header] })
        .replace(/^Via: (.*);branch/m, "Via: $1\r\n ;branch")
        .replace("Call-ID: ", "Call-ID:\r\n "),
    ]);
    expect(await ended).toMatchObject({ by: "callee", q850Cause: 31, reason: "OK" });
  });
});

describe("a challenge", () => {
  const account = { transport: "tcp", username: "farline", password: "secret" } as const;
  const challenge = (name: string, realm: string): string => `${name}: Digest realm="${realm}", nonce="${realm}", qop="auth"`;

  it("of a proxy may be followed by one of the server, and both are answered (RFC 3261 §22.3)", async () => {
    const far = await carrier("tcp", () => (message, send) => {
      if (!message.startsWith("INVITE ")) return answerCalls(OFFER)(message, send);
      if (fieldOf(message, "Proxy-Authorization") === "")
        return send(replyTo(message, "407 No", { headers: [challenge("Proxy-Authenticate", "proxy")] }));
      if (fieldOf(message, "Authorization") === "")
        return send(replyTo(message, "401 No", { headers: [challenge("WWW-Authenticate", "server")] }));
      answerCalls(OFFER)(message, send);
    });
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port, account)]));
    expect(await answered).toContain("m=audio");
    await call.hangUp();
  });

  it("is not anticipated again with credentials that got a 403", async () => {
    const far = await carrier("tcp", () => (message, send) => {
      if (!message.startsWith("INVITE ")) return answerCalls(OFFER)(message, send);
      const fresh = /nonce="n(\d+)"/.exec(fieldOf(message, "Authorization"))?.[1];
      const calls = new Set(heard(far, "INVITE ").map((invite) => fieldOf(invite, "Call-ID"))).size;
      if (fresh === String(calls)) return answerCalls(OFFER)(message, send);
      if (fresh !== undefined) return send(replyTo(message, "403 Forbidden"));
      send(replyTo(message, "401 No", { headers: [`WWW-Authenticate: Digest realm="c", nonce="n${calls}", qop="auth"`] }));
    });
    const trunks = await bench.trunks([trunkTo(far.port, account)]);
    for (let calls = 0; calls < 2; calls += 1) {
      const { call, answered } = dial(trunks);
      await answered;
      await call.hangUp();
    }
    expect(heard(far, "INVITE ")).toHaveLength(5);
  });
});
