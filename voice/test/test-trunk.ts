import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { type ReceivedRtp, readRtp, writeRtpHeader } from "../src/media/rtp/rtp-header.ts";
import { FRAME_SAMPLES } from "../src/media/audio/g711.ts";
import { HeardPackets } from "./heard-packets.ts";

export interface TestTrunk {
  readonly port: number;
  readonly heard: ReceivedRtp[];
  /** @param lines `maps`: the `a=rtpmap` attributes */
  sdp(lines?: { audio?: string; direction?: string; maps?: readonly string[] }): string;
  /**
   * Sends one packet to the leg. `skip` omits that many sequence numbers first; `follows` has the timestamp of the last one; `samples` is the
   * length of those omitted and of the one before, by default a frame.
   */
  send(payload: Buffer, options?: { skip?: number; payloadType?: number; follows?: boolean; samples?: number }): void;
  /** Sets the destination from the leg's SDP. */
  aim(legSdp: string): void;
  untilHeard(count: number, which?: (packet: ReceivedRtp) => boolean): Promise<void>;
  clear(): void;
  close(): Promise<void>;
}

/** A carrier's media: RTP over a plain UDP socket of this loopback address. */
export async function openTestTrunk(address = "127.0.0.1"): Promise<TestTrunk> {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  const { port } = socket.address();
  const packets = new HeardPackets<ReceivedRtp>();
  const ssrc = randomInt(1, 2 ** 32);
  let target = 0;
  let sequence = 100;
  let timestamp = 1_000;
  socket.on("message", (datagram) => {
    const packet = readRtp(datagram);
    if (packet !== null) packets.add(packet);
  });
  return {
    port,
    heard: packets.heard,
    sdp: ({ audio = "0 101", direction = "sendrecv", maps = audio.includes("101") ? ["101 telephone-event/8000"] : [] } = {}) =>
      [
        "v=0",
        `o=carrier 1 1 IN IP4 ${address}`,
        "s=-",
        `c=IN IP4 ${address}`,
        "t=0 0",
        `m=audio ${port} RTP/AVP ${audio}`,
        ...maps.map((map) => `a=rtpmap:${map}`),
        `a=${direction}`,
        "",
      ].join("\r\n"),
    aim(legSdp) {
      target = Number(/^m=audio (\d+)/m.exec(legSdp)?.[1]);
    },
    send(payload, { skip = 0, payloadType = 0, follows = false, samples = FRAME_SAMPLES } = {}) {
      sequence = (sequence + 1 + skip) & 0xffff;
      if (!follows) timestamp = (timestamp + samples * (1 + skip)) >>> 0;
      const packet = Buffer.alloc(12 + payload.length);
      writeRtpHeader(packet, { sequence, timestamp, payloadType, marker: false, ssrc });
      payload.copy(packet, 12);
      socket.send(packet, target, "127.0.0.1");
    },
    untilHeard: (count, which) => packets.untilHeard(count, which),
    clear: () => packets.clear(),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
