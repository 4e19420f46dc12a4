import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { RtpHeader, SrtcpSession, SrtpSession } from "werift";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MediaPlane } from "../../src/media/media-plane.ts";
import { bridge, openPlane, play, speak } from "../media-harness.ts";
import { openTestBrowser, type BrowserKeys } from "../test-browser.ts";
import { FUZZ_TIMEOUT_MS, inputsOf, SEED } from "./fuzz-run.ts";
import { type Credentials, handshakePackets, reportPackets, signedChecks, soundPacket } from "./media-corpus.ts";
import { mutatedBytes } from "./mutate-bytes.ts";

/** About as many as the rate limits allow at once. */
const PACKETS_A_CALL = { checks: 90, handshake: 90, sound: 350, reports: 15, rtp: 350, rtcp: 15, stranger: 90 };
const ALL_PACKETS_A_CALL = Object.values(PACKETS_A_CALL).reduce((sum, count) => sum + count, 0);
const STRANGER = "127.0.0.7";
const FRAME = Buffer.alloc(160, 0x55);
const MAX_GROWTH_BYTES = 80_000_000;
/** Master keys (RFC 3711 and RFC 7714). */
const KEY_BYTES = 16;

let plane: MediaPlane;
const honest = new Cleanups();
beforeAll(async () => {
  plane = await openPlane();
});
afterAll(async () => {
  await honest.end();
  await plane.close();
});

async function openSocket(port: number, address: string): Promise<Socket> {
  const socket = createSocket("udp4").bind(port, address);
  await once(socket, "listening");
  return socket;
}

async function sendAll(socket: Socket, port: number, packets: readonly Buffer[]): Promise<void> {
  for (const packet of packets) {
    if (packet.length > 0) await new Promise<void>((resolve) => socket.send(packet, port, "127.0.0.1", () => resolve()));
    await setImmediate();
  }
}

/** A customer who sends anything to the ports of their call, with an accomplice at the called number. */
async function openHostileCall(cleanups: Cleanups) {
  const browser = await openTestBrowser();
  const leg = await plane.openLeg(browser.offerSdp);
  cleanups.add(() => leg.close());
  await browser.connect(leg.answerSdp);
  const farSocket = await openSocket(0, "127.0.0.1");
  const { sdp } = await leg.openRtp();
  const { port } = farSocket.address();
  const far = ["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", `m=audio ${port} RTP/AVP 0`, ""];
  await leg.connectRtp(far.join("\r\n"));
  const keys = browser.handOver();
  const browserSocket = await openSocket(keys.port, "0.0.0.0");
  for (const socket of [browserSocket, farSocket]) cleanups.add(() => socket.close());
  return {
    leg,
    keys,
    browserSocket,
    farSocket,
    rtpPort: Number(/^m=audio (\d+)/m.exec(sdp)?.[1]),
    webrtcPort: Number(/^a=candidate:\S+ 1 udp \d+ \S+ (\d+)/im.exec(leg.answerSdp)?.[1]),
    credentials: {
      user: /^a=ice-ufrag:(\S+)/m.exec(leg.answerSdp)?.[1] ?? "",
      password: /^a=ice-pwd:(\S+)/m.exec(leg.answerSdp)?.[1] ?? "",
    } satisfies Credentials,
  };
}

/** Encrypts hostile packets correctly, so that they reach the code after decryption. */
function encrypted({ sendKey, receiveKey, srtpProfile }: BrowserKeys, sound: Buffer[], reports: Buffer[]) {
  const keys = {
    ...{ localMasterKey: sendKey.subarray(0, KEY_BYTES), localMasterSalt: sendKey.subarray(KEY_BYTES) },
    ...{ remoteMasterKey: receiveKey.subarray(0, KEY_BYTES), remoteMasterSalt: receiveKey.subarray(KEY_BYTES) },
  };
  const profile = srtpProfile as 1;
  const [srtp, srtcp] = [new SrtpSession({ keys, profile }), new SrtcpSession({ keys, profile })];
  return {
    sound: sound.flatMap((packet) => attempt(() => encryptSound(srtp, packet))),
    reports: reports.flatMap((packet) => attempt(() => srtcp.encrypt(packet))),
  };
}

function encryptSound(session: SrtpSession, packet: Buffer): Buffer {
  const header = RtpHeader.deSerialize(packet);
  return session.encrypt(packet.subarray(header.payloadOffset), header);
}

/** Skips packets that cannot be encrypted. */
function attempt(make: () => Buffer): Buffer[] {
  try {
    return [make()];
  } catch {
    return [];
  }
}

async function attackCall(round: number): Promise<void> {
  const cleanups = new Cleanups();
  const call = await openHostileCall(cleanups);
  const stranger = await openSocket(0, STRANGER);
  cleanups.add(() => stranger.close());
  let [answered, asked] = [0, 0];
  stranger.on("message", (datagram) => (answered += datagram.length));
  const sample = <Input>(arbitrary: fc.Arbitrary<Input>, count: number): Input[] =>
    fc.sample(arbitrary, { numRuns: count, seed: SEED + round });
  const rtp = sample(mutatedBytes([soundPacket(1), soundPacket(2)]), PACKETS_A_CALL.rtp);
  const rtcp = sample(mutatedBytes(reportPackets()), PACKETS_A_CALL.rtcp);
  const own = encrypted(call.keys, rtp, rtcp);
  const checks = sample(signedChecks(call.credentials), PACKETS_A_CALL.checks);
  const mutated = sample(mutatedBytes([...checks.slice(0, 5), ...handshakePackets(), ...rtcp]), PACKETS_A_CALL.stranger);
  asked = mutated.reduce((sum, packet) => sum + packet.length, 0);
  await sendAll(stranger, call.webrtcPort, mutated);
  await sendAll(stranger, call.rtpPort, mutated);
  expect(answered, "bytes to a stranger").toBeLessThanOrEqual(asked);
  await sendAll(call.browserSocket, call.webrtcPort, [...own.sound, ...own.reports]);
  await sendAll(call.browserSocket, call.webrtcPort, [...rtp.slice(0, 50), ...rtcp]);
  await sendAll(call.browserSocket, call.webrtcPort, checks);
  await sendAll(call.browserSocket, call.webrtcPort, sample(mutatedBytes(handshakePackets()), PACKETS_A_CALL.handshake));
  await sendAll(call.farSocket, call.rtpPort, rtp);
  await sendAll(call.farSocket, call.rtpPort + 1, rtcp);
  await call.leg.stats();
  await cleanups.end();
}

describe(`hostile packets at the ports of a call (seed ${SEED})`, { timeout: FUZZ_TIMEOUT_MS }, () => {
  it("do not end the media process, leak memory or disturb another call", async () => {
    const { browser, leg, trunk } = await bridge(plane, honest);
    const rounds = Math.ceil(inputsOf(13) / ALL_PACKETS_A_CALL);
    await attackCall(-1);
    const [before] = plane.health();
    for (let round = 0; round < rounds; round += 1) await attackCall(round);
    const [after] = plane.health();
    expect(after).toMatchObject({ process_id: before?.["process_id"], restarts: 0, legs: 1 });
    expect(Number(after?.["memory_bytes"]) - Number(before?.["memory_bytes"])).toBeLessThan(MAX_GROWTH_BYTES);
    const frames = Array.from({ length: 20 }, () => FRAME);
    await speak(browser, frames);
    await play(trunk, frames);
    await Promise.all([browser.untilHeard(20), trunk.untilHeard(20)]);
    expect(await leg.stats()).toMatchObject({ fromBrowser: { lost: 0 }, fromFar: { lost: 0 } });
  });
});
