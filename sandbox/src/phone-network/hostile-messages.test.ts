import { fc, test } from "@fast-check/vitest";
import { pino } from "pino";
import { expect, it } from "vitest";
import { TestCaller } from "../../test/test-caller.ts";
import { startPhoneNetwork } from "./phone-network.ts";
import { readOffer } from "./sdp.ts";

test.prop([fc.string({ maxLength: 400 }), fc.nat({ max: 300 })])(
  "reading SDP that is partly replaced by random text never throws",
  (noise, at) => {
    const sdp =
      "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\na=sendrecv\r\n";
    readOffer(sdp.slice(0, at) + noise + sdp.slice(at + 3));
  },
);

it("the phone network still answers a call after thousands of random and mangled datagrams", async () => {
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
