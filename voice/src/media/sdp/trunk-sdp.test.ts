import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { MediaError } from "../media-plane.ts";
import { holds, readTrunkSdp, trunkAnswer, trunkOffer } from "./trunk-sdp.ts";

const own = { address: "192.0.2.1", port: 20_000, sessionId: 7 };

/** Where our RTP is bound. */
const LOCAL_ADDRESS = "127.0.0.1";

function carrierSdp(lines: string[], session: string[] = ["c=IN IP4 203.0.113.5"]): string {
  return ["v=0", "o=carrier 1 1 IN IP4 203.0.113.5", "s=call", ...session, "t=0 0", ...lines, ""].join("\r\n");
}

describe("a carrier's SDP", () => {
  it("yields address, preferred codec, events, direction and RTCP port", async () => {
    const sdp = carrierSdp([
      "m=audio 5004 RTP/AVP 18 8 0 96",
      "a=rtpmap:18 G729/8000",
      "a=rtpmap:96 telephone-event/8000",
      "a=fmtp:96 0-15",
      "a=rtcp:6005",
      "a=sendonly",
    ]);
    expect(await readTrunkSdp(sdp, LOCAL_ADDRESS)).toEqual({
      rtp: { address: "203.0.113.5", port: 5_004 },
      rtcp: { address: "203.0.113.5", port: 6_005 },
      codec: "PCMA",
      payloadType: 8,
      received: new Map([
        [8, "PCMA"],
        [0, "PCMU"],
      ]),
      eventPayloadType: 96,
      direction: "sendonly",
      profile: "RTP/AVP",
      refused: { before: [], after: [] },
    });
  });

  it.each([
    [
      ["m=video 5006 RTP/AVP 96", "a=rtpmap:96 H264/90000", "m=audio 5004 RTP/AVP 0"],
      ["video 0 RTP/AVP 96", "audio"],
    ],
    [
      ["m=audio 5004 RTP/AVP 0", "m=image 5008 udptl t38", "m=application 9 TCP/BFCP *"],
      ["audio", "image 0 udptl t38", "application 0 TCP/BFCP *"],
    ],
    [
      ["m=audio 5002 RTP/SAVP 0", "m=audio 5004 RTP/AVP 0", "m=audio 5010 RTP/AVP 8"],
      ["audio 0 RTP/SAVP 0", "audio", "audio 0 RTP/AVP 8"],
    ],
    [
      ["m=audio 0 RTP/AVP 0", "m=audio 5004/2 RTP/AVP 0", "m=text 5010/1 RTP/AVP 98 99"],
      ["audio 0 RTP/AVP 0", "audio", "text 0 RTP/AVP 98 99"],
    ],
    [
      ["m=audio  5004 RTP/AVP 0 ", "m=video  5006  RTP/AVP  96", "m=application 5010 UDP/BFCP *", "m=x-odd 1 a/b/c"],
      ["audio", "video 0 RTP/AVP 96", "application 0 UDP/BFCP *", "x-odd 0 a/b/c"],
    ],
    [
      ["m=message 5012 TCP/MSRP *", "a=sendonly", "m=audio 5004 RTP/AVP 0", "m=video 0 UDP/TLS/RTP/SAVPF 96", "a=inactive"],
      ["message 0 TCP/MSRP *", "audio", "video 0 UDP/TLS/RTP/SAVPF 96"],
    ],
  ])("%j is answered line by line, in order, with all refused but the audio (RFC 3264 §6)", async (lines, expected) => {
    const answer = trunkAnswer(own, await readTrunkSdp(carrierSdp(lines), LOCAL_ADDRESS));
    const answered = [...answer.matchAll(/^m=(.*)\r$/gm)].map(([, line]) => line);
    expect(answered).toEqual(expected.map((line) => (line === "audio" ? "audio 20000 RTP/AVP 0" : line)));
    const block = answer.slice(answer.indexOf("m=audio 20000")).split(/\r\nm=/)[0];
    expect(block).toContain("a=sendrecv");
  });

  it.each([
    ["RTP/AVPF", "c=IN IP4 203.0.113.5", "sendrecv"],
    ["RTP/AVP", "c=IN IP4 0.0.0.0", "inactive"],
    ["RTP/AVP", "c=IN IP6 ::", "inactive"],
  ])("of the profile %s and %s is answered in its profile, %s", async (profile, connection, direction) => {
    const session = await readTrunkSdp(carrierSdp([`m=audio 5004 ${profile} 0`], [connection]), LOCAL_ADDRESS);
    const answer = trunkAnswer(own, session);
    expect(answer).toContain(`m=audio 20000 ${profile} 0\r\n`);
    expect(answer).toContain(`a=${direction}\r\n`);
  });

  it.each([
    ["the session", ["c=IN IP4 203.0.113.5", "t=0 0", "a=sendonly"], []],
    ["the audio, whatever the session says", ["c=IN IP4 203.0.113.5", "t=0 0", "a=inactive"], ["a=sendonly"]],
    ["the audio, not of the video", ["c=IN IP4 203.0.113.5"], ["a=sendonly", "m=video 5006 RTP/AVP 96", "a=sendrecv"]],
  ])("holds by the direction of %s", async (_, session, lines) => {
    const far = await readTrunkSdp(carrierSdp(["m=audio 5004 RTP/AVP 0", ...lines], session), LOCAL_ADDRESS);
    expect([far.direction, holds(far)]).toEqual(["sendonly", true]);
  });

  it("means key tones with 101, if it lists it without a map", async () => {
    const events = async (...lines: string[]) => (await readTrunkSdp(carrierSdp(lines), LOCAL_ADDRESS)).eventPayloadType;
    expect(await events("m=audio 5004/1 RTP/AVP 0 101")).toBe(101);
    expect(await events("m=audio 5004 RTP/AVP 0")).toBeNull();
    expect(await events("m=audio 5004 RTP/AVP 0 101", "a=rtpmap:101 G729/8000")).toBeNull();
  });

  it("prefers the media's address to the session's", async () => {
    const sdp = carrierSdp(["m=audio 5004 RTP/AVP 0", "c=IN IP4 198.51.100.7"]);
    expect(await readTrunkSdp(sdp, LOCAL_ADDRESS)).toMatchObject({
      rtp: { address: "198.51.100.7", port: 5_004 },
      rtcp: { port: 5_005 },
      eventPayloadType: null,
      direction: "sendrecv",
    });
  });

  it.each([
    ["the last port that there is", "65535", [], 65_535, 65_535],
    ["zeros in front", "005004", ["a=rtcp:005007"], 5_004, 5_007],
    ["RTCP at a port that is none", "5004", ["a=rtcp:65536"], 5_004, 5_005],
    ["RTCP at port 0", "5004", ["a=rtcp:0 IN IP4 203.0.113.9"], 5_004, 5_005],
    ["RTCP at no port", "5004", ["a=rtcp:"], 5_004, 5_005],
  ])("of %s yields ports that can be sent to", async (...[, port, lines, rtp, rtcp]) => {
    const sdp = carrierSdp([`m=audio ${port} RTP/AVP 0`, ...lines]);
    expect(await readTrunkSdp(sdp, LOCAL_ADDRESS)).toMatchObject({ rtp: { port: rtp }, rtcp: { port: rtcp } });
  });

  test.prop([fc.nat(70_000), fc.oneof(fc.integer(), fc.stringMatching(/^\d{0,8}$/))])(
    "names no port that nothing can be sent to",
    async (port, rtcp) => {
      const sdp = carrierSdp([`m=audio ${port} RTP/AVP 0`, `a=rtcp:${rtcp}`]);
      const session = await readTrunkSdp(sdp, LOCAL_ADDRESS).catch(() => null);
      for (const each of [session?.rtp?.port, session?.rtcp?.port])
        expect(each === undefined || (Number.isInteger(each) && each > 0 && each < 65_536)).toBe(true);
    },
  );

  it.each([
    ["0.0.0.0 of the session, an address of the audio", "0.0.0.0", ["c=IN IP4 203.0.113.7"], "203.0.113.7", "sendrecv"],
    ["an address of the session, 0.0.0.0 of the audio", "203.0.113.7", ["c=IN IP4 0.0.0.0"], undefined, "inactive"],
    ["no address of the session", null, ["c=IN IP4 203.0.113.7"], "203.0.113.7", "sendrecv"],
    [
      "an offer to encrypt that may be passed over",
      "203.0.113.7",
      ["a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:x"],
      "203.0.113.7",
      "sendrecv",
    ],
    ["RTCP on the same port, which we do not agree to", "203.0.113.7", ["a=rtcp-mux"], "203.0.113.7", "sendrecv"],
    ["a line for a picture without formats", "203.0.113.7", ["m=video 0 RTP/AVP"], "203.0.113.7", "sendrecv"],
  ])("may have %s", async (...[, session, lines, address, direction]) => {
    const sdp = carrierSdp(["m=audio 5004 RTP/AVP 0", ...lines], session === null ? [] : [`c=IN IP4 ${session}`]);
    const far = await readTrunkSdp(sdp, LOCAL_ADDRESS);
    expect([far.rtp?.address, far.direction]).toEqual([address, direction]);
    expect(trunkAnswer(own, far)).not.toMatch(/crypto|mux/);
  });

  it("may hold with 0.0.0.0", async () => {
    expect(await readTrunkSdp(carrierSdp(["m=audio 5004 RTP/AVP 0"], ["c=IN IP4 0.0.0.0"]), LOCAL_ADDRESS)).toMatchObject({
      rtp: null,
      direction: "inactive",
    });
  });

  it.each([
    ["another address", "203.0.113.9", "203.0.113.9"],
    ["no address", "0.0.0.0", "203.0.113.7"],
    ["no address in another spelling", "0:0::0", "203.0.113.7"],
    ["this machine", "127.0.0.1", "203.0.113.7"],
    ["another family", "2001:db8::5", "203.0.113.7"],
    ["a name", "localhost", "203.0.113.7"],
  ])("with reports to %s has them sent where audio may go", async (_what, named, sent) => {
    const lines = ["m=audio 5004 RTP/AVP 0", `a=rtcp:5009 IN ${named.includes(":") ? "IP6" : "IP4"} ${named}`];
    const far = await readTrunkSdp(carrierSdp(lines, ["c=IN IP4 203.0.113.7"]), "198.51.100.1");
    expect(far.rtcp).toEqual({ address: sent, port: 5_009 });
  });

  it("may contain a host name", async () => {
    const sdp = carrierSdp(["m=audio 5004 RTP/AVP 0"], ["c=IN IP4 localhost"]);
    expect((await readTrunkSdp(sdp, LOCAL_ADDRESS)).rtp?.address).toMatch(/^(127\.0\.0\.1|::1)$/);
  });

  it.each([
    ["no audio", carrierSdp(["m=video 5004 RTP/AVP 0"])],
    ["a refused stream", carrierSdp(["m=audio 0 RTP/AVP 0"])],
    ["SRTP", carrierSdp(["m=audio 5004 RTP/SAVP 0"])],
    ["no codec of ours", carrierSdp(["m=audio 5004 RTP/AVP 18"])],
    ["PCMU at a strange rate", carrierSdp(["m=audio 5004 RTP/AVP 97", "a=rtpmap:97 PCMU/16000"])],
    ["a host name that leads nowhere", carrierSdp(["m=audio 5004 RTP/AVP 0"], ["c=IN IP4 media.invalid"])],
    ["an address that is none", carrierSdp(["m=audio 5004 RTP/AVP 0"], ["c=IN IP4 203.0.113.500"])],
    ["a port that is none", carrierSdp(["m=audio 70000 RTP/AVP 0"])],
    ["a port with letters", carrierSdp(["m=audio 5o04 RTP/AVP 0"])],
    ["a payload type that is none", carrierSdp(["m=audio 5004 RTP/AVP 4294967296"])],
    ["audio that is none", carrierSdp(["m=au\u00ff\u00ff34718 RTP/AVP 0 8 101"])],
    ["SDES alone (RFC 4568)", carrierSdp(["m=audio 5004 RTP/SAVP 0", "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:x"])],
    ["nothing", ""],
  ])("is refused for %s", async (_, sdp) => {
    await expect(readTrunkSdp(sdp, LOCAL_ADDRESS)).rejects.toMatchObject({ code: "bad_sdp" });
  });

  test.prop([fc.string({ unit: "binary", maxLength: 400 }), fc.nat(300)])(
    "never causes any error but bad_sdp",
    async (junk, at) => {
      const sdp = carrierSdp(["m=audio 5004 RTP/AVP 0", "a=rtpmap:0 PCMU/8000"]);
      try {
        await readTrunkSdp(sdp.slice(0, at) + junk + sdp.slice(at), LOCAL_ADDRESS);
      } catch (error) {
        expect(error).toBeInstanceOf(MediaError);
      }
    },
  );
});

describe("a carrier's SDP for an Opus call", () => {
  it("yields its payload type, and events with Opus' clock rate", async () => {
    const sdp = carrierSdp([
      "m=audio 5004 RTP/AVP 0 96 97 98",
      "a=rtpmap:96 OPUS/48000/2",
      "a=rtpmap:97 telephone-event/8000",
      "a=rtpmap:98 telephone-event/48000",
    ]);
    expect(await readTrunkSdp(sdp, LOCAL_ADDRESS, "opus")).toMatchObject({
      codec: "opus",
      payloadType: 96,
      eventPayloadType: 98,
    });
    expect(await readTrunkSdp(sdp, LOCAL_ADDRESS)).toMatchObject({ codec: "PCMU", payloadType: 0, eventPayloadType: 97 });
  });

  it("may have G.711 alone, with events of its clock rate", async () => {
    const sdp = carrierSdp([
      "m=audio 5004 RTP/AVP 8 0 97 98",
      "a=rtpmap:97 telephone-event/48000",
      "a=rtpmap:98 telephone-event/8000",
    ]);
    expect(await readTrunkSdp(sdp, LOCAL_ADDRESS, "opus")).toMatchObject({
      codec: "PCMA",
      payloadType: 8,
      eventPayloadType: 98,
    });
  });

  it.each([
    ["Opus at a strange rate", ["m=audio 5004 RTP/AVP 96", "a=rtpmap:96 opus/16000"]],
    ["neither Opus nor G.711", ["m=audio 5004 RTP/AVP 18"]],
  ])("is refused for %s", async (_, lines) => {
    await expect(readTrunkSdp(carrierSdp(lines), LOCAL_ADDRESS, "opus")).rejects.toMatchObject({ code: "bad_sdp" });
  });
});

describe("our SDP", () => {
  it("offers Opus first for an Opus call, events for each clock, and can be parsed again", async () => {
    expect(trunkOffer(own, "opus")).toContain("m=audio 20000 RTP/AVP 111 0 8 110 101\r\n");
    const far = await readTrunkSdp(trunkOffer(own, "opus"), LOCAL_ADDRESS, "opus");
    expect(far).toMatchObject({ codec: "opus", payloadType: 111, eventPayloadType: 110 });
    expect(await readTrunkSdp(trunkOffer(own, "opus"), LOCAL_ADDRESS)).toMatchObject({ codec: "PCMU", eventPayloadType: 101 });
    const answer = trunkAnswer(own, far);
    expect(answer).toContain("m=audio 20000 RTP/AVP 111 110\r\n");
    expect(await readTrunkSdp(answer, LOCAL_ADDRESS, "opus")).toEqual({ ...far, received: new Map([[111, "opus"]]) });
  });

  it("offers PCMU, PCMA and events, and can be parsed again", async () => {
    expect(await readTrunkSdp(trunkOffer(own), LOCAL_ADDRESS)).toEqual({
      rtp: { address: "192.0.2.1", port: 20_000 },
      rtcp: { address: "192.0.2.1", port: 20_001 },
      codec: "PCMU",
      payloadType: 0,
      received: new Map([
        [0, "PCMU"],
        [8, "PCMA"],
      ]),
      eventPayloadType: 101,
      direction: "sendrecv",
      profile: "RTP/AVP",
      refused: { before: [], after: [] },
    });
  });

  it("answers a hold with the matching direction and the far end's payload types", async () => {
    const far = await readTrunkSdp(
      carrierSdp(["m=audio 5004 RTP/AVP 8 96", "a=rtpmap:96 telephone-event/8000", "a=sendonly"]),
      LOCAL_ADDRESS,
    );
    const answer = trunkAnswer(own, far);
    expect(answer).toContain("o=farline 7 1 IN IP4 192.0.2.1");
    expect(answer).toContain("m=audio 20000 RTP/AVP 8 96");
    expect(answer).toContain("a=recvonly");
  });
});
