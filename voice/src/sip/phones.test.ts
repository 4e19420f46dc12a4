import { readPem } from "@farline/sip/test/tls/pem.ts";
import { afterAll, beforeAll, describe, test as base } from "vitest";
import { Baresip, BARESIP_HERTZ } from "../../test/phones/baresip.ts";
import { openEchoingBrowser } from "../../test/phones/echoing-browser.ts";
import { Kamailio } from "../../test/proxies/kamailio.ts";
import { Linphone } from "../../test/phones/linphone.ts";
import { OpusCaller } from "../../test/phones/opus-caller.ts";
import { sdp, type Step } from "../../test/scenarios/carrier-script.ts";
import { ack, invite, ourBye } from "../../test/scenarios/scenario.ts";
import { startCarrier } from "../../test/sipp.ts";
import { CALLER_HERTZ, PhoneCall } from "../../test/phones/phone-call.ts";
import { openPlane } from "../../test/media-harness.ts";
import { clearestShare, toneFrames } from "../../test/tone.ts";
import type { MediaPlane } from "../media/media-plane.ts";

const LINPHONE_HERTZ = 440;
/** Of the energy: the rest is quantisation and the beginning of the tone. */
const CLEAR = 0.9;
/** Opus keeps speech, not tones. */
const CLEAR_IN_OPUS = 0.7;
const QUIET = 50;
const BY_CALLEE = { hangup_cause: "normal_clearing", hangup_source: "callee" };

type Phone = Parameters<typeof PhoneCall.to>[0];
type Trunk = Parameters<typeof PhoneCall.to>[1];
type Place = (phone: Phone, trunk?: Trunk, options?: Omit<Parameters<typeof PhoneCall.to>[2], "media">) => Promise<PhoneCall>;

let media: MediaPlane;
beforeAll(async () => {
  media = await openPlane();
});
afterAll(() => media.close());

/** Tests wait for sound most of the time, so several run at once. Each ends its own calls. */
const test = base.extend<{ place: Place }>({
  // oxlint-disable-next-line no-empty-pattern -- required by Vitest
  place: async ({}, use) => {
    const calls: PhoneCall[] = [];
    await use(async (phone, trunk = {}, options = {}) => {
      const call = await PhoneCall.to(phone, trunk, { media, ...options });
      calls.push(call);
      return call;
    });
    for (const call of calls) await call.close();
  },
});

async function toBaresip(place: Place, phone: Parameters<typeof Baresip.start>[0], trunk: Trunk = {}) {
  const baresip = await Baresip.start(phone);
  return { baresip, call: await place(baresip, trunk) };
}

async function toLinphone(place: Place, options: { answers?: boolean } = {}) {
  const linphone = await Linphone.start(toneFrames(LINPHONE_HERTZ, 20), options);
  return { linphone, call: await place(linphone) };
}

describe("a call to baresip, which echoes", () => {
  test.concurrent.for([
    ["pcmu/8000/1", "udp"],
    ["pcma/8000/1", "udp"],
    ["pcmu/8000/1", "tcp"],
  ] as const)(
    "is heard in both directions with %s over %s, until the phone hangs up",
    async ([codec, transport], { place, expect }) => {
      const { baresip, call } = await toBaresip(place, { codec }, { transport });
      await call.answered();
      await expect.poll(() => call.heard(CALLER_HERTZ)).toBeGreaterThan(CLEAR);
      await baresip.press("hangup");
      expect(await call.end()).toMatchObject(BY_CALLEE);
    },
  );

  test.concurrent("is heard in both directions in Opus, which the exchange passes on unchanged", async ({ place, expect }) => {
    const baresip = await Baresip.start({ codec: "opus/48000/2" });
    const call = await place(baresip, { opus: true }, { browser: await openEchoingBrowser() });
    await call.answered();
    // Its own tone, back from the caller.
    await expect.poll(async () => clearestShare(await baresip.lastSecond("opus"), BARESIP_HERTZ)).toBeGreaterThan(CLEAR_IN_OPUS);
    await baresip.press("hangup");
    expect(await call.end()).toMatchObject(BY_CALLEE);
  });
});

describe("an Opus call", () => {
  test.concurrent.for(["pcmu/8000/1", "pcma/8000/1"] as const)(
    "is heard in both directions by baresip, which answers in %s and echoes",
    async (codec, { place, expect }) => {
      const [baresip, browser] = await Promise.all([Baresip.start({ codec }), OpusCaller.open()]);
      const call = await place(baresip, { opus: true }, { browser });
      await call.answered();
      await expect.poll(() => browser.heard(CALLER_HERTZ)).toBeGreaterThan(CLEAR);
      await baresip.press("hangup");
      expect(await call.end()).toMatchObject(BY_CALLEE);
    },
  );

  test.concurrent("goes on in PCMU when SIPp, which echoes, changes from Opus to it", async ({ place, expect }) => {
    const inOpus = sdp(["m=audio [media_port] RTP/AVP 111", "a=rtpmap:111 opus/48000/2"]);
    const inPcmu = sdp(["m=audio [media_port] RTP/AVP 0"]);
    const [cseq, carrierTalks] = [1, { pauseMs: 1_500 }];
    const changed: readonly Step[] = [{ send: "INVITE", cseq, sdp: inPcmu }, { answered: 200 }, { send: "ACK", cseq }];
    const carrier = await startCarrier(
      [
        { recv: "INVITE", contains: "m=audio [0-9]+ RTP/AVP 111 0 8" },
        { reply: "200 OK", sdp: inOpus },
        ack,
        carrierTalks,
        ...changed,
        ...ourBye,
      ],
      { echo: true },
    );
    const browser = await OpusCaller.open();
    const call = await place(carrier, { opus: true }, { browser });
    await call.answered();
    await expect.poll(() => browser.heard(CALLER_HERTZ)).toBeGreaterThan(CLEAR);
    expect(browser.heardOpus).toBe(true);
    await call.hangUp();
    await carrier.done;
  });
});

describe("a call to baresip, whose user presses keys", () => {
  test.concurrent("is heard after an answer that follows the phone's early media", async ({ place, expect }) => {
    const { baresip, call } = await toBaresip(place, { answer: "early" });
    await baresip.untilRinging();
    expect(call.exchange.webhooks.received.some(({ type }) => type === "call.answered")).toBe(false);
    await baresip.press("accept");
    await call.answered();
    await expect.poll(() => call.heard(CALLER_HERTZ)).toBeGreaterThan(CLEAR);
  });

  test.concurrent("is silent while the phone holds it, and goes on afterwards", async ({ place, expect }) => {
    const { baresip, call } = await toBaresip(place, {});
    await call.answered();
    await expect.poll(() => call.heard(CALLER_HERTZ)).toBeGreaterThan(CLEAR);
    await baresip.press("hold");
    await expect.poll(() => call.loudnessNow()).toBeLessThan(QUIET);
    await baresip.press("resume");
    await baresip.press("hangup");
    expect(await call.end()).toMatchObject(BY_CALLEE);
  });

  test.concurrent("is busy if the phone rejects it", async ({ place, expect }) => {
    const { baresip, call } = await toBaresip(place, { answer: "manual" });
    await baresip.untilRinging();
    await baresip.press("hangup");
    expect(await call.end()).toMatchObject({ hangup_cause: "user_busy", hangup_source: "callee" });
  });

  test.concurrent("stops ringing if the caller hangs up", async ({ place, expect }) => {
    const { baresip, call } = await toBaresip(place, { answer: "manual" });
    await baresip.untilRinging();
    await call.hangUp();
    expect(await call.end()).toMatchObject({ hangup_cause: "originator_cancel", hangup_source: "caller" });
    await baresip.untilIdle();
  });
});

describe("a call to SIPp, which echoes", () => {
  const LISTENING: Step = { pauseMs: 1_500 };
  const at = (direction: string): readonly string[] => sdp(["m=audio [media_port] RTP/AVP 0", `a=${direction}`]);
  const reinvite = (cseq: number, direction: string): readonly Step[] => [
    { send: "INVITE", cseq, sdp: at(direction) },
    { answered: 200 },
    { send: "ACK", cseq },
  ];

  test.concurrent("is silent while it is held, and heard again after it is resumed", async ({ place, expect }) => {
    const answered: readonly Step[] = [invite, { reply: "200 OK", sdp: at("sendrecv") }, ack, LISTENING];
    const held: readonly Step[] = [...reinvite(1, "sendonly"), LISTENING, ...reinvite(2, "sendrecv")];
    const carrier = await startCarrier([...answered, ...held, ...ourBye], { echo: true });
    const call = await place(carrier);
    await call.answered();
    await expect.poll(() => call.heard(CALLER_HERTZ)).toBeGreaterThan(CLEAR);
    await expect.poll(() => call.loudnessNow()).toBeLessThan(QUIET);
    await expect.poll(() => call.heard(CALLER_HERTZ)).toBeGreaterThan(CLEAR);
    await call.hangUp();
    await carrier.done;
  });
});

describe("a call to linphone", () => {
  // Alone, because linphone's sound suffers on a busy machine.
  test("is heard in both directions, until the phone hangs up", async ({ place, expect }) => {
    const { linphone, call } = await toLinphone(place);
    await call.answered();
    await expect.poll(() => call.heard(LINPHONE_HERTZ)).toBeGreaterThan(CLEAR);
    await expect.poll(async () => clearestShare(await linphone.lastSecond(), CALLER_HERTZ)).toBeGreaterThan(CLEAR);
    linphone.type("terminate");
    expect(await call.end()).toMatchObject(BY_CALLEE);
  });

  test.for([
    ["PCMU", ["opus"]],
    ["PCMA", ["opus", "PCMU"]],
  ] as const)("that answers an Opus call in %s is heard in both directions", async ([, without], { place, expect }) => {
    const linphone = await Linphone.start(toneFrames(LINPHONE_HERTZ, 20), { without });
    const browser = await OpusCaller.open();
    const call = await place(linphone, { opus: true }, { browser });
    await call.answered();
    await expect.poll(() => browser.heard(LINPHONE_HERTZ)).toBeGreaterThan(CLEAR);
    await expect.poll(async () => clearestShare(await linphone.lastSecond(), CALLER_HERTZ)).toBeGreaterThan(CLEAR);
    linphone.type("terminate");
    expect(await call.end()).toMatchObject(BY_CALLEE);
  });

  test.concurrent("is refused if the phone declines it", async ({ place, expect }) => {
    const { linphone, call } = await toLinphone(place, { answers: false });
    await linphone.untilRinging();
    linphone.type("terminate");
    expect(await call.end()).toMatchObject({ hangup_cause: "call_rejected", hangup_source: "callee" });
  });

  test.concurrent("stops ringing if the caller hangs up", async ({ place, expect }) => {
    const { linphone, call } = await toLinphone(place, { answers: false });
    await linphone.untilRinging();
    await call.hangUp();
    expect(await call.end()).toMatchObject({ hangup_cause: "originator_cancel", hangup_source: "caller" });
  });
});

describe("a call through a Kamailio proxy that asks for a password and stays on the route", () => {
  test.concurrent.for([
    ["MD5", "udp"],
    ["SHA-256", "udp"],
    ["SHA-256", "tcp"],
    ["SHA-256", "tls"],
  ] as const)(
    "is heard in both directions with %s over %s, until the phone hangs up",
    async ([algorithm, transport], { place, expect }) => {
      const baresip = await Baresip.start();
      const proxy = await Kamailio.startWithDigest(algorithm, transport, baresip.port);
      const [ca, cert, key] = await Promise.all(["ca.pem", "exchange.pem", "exchange.key"].map(readPem));
      if (cert === undefined || key === undefined) throw new Error("The certificates are not here.");
      const call = await place(
        { port: transport === "tls" ? proxy.port + 1 : proxy.port, stop: () => Promise.all([proxy.stop(), baresip.stop()]) },
        { transport, host: "localhost", tls: { ca }, username: "farline", password: "secret" },
        { tls: { port: 0, cert, key } },
      );
      await call.answered();
      await expect.poll(() => call.heard(CALLER_HERTZ)).toBeGreaterThan(CLEAR);
      await baresip.press("hangup");
      expect(await call.end()).toMatchObject(BY_CALLEE);
    },
  );
});
