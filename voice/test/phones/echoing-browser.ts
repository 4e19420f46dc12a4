import { openTestBrowser } from "../test-browser.ts";

const FRAME_MS = 20;
/** 20 ms of silence (RFC 6716 §3.1), by which the exchange hears the browser. */
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

/** A caller in Opus who sends back what they hear, and silence before. */
export async function openEchoingBrowser() {
  const browser = await openTestBrowser(true);
  let echoed = 0;
  let timer: NodeJS.Timeout | undefined;
  const echo = async (): Promise<void> => {
    const frames = browser.heard.slice(echoed).map(({ payload }) => payload);
    echoed += frames.length;
    for (const frame of echoed === 0 ? [SILENCE] : frames) await browser.send(frame);
  };
  return {
    offer: async () => browser.offerSdp,
    async accept(answerSdp: string): Promise<void> {
      await browser.connect(answerSdp);
      timer = setInterval(() => void echo(), FRAME_MS);
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await browser.close();
    },
  };
}
