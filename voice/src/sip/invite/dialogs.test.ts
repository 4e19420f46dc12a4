import { afterEach, describe, expect, it } from "vitest";
import {
  type CarrierHandler,
  fieldOf,
  type SocketCarrier,
  replyTo,
  requestInDialog,
  startSocketCarrier,
} from "../../../test/socket-carrier.ts";
import { dial, HELD, OFFER, SipBench, trunkTo } from "../../../test/sip-bench.ts";

const bench = new SipBench();
afterEach(() => bench.end());

/** A carrier over TCP, where its Contact is not used. */
async function carrier(handle: CarrierHandler): Promise<SocketCarrier> {
  const started = await startSocketCarrier("tcp", handle);
  bench.add(() => started.close());
  return started;
}
const contact = { headers: ["Contact: <sip:carrier@127.0.0.1:5060>"] };
const sdp = (port: number): string => OFFER.replace("30000", String(port));
const statusesOf = (far: SocketCarrier, method: string): string[] =>
  far.heard
    .filter((message) => fieldOf(message, "CSeq").endsWith(method) && message.startsWith("SIP/"))
    .map((message) => message.slice(8, 11));

describe("a forked call", () => {
  it.each([
    ["carries its own description", sdp(40_002), 40_002],
    ["has the description of its early media", "", 40_004],
  ])("plays the early media that came last, then the fork that answered, whose answer %s", async (_, answerSdp, port) => {
    const far = await carrier((message, send) => {
      if (message.startsWith("BYE ")) send(replyTo(message, "200 OK"));
      if (!message.startsWith("INVITE ")) return;
      send(replyTo(message, "183 Session Progress", { ...contact, sdp: sdp(40_000), tag: "one" }));
      send(replyTo(message, "199 Early Dialog Terminated", { ...contact, tag: "one" }));
      send(replyTo(message, "183 Session Progress", { ...contact, sdp: sdp(40_004), tag: "two" }));
      send(replyTo(message, "183 Session Progress", { ...contact, sdp: sdp(40_004), tag: "two" }));
      send(replyTo(message, "200 OK", { ...contact, sdp: answerSdp, tag: "two" }));
    });
    const { call, heard, answered } = dial(await bench.trunks([trunkTo(far.port, { transport: "tcp" })]));
    expect(await answered).toContain(`m=audio ${port} `);
    expect(heard).toEqual(["183 sdp", "183 sdp", "183", "answer"]);
    await call.hangUp();
    expect(fieldOf(far.heard.at(-1) ?? "", "To")).toContain("tag=two");
  });
});

it("a call that the far end hangs up before its answer arrives is over, and is cancelled", async () => {
  const far = await carrier((message, send) => {
    if (message.startsWith("INVITE "))
      send(
        replyTo(message, "180 Ringing", contact) + requestInDialog(message, "BYE", 1, { headers: ["Reason: Q.850;cause=16"] }),
      );
    else if (message.startsWith("CANCEL "))
      send(replyTo(message, "200 OK") + replyTo(far.heard[0] ?? "", "487 Request Terminated"));
  });
  const { ended } = dial(await bench.trunks([trunkTo(far.port, { transport: "tcp" })]));
  expect(await ended).toMatchObject({ by: "callee", answered: false, sipStatus: 480, q850Cause: 16 });
  await expect.poll(() => far.heard.map((message) => message.split(" ")[0])).toContain("CANCEL");
  expect(statusesOf(far, "1 BYE")).toEqual(["200"]);
});

describe("a request of the carrier", () => {
  async function afterAnswer(request: (invite: string) => string): Promise<SocketCarrier> {
    const far = await carrier((message, send) => {
      if (message.startsWith("INVITE ")) send(replyTo(message, "200 OK", { ...contact, sdp: OFFER }));
      if (message.startsWith("ACK ")) send(request(far.heard[0] ?? ""));
      if (message.startsWith("BYE ")) send(replyTo(message, "200 OK"));
    });
    const trunks = await bench.trunks([trunkTo(far.port, { transport: "tcp" })]);
    await dial(trunks, { renegotiate: async () => HELD }).answered;
    return far;
  }

  it.each(["INVITE", "UPDATE", "BYE"])("gets 420 when %s requires an unsupported extension", async (method) => {
    const far = await afterAnswer((invite) => requestInDialog(invite, method, 1, { headers: ["Require: timer, precondition"] }));
    await expect.poll(() => statusesOf(far, `1 ${method}`)).toContain("420");
    expect(far.heard.find((message) => message.startsWith("SIP/2.0 420 "))).toContain("Unsupported: precondition\r\n");
  });

  it.each(["INVITE", "UPDATE", "BYE"])("gets 481 when %s is in no dialog", async (method) => {
    const far = await afterAnswer((invite) => requestInDialog(invite, method, 2, { tag: "unknown" }));
    await expect.poll(() => statusesOf(far, `2 ${method}`)).toContain("481");
    const other = await afterAnswer((invite) =>
      requestInDialog(invite, method, 3)
        .replace(/ sip:trunk\d+@/, " sip:trunk99@")
        .replace(/Call-ID: .*/, "Call-ID: nobody's"),
    );
    await expect.poll(() => statusesOf(other, `3 ${method}`)).toContain("481");
  });
});
