import { afterEach, describe, expect, it } from "vitest";
import { answerCalls, fieldOf, replyTo, type SocketCarrier, startSocketCarrier } from "../../test/socket-carrier.ts";
import { dial, OFFER, SipBench, trunkTo } from "../../test/sip-bench.ts";
import { readStoredCall } from "./stored-call.ts";

const bench = new SipBench();
afterEach(() => bench.end());

describe("a call of an earlier process that was not answered", () => {
  it.each([
    ["is cancelled", "487 Request Terminated", ["CANCEL", "ACK"]],
    ["is hung up if the answer crosses the CANCEL", "200 OK", ["CANCEL", "ACK", "BYE"]],
  ])("%s", async (_, final, methods) => {
    const far: SocketCarrier = await startSocketCarrier("udp", (message, send) => {
      const ringing = { headers: [`Contact: <sip:carrier@127.0.0.1:${far.port}>`] };
      if (message.startsWith("INVITE ")) return send(replyTo(message, "180 Ringing", ringing));
      if (message.startsWith("CANCEL ")) send(replyTo(far.heard[0] ?? "", final, { ...ringing, sdp: OFFER }));
      answerCalls(OFFER)(message, send);
    });
    bench.add(() => far.close());
    const { rang, stored } = dial(await bench.trunks([trunkTo(far.port)]));
    await rang;
    const next = await bench.trunks([trunkTo(far.port)]);
    await next.endDialog(await stored);
    const heard = (): string[] => far.heard.slice(1).map((message) => message.slice(0, message.indexOf(" ")));
    await expect.poll(heard).toEqual(methods);
    const branch = (message: string | undefined): string => /branch=(\w+)/.exec(fieldOf(message ?? "", "Via"))?.[1] ?? "";
    expect(branch(far.heard[1])).toBe(branch(far.heard[0]));
  });
});

it.each(["", "null", "{}", '{"trunk":"a","invite":"OPTIONS sip:a SIP/2.0","dialog":null}'])("%j is no stored call", (text) => {
  expect(readStoredCall(text)).toBeNull();
});
