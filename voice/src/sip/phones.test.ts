import { readPem } from "@farline/sip/test/tls/pem.ts";
import { afterEach, describe, expect, test } from "vitest";
import { Baresip, BARESIP_HERTZ } from "../../test/phones/baresip.ts";
import { openEchoingBrowser } from "../../test/phones/echoing-browser.ts";
import { Kamailio } from "../../test/proxies/kamailio.ts";
import { Linphone } from "../../test/phones/linphone.ts";
import { carrierScript, sdp, type Step } from "../../test/scenarios/carrier-script.ts";
import { startScript } from "../../test/sipp.ts";
import { CALLER_HERTZ, PhoneCall } from "../../test/phones/phone-call.ts";
import { share, toneFrames } from "../../test/tone.ts";

const LINPHONE_HERTZ = 440;
/** Of the energy: the rest is quantisation and the beginning of the tone. */
const CLEAR = 0.9;
/** Opus keeps speech, not tones. */
const CLEAR_IN_OPUS = 0.7;
const QUIET = 50;
const PATIENCE = { timeout: 15_000, interval: 200 };
const BY_CALLEE = { hangup_cause: "normal_clearing", hangup_source: "callee" };

let call: PhoneCall | null = null;
afterEach(async () => {
  await call?.close();
  call = null;
});

async function toBaresip(...[phone, trunk]: [Parameters<typeof Baresip.start>[0], Parameters<typeof PhoneCall.to>[1]?]) {
  const baresip = await Baresip.start(phone);
  call = await PhoneCall.to(baresip, trunk);
  return { baresip, call };
}

async function toLinphone(options: { answers?: boolean } = {}) {
  const linphone = await Linphone.start(toneFrames(LINPHONE_HERTZ, 20), options);
  call = await PhoneCall.to(linphone);
  return { linphone, call };
}

describe("a call to baresip, which echoes", () => {
  test.each([
    ["pcmu/8000/1", "udp"],
    ["pcma/8000/1", "udp"],
    ["pcmu/8000/1", "tcp"],
  ] as const)("is heard in both directions with %s over %s, until the phone hangs up", async (codec, transport) => {
    const { baresip, call } = await toBaresip({ codec }, { transport });
    await call.answered();
    await expect.poll(() => call.heard(CALLER_HERTZ), PATIENCE).toBeGreaterThan(CLEAR);
    await baresip.press("hangup");
    expect(await call.end()).toMatchObject(BY_CALLEE);
  });

  test("is heard in both directions in Opus, which the exchange passes on unchanged", async () => {
    const baresip = await Baresip.start({ codec: "opus/48000/2" });
    call = await PhoneCall.to(baresip, { opus: true }, { browser: await openEchoingBrowser() });
    await call.answered();
    // Its own tone, back from the caller.
    await expect.poll(async () => share(await baresip.lastSecond(), BARESIP_HERTZ), PATIENCE).toBeGreaterThan(CLEAR_IN_OPUS);
    await baresip.press("hangup");
    expect(await call.end()).toMatchObject(BY_CALLEE);
  });

  test("is heard after an answer that follows the phone's early media", async () => {
    const { baresip, call } = await toBaresip({ answer: "early" });
    await baresip.untilRinging();
    expect(call.exchange.webhooks.received.some(({ type }) => type === "call.answered")).toBe(false);
    await baresip.press("accept");
    await call.answered();
    await expect.poll(() => call.heard(CALLER_HERTZ), PATIENCE).toBeGreaterThan(CLEAR);
  });

  test("is silent while the phone holds it, and goes on afterwards", async () => {
    const { baresip, call } = await toBaresip({});
    await call.answered();
    await expect.poll(() => call.heard(CALLER_HERTZ), PATIENCE).toBeGreaterThan(CLEAR);
    await baresip.press("hold");
    await expect.poll(() => call.loudnessNow(), PATIENCE).toBeLessThan(QUIET);
    await baresip.press("resume");
    await baresip.press("hangup");
    expect(await call.end()).toMatchObject(BY_CALLEE);
  });

  test("is busy if the phone rejects it", async () => {
    const { baresip, call } = await toBaresip({ answer: "manual" });
    await baresip.untilRinging();
    await baresip.press("hangup");
    expect(await call.end()).toMatchObject({ hangup_cause: "user_busy", hangup_source: "callee" });
  });

  test("stops ringing if the caller hangs up", async () => {
    const { baresip, call } = await toBaresip({ answer: "manual" });
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

  test("is silent while it is held, and heard again after it is resumed", async () => {
    const answered: readonly Step[] = [{ recv: "INVITE" }, { reply: "200 OK", sdp: at("sendrecv") }, { recv: "ACK" }, LISTENING];
    const held: readonly Step[] = [...reinvite(1, "sendonly"), LISTENING, ...reinvite(2, "sendrecv")];
    const carrier = await startScript(carrierScript([...answered, ...held, { recv: "BYE" }, { reply: "200 OK" }]), {
      echo: true,
    });
    const placed = await PhoneCall.to(carrier);
    call = placed;
    await placed.answered();
    await expect.poll(() => placed.heard(CALLER_HERTZ), PATIENCE).toBeGreaterThan(CLEAR);
    await expect.poll(() => placed.loudnessNow(), PATIENCE).toBeLessThan(QUIET);
    await expect.poll(() => placed.heard(CALLER_HERTZ), PATIENCE).toBeGreaterThan(CLEAR);
    await placed.hangUp();
    await carrier.done;
  });
});

describe("a call to linphone", () => {
  test("is heard in both directions, until the phone hangs up", async () => {
    const { linphone, call } = await toLinphone();
    await call.answered();
    await expect.poll(() => call.heard(LINPHONE_HERTZ), PATIENCE).toBeGreaterThan(CLEAR);
    await expect.poll(async () => share(await linphone.lastSecond(), CALLER_HERTZ), PATIENCE).toBeGreaterThan(CLEAR);
    linphone.type("terminate");
    expect(await call.end()).toMatchObject(BY_CALLEE);
  });

  test("is refused if the phone declines it", async () => {
    const { linphone, call } = await toLinphone({ answers: false });
    await linphone.untilRinging();
    linphone.type("terminate");
    expect(await call.end()).toMatchObject({ hangup_cause: "call_rejected", hangup_source: "callee" });
  });

  test("stops ringing if the caller hangs up", async () => {
    const { linphone, call } = await toLinphone({ answers: false });
    await linphone.untilRinging();
    await call.hangUp();
    expect(await call.end()).toMatchObject({ hangup_cause: "originator_cancel", hangup_source: "caller" });
  });
});

describe("a call through a Kamailio proxy that asks for a password and stays on the route", () => {
  test.each([
    ["MD5", "udp"],
    ["SHA-256", "udp"],
    ["SHA-256", "tcp"],
    ["SHA-256", "tls"],
  ] as const)("is heard in both directions with %s over %s, until the phone hangs up", async (algorithm, transport) => {
    const baresip = await Baresip.start();
    const proxy = await Kamailio.startWithDigest(algorithm, transport, baresip.port);
    const [ca, cert, key] = await Promise.all(["ca.pem", "exchange.pem", "exchange.key"].map(readPem));
    if (cert === undefined || key === undefined) throw new Error("The certificates are not here.");
    const placed = await PhoneCall.to(
      { port: transport === "tls" ? proxy.port + 1 : proxy.port, stop: () => Promise.all([proxy.stop(), baresip.stop()]) },
      { transport, host: "localhost", tls: { ca }, username: "farline", password: "secret" },
      { tls: { port: 0, cert, key } },
    );
    call = placed;
    await placed.answered();
    await expect.poll(() => placed.heard(CALLER_HERTZ), PATIENCE).toBeGreaterThan(CLEAR);
    await baresip.press("hangup");
    expect(await placed.end()).toMatchObject(BY_CALLEE);
  });
});
