import { afterEach, describe, expect, it } from "vitest";
import { once, startLossyRelay } from "../../../test/network/lossy-relay.ts";
import { dial, SipBench, trunkTo } from "../../../test/sip-bench.ts";

const bench = new SipBench();
afterEach(() => bench.end());

describe("lost datagrams", () => {
  it.each([
    ["INVITE", once(/^INVITE /, "caller")],
    ["answer", once(/^SIP\/2.0 200 OK[\s\S]*CSeq: 1 INVITE/, "carrier")],
    ["BYE", once(/^BYE /, "caller")],
  ])("a call succeeds although the first %s is lost", async (_, lose) => {
    const far = await bench.carrier("answer-wait-bye");
    const relay = await startLossyRelay(far.port, lose);
    bench.add(() => relay.close());
    const { call, answered } = dial(await bench.trunks([trunkTo(relay.port)]));
    await answered;
    await call.hangUp();
    await far.done;
    expect(relay.dropped).toHaveLength(1);
  });

  it("a retransmitted 200 is acknowledged again when the first ACK is lost", async () => {
    const far = await bench.carrier("answer-then-bye");
    const relay = await startLossyRelay(far.port, once(/^ACK /, "caller"));
    bench.add(() => relay.close());
    const { ended, heard } = dial(await bench.trunks([trunkTo(relay.port)]));
    expect(await ended).toMatchObject({ by: "callee", answered: true });
    await far.done;
    expect(heard).toEqual(["180", "answer", "end"]);
    expect(relay.dropped).toHaveLength(1);
  });

  it("a retransmitted final response is acknowledged again when the first ACK is lost", async () => {
    const far = await bench.carrier("refuse", { status: "486", phrase: "Busy Here" });
    const relay = await startLossyRelay(far.port, once(/^ACK /, "caller"));
    bench.add(() => relay.close());
    const { ended } = dial(await bench.trunks([trunkTo(relay.port)]));
    expect(await ended).toMatchObject({ sipStatus: 486 });
    await far.done;
    expect(relay.dropped).toHaveLength(1);
  });

  it("a retransmitted BYE gets a 200 when the first one was lost", async () => {
    const far = await bench.carrier("answer-then-bye");
    const relay = await startLossyRelay(far.port, once(/^SIP\/2.0 200 OK[\s\S]*CSeq: 1 BYE/, "caller"));
    bench.add(() => relay.close());
    const { ended } = dial(await bench.trunks([trunkTo(relay.port)]));
    expect(await ended).toMatchObject({ by: "callee", answered: true });
    await far.done;
    expect(relay.dropped).toHaveLength(1);
  });
});
