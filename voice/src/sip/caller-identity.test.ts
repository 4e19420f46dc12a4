import { createSocket } from "node:dgram";
import { afterEach, describe, expect, it } from "vitest";
import { dial, OWN_NUMBER, SipBench, trunkTo } from "../../test/sip-bench.ts";

const CUSTOMERS = "+13035550100";
const bench = new SipBench();
afterEach(() => bench.end());

/** A carrier that is always busy, and what it was sent. */
async function listener(): Promise<{ port: number; invite: Promise<string> }> {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  bench.add(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  const invite = new Promise<string>((resolve) =>
    socket.once("message", (datagram, { port, address }) => {
      const [, ...headers] = String(datagram).split("\r\n");
      const kept = headers.filter((line) => /^(?:via|from|to|call-id|cseq):/i.test(line));
      const answer = ["SIP/2.0 486 Busy Here", ...kept, "Content-Length: 0", "", ""]
        .join("\r\n")
        .replace(/^(To:.*)$/im, "$1;tag=busy");
      socket.send(answer, port, address);
      resolve(String(datagram));
    }),
  );
  return { port: socket.address().port, invite };
}

function identityIn(invite: string): { from: string | undefined; asserted: string | undefined } {
  return {
    from: /^From:.*<sip:([^@]+)@/im.exec(invite)?.[1],
    asserted: /^P-Asserted-Identity: (.*)\r$/im.exec(invite)?.[1],
  };
}

describe("an INVITE with a customer's number", () => {
  it.each([
    ["from_and_asserted", { from: CUSTOMERS, asserted: `<sip:${CUSTOMERS}@127.0.0.1;user=phone>` }],
    ["asserted", { from: OWN_NUMBER, asserted: `<sip:${CUSTOMERS}@127.0.0.1;user=phone>` }],
    ["never", { from: OWN_NUMBER, asserted: undefined }],
  ] as const)("follows the trunk's rule %s", async (customerNumbers, identity) => {
    const carrier = await listener();
    dial(await bench.trunks([trunkTo(carrier.port, { customerNumbers })]), { from: CUSTOMERS });
    expect(identityIn(await carrier.invite)).toEqual(identity);
  });

  it("asserts nothing for the exchange's own number", async () => {
    const carrier = await listener();
    dial(await bench.trunks([trunkTo(carrier.port, { customerNumbers: "from_and_asserted" })]));
    expect(identityIn(await carrier.invite)).toEqual({ from: OWN_NUMBER, asserted: undefined });
  });

  it("tells which number was shown, after a fail-over too", async () => {
    const broken = await bench.carrier("refuse", { status: "503", phrase: "Service Unavailable" });
    const good = await bench.carrier("answer-wait-bye");
    const trunks = await bench.trunks([trunkTo(broken.port, { customerNumbers: "asserted" }), trunkTo(good.port)]);
    const { call, shown } = dial(trunks, { from: CUSTOMERS });
    expect(await shown).toBe(OWN_NUMBER);
    await call.hangUp();
    await good.done;
  });
});
