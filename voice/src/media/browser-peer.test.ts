import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { afterEach, expect, it } from "vitest";
import { LOOPBACK } from "../../test/loopback.ts";
import { openTestBrowser } from "../../test/test-browser.ts";
import { BrowserPeer } from "./browser-peer.ts";

const cleanups = new Cleanups();
afterEach(() => cleanups.end());

it("reports that ICE has connected before the keys are agreed, and not before the browser has checked the path", async () => {
  const browser = await openTestBrowser();
  cleanups.add(() => browser.close());
  const events: string[] = [];
  const note = (event: string) => () => void events.push(event);
  const { peer, answerSdp } = await BrowserPeer.answer(
    browser.offerSdp,
    { address: LOOPBACK, port: null, codec: "g711" },
    {
      ...{ rtp: note("rtp"), rtcp: () => undefined, reached: note("reached"), connected: note("connected") },
      ...{ failed: note("failed"), closing: note("closing"), refused: note("refused") },
    },
  );
  cleanups.add(() => peer.close());
  expect(events).toEqual([]);
  await browser.connect(answerSdp);
  await expect.poll(() => events).toEqual(["reached", "connected"]);
});
