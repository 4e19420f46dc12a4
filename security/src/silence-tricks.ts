import { setTimeout as pause } from "node:timers/promises";
import { openTestBrowser, type TestBrowser } from "@farline/voice/test/test-browser.ts";
import { Line } from "./attacker.ts";
import type { ConnectedCall, Trick, Turn } from "./trick.ts";
import { until } from "./until.ts";

const KIND = "silence that nobody pays for";
/** The exchange gives up a caller who was never heard after 5 s, one who vanished after 45 s, and a called side after 30 s. */
const LIMITS_MS = { neverHeard: 5_000, vanished: 45_000, calledSide: 30_000 };
const GRACE_MS = 8_000;
const FRAME = Buffer.alloc(160, 0xff);
const FRAME_MS = 20;
/** Of the phone network's lines, the one that answers and sends nothing. */
const SILENT_LINE = "+442079460003";

async function cut(turn: Turn, { number }: Pick<ConnectedCall, "number">, afterMs: number): Promise<void> {
  const isOver = () => turn.installation.sandbox.network.calls({ number }).every((call) => call.state === "ended");
  turn.check("the call is given up", await until(isOver, afterMs + GRACE_MS));
}

/** A call with sound. */
async function talk(turn: Turn, number?: string): Promise<{ call: ConnectedCall; browser: TestBrowser }> {
  const browser = await openTestBrowser();
  const { client } = await turn.attacker.line();
  const call = await turn.connect({ line: new Line(client, browser.offerSdp), number });
  const media = client.received.find((one) => one.method === "telnyx_rtc.media" && one.params?.["callID"] === call.callID);
  await browser.connect(String(media?.params?.["sdp"]));
  await browser.send(FRAME);
  return { call, browser };
}

/** Whatever these cost the carrier, the comparison of its list with the ledger finds. */
export const silenceTricks: readonly Trick[] = [
  {
    kind: KIND,
    name: "never connecting any sound",
    async play(turn) {
      await cut(turn, await turn.connect(), LIMITS_MS.neverHeard);
    },
  },
];

/** They take as long as the exchange waits, so only at full size. */
export const longSilenceTricks: readonly Trick[] = [
  {
    kind: KIND,
    name: "speaking, and then vanishing without a word",
    async play(turn) {
      const { call, browser } = await talk(turn);
      for (let frames = 0; frames < 100; frames += 1) {
        await browser.send(FRAME);
        await pause(FRAME_MS);
      }
      browser.handOver();
      await cut(turn, call, LIMITS_MS.vanished);
    },
  },
  {
    kind: KIND,
    name: "speaking to an accomplice who sends nothing",
    async play(turn) {
      const { call, browser } = await talk(turn, SILENT_LINE);
      const speech = setInterval(() => void browser.send(FRAME).catch(() => undefined), FRAME_MS);
      await cut(turn, call, LIMITS_MS.calledSide);
      clearInterval(speech);
      await browser.close();
    },
  },
];
