import { afterEach, describe, expect, it } from "vitest";
import { answerCalls, fieldOf, requestInDialog, startSocketCarrier } from "../../../test/socket-carrier.ts";
import { ack, answer, answeringCarrier, invite, ring, ringingCarrier } from "../../../test/scenarios/scenario.ts";
import { dial, HELD, OFFER, SipBench, trunkTo } from "../../../test/sip-bench.ts";

const bench = new SipBench();
afterEach(() => bench.end());

describe("a call over a trunk", () => {
  it("rings, is answered, and ends with the cause in the far end's BYE", async () => {
    const reason = 'Reason: Q.850;cause=16;text="Normal call clearing"';
    const far = await bench.carrier([invite, ring, answer, ack, { send: "BYE", cseq: 1, headers: [reason] }, { answered: 200 }]);
    const { heard, answered, ended } = dial(await bench.trunks([trunkTo(far.port)]));
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

  it("uses the SDP of 183 if the answer has none, and hangs up with BYE", async () => {
    const far = await bench.carrier(answeringCarrier);
    const { call, heard, answered, ended } = dial(await bench.trunks([trunkTo(far.port)]));
    expect(await answered).toContain("m=audio 40000");
    await Promise.all([call.hangUp("done"), call.hangUp()]);
    expect(await ended).toMatchObject({ by: "us", answered: true, sipStatus: 200 });
    expect(heard).toEqual(["183 sdp", "answer", "end"]);
    await far.done;
  });

  it("cancels only after the first provisional response, and acknowledges the 487", async () => {
    const far = await bench.carrier(ringingCarrier);
    const { call, ended, stored } = dial(await bench.trunks([trunkTo(far.port)]));
    await stored;
    await call.hangUp();
    expect(await ended).toMatchObject({ sipStatus: 487, by: "us", answered: false });
    await far.done;
  });

  it("has a Call-ID that begins with the session's id, by which operators find the call, and that nobody can guess", async () => {
    const far = await startSocketCarrier("udp", answerCalls(OFFER));
    bench.add(() => far.close());
    const trunks = await bench.trunks([trunkTo(far.port)]);
    const sessionId = "0190a5e2-7c11-4abc-8def-0123456789ab";
    await dial(trunks, { sessionId }).answered;
    await dial(trunks, { sessionId }).answered;
    const ids = far.heard.filter((message) => message.startsWith("INVITE")).map((message) => fieldOf(message, "Call-ID"));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(new RegExp(`${sessionId}-[0-9a-f]{16}$`));
  });

  it("rings nobody if it is hung up while the trunk's host is looked up", async () => {
    const far = await startSocketCarrier("udp", answerCalls(OFFER));
    bench.add(() => far.close());
    const found = Promise.withResolvers<string[]>();
    const dns = { srv: async () => [], addresses: () => found.promise };
    const trunks = await bench.trunks([trunkTo(far.port, { host: "carrier.test" })], { dns });
    const { call, ended } = dial(trunks);
    await call.hangUp();
    expect(await ended).toMatchObject({ sipStatus: 487, by: "us", answered: false });
    found.resolve(["127.0.0.1"]);
    expect(await trunks.options()).toBe(true);
    expect(far.heard.map((message) => message.split(" ")[0])).toEqual(["OPTIONS"]);
  });

  it("is cancelled after the ring time-out", async () => {
    const far = await bench.carrier(ringingCarrier);
    const { ended } = dial(await bench.trunks([trunkTo(far.port)]), { ringTimeoutMs: 500 });
    expect(await ended).toMatchObject({ sipStatus: 487, by: "timeout", answered: false });
    await far.done;
  });

  it("counts towards the limit until it ends", async () => {
    const far = await bench.carrier(answeringCarrier);
    const set = await bench.trunks([trunkTo(far.port)], { maxCalls: 1 });
    const first = dial(set);
    expect(set.activeCalls).toBe(1);
    expect(await dial(set).ended).toMatchObject({ sipStatus: 503, by: "failure" });
    await first.answered;
    await first.call.hangUp();
    expect(set.activeCalls).toBe(0);
  });

  it("ends when the trunks close", async () => {
    const far = await bench.carrier(answeringCarrier);
    const set = await bench.trunks([trunkTo(far.port)]);
    const { answered, ended } = dial(set);
    await answered;
    await set.close();
    expect(await ended).toMatchObject({ by: "us", answered: true });
    await far.done;
  });
});

describe("renegotiation by the far end", () => {
  it("is accepted one offer at a time, and a retransmitted offer is answered once", async () => {
    const refused = Promise.withResolvers<void>();
    const far = await startSocketCarrier("tcp", (message, send) => {
      answerCalls(OFFER)(message, send);
      const update = (cseq: number) => send(requestInDialog(far.heard[0] ?? "", "UPDATE", cseq, { sdp: HELD }));
      if (message.startsWith("ACK ")) for (const cseq of [1, 1, 2]) update(cseq);
      if (!message.startsWith("SIP/2.0 ")) return;
      if (fieldOf(message, "CSeq") === "2 UPDATE") refused.resolve();
      if (fieldOf(message, "CSeq") === "1 UPDATE") update(3);
      if (fieldOf(message, "CSeq") === "3 UPDATE") send(requestInDialog(far.heard[0] ?? "", "BYE", 4));
    });
    bench.add(() => far.close());
    const { ended } = dial(await bench.trunks([trunkTo(far.port, { transport: "tcp" })]), {
      renegotiate: () => refused.promise.then(() => HELD),
    });
    expect(await ended).toMatchObject({ by: "callee", answered: true });
    const answers = far.heard.filter((message) => message.startsWith("SIP/2.0 ") && fieldOf(message, "CSeq").endsWith("UPDATE"));
    expect(answers.map((message) => [message.slice(8, 11), fieldOf(message, "CSeq")])).toEqual([
      ["500", "2 UPDATE"],
      ["200", "1 UPDATE"],
      ["200", "3 UPDATE"],
    ]);
    expect(Number(fieldOf(answers[0] ?? "", "Retry-After"))).toBeLessThanOrEqual(10);
  });

  it("cancelled while its offer is being read leaves media and target as they were", async () => {
    const elsewhere = OFFER.replace("m=audio 30000", "m=audio 40000");
    const read = Promise.withResolvers<string>();
    const offers: string[] = [];
    const far = await startSocketCarrier("tcp", (message, send) => {
      const ask = (method: string, cseq: number, sdp = ""): string => requestInDialog(far.heard[0] ?? "", method, cseq, { sdp });
      answerCalls(OFFER)(message, send);
      if (message.startsWith("ACK ") && fieldOf(message, "CSeq") === "1 ACK") {
        send(ask("INVITE", 5, elsewhere).replace("carrier@", "elsewhere@"));
        send(ask("CANCEL", 5).replace("z9hG4bKCANCEL", "z9hG4bKINVITE"));
      }
      if (message.startsWith("SIP/2.0 487")) {
        read.resolve(HELD);
        send(ask("UPDATE", 6, HELD));
      }
    });
    bench.add(() => far.close());
    const { call, answered } = dial(await bench.trunks([trunkTo(far.port, { transport: "tcp" })]), {
      renegotiate: (sdp) => {
        offers.push(sdp);
        return sdp === elsewhere ? read.promise : Promise.resolve(HELD);
      },
    });
    await answered;
    const responses = () => far.heard.filter((message) => message.startsWith("SIP/2.0 ")).map((message) => message.slice(8, 11));
    await expect.poll(responses).toEqual(["200", "487", "200"]);
    // The answer's own description again, which also outdates the one that is still being read.
    expect(offers).toEqual([elsewhere, OFFER, HELD]);
    await call.hangUp();
    expect(far.heard.at(-1)).toMatch(/^BYE sip:carrier@/);
  });

  it("ignores an UPDATE without To", async () => {
    const far = await startSocketCarrier("tcp", (message, send) => {
      answerCalls(OFFER)(message, send);
      const invite = far.heard[0] ?? "";
      if (!message.startsWith("ACK ")) return;
      send(requestInDialog(invite, "UPDATE", 1).replace(/^To: .*\r\n/m, ""));
      send(requestInDialog(invite, "BYE", 2));
    });
    bench.add(() => far.close());
    const { ended } = dial(await bench.trunks([trunkTo(far.port, { transport: "tcp" })]));
    expect(await ended).toMatchObject({ by: "callee", answered: true });
    expect(far.heard.filter((message) => fieldOf(message, "CSeq").endsWith("UPDATE"))).toEqual([]);
  });
});
