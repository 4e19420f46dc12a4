import { randomUUID } from "node:crypto";
import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { BrowserPhone } from "../../test/audio-ends.ts";
import { Baresip, BARESIP_NUMBER } from "../../test/baresip.ts";
import { LOOPBACK } from "../../test/loopback.ts";
import { silentLog } from "../../test/scripted-ports.ts";
import { trunkTo } from "../../test/sip-bench.ts";
import { testExchange, type TestExchange } from "../../test/test-exchange.ts";
import { loudness, share, toneFrames } from "../../test/tone.ts";
import { createMediaPlane } from "../media/create-media-plane.ts";
import { createTrunks } from "./create-trunks.ts";
import type { TrunkConfig } from "./trunk.ts";

const HERTZ = 700;
/** Of the energy: the rest is quantisation and the beginning of the tone. */
const CLEAR = 0.9;
const QUIET = 50;
const WINDOW_MS = 250;
const PATIENCE = { timeout: 15_000, interval: 200 };

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** An exchange whose trunk leads to a baresip phone, and a browser that calls it. */
async function call(phone: Parameters<typeof Baresip.start>[0], trunk: Partial<TrunkConfig> = {}) {
  const baresip = await Baresip.start(phone);
  cleanups.push(() => baresip.stop());
  const media = await createMediaPlane({ mediaAddress: LOOPBACK, rtpAddress: LOOPBACK, log: silentLog });
  cleanups.push(() => media.close());
  const options = { address: LOOPBACK, port: 0, exchangeNumber: "+12025550143", log: silentLog };
  const trunks = await createTrunks([trunkTo(baresip.port, trunk)], options);
  cleanups.push(() => trunks.close());
  const exchange: TestExchange = await testExchange({ media, network: trunks });
  cleanups.push(() => exchange.close());
  const client = await exchange.browser();
  const browser = new BrowserPhone(toneFrames(HERTZ, 1));
  cleanups.push(() => browser.close());
  const callId = randomUUID();
  await client.invite(callId, await browser.offer());
  const { payload } = await exchange.webhooks.next("call.initiated");
  await browser.accept(String((await client.next("media")).params?.["sdp"]));
  await exchange.telnyx.calls.actions.transfer(String(payload["call_control_id"]), { to: BARESIP_NUMBER, time_limit_secs: 60 });
  return { baresip, browser, client, callId, exchange };
}

/** How much of what the caller hears is their own tone, which the phone echoes. */
const echoed = ({ heard }: BrowserPhone) => share(heard.lastSecond, HERTZ);

/** The loudness of what arrives in a quarter of a second from now. */
async function loudnessNow({ heard }: BrowserPhone): Promise<number> {
  heard.clear();
  await setTimeoutAsync(WINDOW_MS);
  return loudness(heard.lastSecond);
}

describe("a call to baresip", () => {
  test.each(["pcmu/8000/1", "pcma/8000/1"] as const)(
    "is heard in both directions with %s, until the phone hangs up",
    async (codec) => {
      const { baresip, browser, client, exchange } = await call({ codec });
      await client.next("answer");
      await expect.poll(() => echoed(browser), PATIENCE).toBeGreaterThan(CLEAR);
      await baresip.press("hangup");
      expect(await farEnd(exchange)).toMatchObject({ hangup_cause: "normal_clearing", hangup_source: "callee" });
    },
  );

  test("is heard after an answer that follows the phone's early media", async () => {
    const { baresip, browser, client, exchange } = await call({ answer: "early" });
    await baresip.untilRinging();
    expect(exchange.webhooks.received.some(({ type }) => type === "call.answered")).toBe(false);
    await baresip.press("accept");
    await client.next("answer");
    await expect.poll(() => echoed(browser), PATIENCE).toBeGreaterThan(CLEAR);
  });

  test("is silent while the phone holds it, and goes on afterwards", async () => {
    const { baresip, browser, client, exchange } = await call({});
    await client.next("answer");
    await expect.poll(() => echoed(browser), PATIENCE).toBeGreaterThan(CLEAR);
    await baresip.press("hold");
    await expect.poll(() => loudnessNow(browser), PATIENCE).toBeLessThan(QUIET);
    await baresip.press("resume");
    await baresip.press("hangup");
    expect(await farEnd(exchange)).toMatchObject({ hangup_cause: "normal_clearing", hangup_source: "callee" });
  });

  test("is busy if the phone rejects it", async () => {
    const { baresip, exchange } = await call({ answer: "manual" });
    await baresip.untilRinging();
    await baresip.press("hangup");
    expect(await farEnd(exchange)).toMatchObject({ hangup_cause: "user_busy", hangup_source: "callee" });
  });

  test("stops ringing if the caller hangs up", async () => {
    const { baresip, client, callId, exchange } = await call({ answer: "manual" });
    await baresip.untilRinging();
    await client.bye(callId);
    expect(await farEnd(exchange)).toMatchObject({ hangup_cause: "originator_cancel", hangup_source: "caller" });
    await baresip.untilIdle();
  });
});

/** The report of the far leg's end. */
async function farEnd(exchange: TestExchange) {
  return (await exchange.webhooks.next("call.hangup", ({ payload }) => payload["to"] === BARESIP_NUMBER)).payload;
}
