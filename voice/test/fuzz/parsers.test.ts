import * as fc from "fast-check";
import { Message, RtcpRrPacket, RtcpSenderInfo, RtcpSourceDescriptionPacket, RtcpSrPacket, SessionDescription } from "werift";
import { describe, expect, it, vi } from "vitest";
import { BrowserPeer } from "../../src/media/browser-peer.ts";
import { MediaError } from "../../src/media/media-plane.ts";
import { ReceiveCounters } from "../../src/media/rtp/receive-counters.ts";
import { RtcpReports } from "../../src/media/rtp/rtcp-reports.ts";
import { readRtp, writeRtpHeader } from "../../src/media/rtp/rtp-header.ts";
import { SendTimeline } from "../../src/media/rtp/send-timeline.ts";
import { sanitizeSdp } from "../../src/media/sdp/browser-sdp.ts";
import { readTrunkSdp, trunkAnswer } from "../../src/media/sdp/trunk-sdp.ts";
import { localUfragOf } from "../../src/media/webrtc-limits.ts";
import { readStoredCall } from "../../src/sip/stored-call.ts";
import { LOOPBACK } from "../loopback.ts";
import { openTestBrowser } from "../test-browser.ts";
import { FUZZ_TIMEOUT_MS, handle, inputs, inputsOf, SEED, Uncaught } from "./fuzz-run.ts";
import { hostileText } from "./hostile-tokens.ts";
import { mutatedBytes } from "./mutate-bytes.ts";
import { mutatedLines } from "./mutate-text.ts";
import { FAR_SDP } from "./sip-corpus.ts";

// No DNS queries: host names in SDP do not resolve.
vi.mock("node:dns/promises", () => ({ lookup: () => Promise.reject(new Error("no such name")) }));

/** Each opens a socket. */
const OFFERS_IN_FULL = 120;

function isRefusal(error: unknown): boolean {
  if (error instanceof MediaError && error.code === "bad_sdp") return true;
  throw error;
}

/** werift has no error class for invalid SDP, so any error counts as a refusal. */
function readLikeTheLibrary(sdp: string): void {
  try {
    SessionDescription.parse(sanitizeSdp(sdp));
  } catch {
    // Counts as a refusal of the offer.
  }
}

describe(`parsers with hostile input (seed ${SEED})`, { timeout: FUZZ_TIMEOUT_MS }, () => {
  it("parse or refuse a carrier's SDP", async () => {
    const own = { address: "127.0.0.1", port: 4_000, sessionId: 1 };
    const corpus = [FAR_SDP, FAR_SDP.replace("PCMU/8000", "opus/48000/2")];
    for (const sdp of inputs(mutatedLines(corpus), inputsOf(15))) {
      for (const codec of ["g711", "opus"] as const) {
        let reading: Promise<unknown> = Promise.resolve();
        handle(sdp, () => (reading = readTrunkSdp(sdp, "127.0.0.1", codec).then((far) => trunkAnswer(own, far))));
        await reading.catch(isRefusal);
      }
    }
  });

  it("parse or refuse a browser's SDP, and a refused one leaks nothing", async () => {
    const uncaught = new Uncaught();
    const browser = await openTestBrowser();
    const [few, many] = [Math.min(OFFERS_IN_FULL, inputsOf(1)), inputsOf(15)];
    for (const sdp of inputs(mutatedLines([browser.offerSdp]), many)) handle(sdp, () => readLikeTheLibrary(sdp));
    const nothing = (): void => undefined;
    const events = {
      rtp: nothing,
      rtcp: nothing,
      reached: nothing,
      connected: nothing,
      failed: nothing,
      closing: nothing,
      refused: nothing,
    };
    const sockets = openSockets();
    for (const sdp of inputs(mutatedLines([browser.offerSdp]), few)) {
      const answered = await BrowserPeer.answer(sdp, { address: LOOPBACK, port: null, codec: "g711" }, events).catch(isRefusal);
      if (typeof answered === "object") await answered.peer.close();
    }
    await expect.poll(openSockets).toBeLessThanOrEqual(sockets);
    await browser.close();
    expect(uncaught.errors).toEqual([]);
    uncaught.stop();
  });

  it("parse or drop an RTP packet, an RTCP report or a check", () => {
    const reports = new RtcpReports(new SendTimeline(), new ReceiveCounters(), "name");
    for (const packet of inputs(mutatedBytes(packets()), inputsOf(12)))
      handle(packet, () => {
        const rtp = readRtp(packet);
        if (rtp !== null) expect(rtp.payloadOffset + rtp.payload.length).toBeLessThanOrEqual(packet.length);
        reports.read(packet);
        localUfragOf(packet);
      });
  });

  it("parse or refuse a stored call", () => {
    for (const text of inputs(fc.oneof(hostileText, fc.json()), inputsOf(1))) handle(text, () => readStoredCall(text));
  });
});

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "UDPWrap").length;
}

function packets(): Buffer[] {
  const rtp = Buffer.alloc(12 + 160, 0xff);
  writeRtpHeader(rtp, { payloadType: 0, marker: true, sequence: 1, timestamp: 2, ssrc: 3 });
  const senderInfo = new RtcpSenderInfo({ ntpTimestamp: 1n, rtpTimestamp: 2, packetCount: 3, octetCount: 4 });
  const check = new Message(1, 0, Buffer.alloc(12), [
    ["USERNAME", "ours:theirs"],
    ["PRIORITY", 1],
  ]);
  return [
    rtp,
    new RtcpSrPacket({ ssrc: 1, senderInfo, reports: [] }).serialize(),
    new RtcpRrPacket({ ssrc: 1, reports: [] }).serialize(),
    new RtcpSourceDescriptionPacket({ chunks: [] }).serialize(),
    check.addMessageIntegrity(Buffer.from("secret")).addFingerprint().bytes,
  ];
}
