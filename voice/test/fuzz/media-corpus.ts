import { createHmac } from "node:crypto";
import { crc32 } from "node:zlib";
import * as fc from "fast-check";
import { RtcpRrPacket, RtcpSenderInfo, RtcpSourceDescriptionPacket, RtcpSrPacket } from "werift";
import { writeRtpHeader } from "../../src/media/rtp/rtp-header.ts";

const FRAME_BYTES = 160;

export function soundPacket(sequence: number): Buffer {
  const packet = Buffer.alloc(12 + FRAME_BYTES, 0xff);
  writeRtpHeader(packet, { payloadType: 0, marker: false, sequence, timestamp: sequence * FRAME_BYTES, ssrc: 0xfacade });
  return packet;
}

export function reportPackets(): Buffer[] {
  const senderInfo = new RtcpSenderInfo({ ntpTimestamp: 1n, rtpTimestamp: 2, packetCount: 3, octetCount: 4 });
  const report = new RtcpSrPacket({ ssrc: 1, senderInfo, reports: [] }).serialize();
  return [
    report,
    Buffer.concat([report, new RtcpSourceDescriptionPacket({ chunks: [] }).serialize()]),
    new RtcpRrPacket({ ssrc: 1, reports: [] }).serialize(),
  ];
}

/** DTLS records: a ClientHello without a body, an alert, a fragment, application data. */
export function handshakePackets(): Buffer[] {
  const record = (type: number, body: Buffer, epoch = 0): Buffer => {
    const header = Buffer.from([type, 0xfe, 0xfd, epoch >> 8, epoch & 0xff, 0, 0, 0, 0, 0, 1, 0, 0]);
    header.writeUInt16BE(body.length, 11);
    return Buffer.concat([header, body]);
  };
  const hello = Buffer.alloc(12 + 60, 1);
  hello.set([1, 0, 0, 60, 0, 0, 0, 0, 0, 0, 0, 60, 0xfe, 0xfd]);
  const fragment = Buffer.from([1, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 4, 0, 1, 0xfe]);
  return [
    record(22, hello),
    record(22, fragment),
    record(21, Buffer.from([1, 0])),
    record(20, Buffer.from([1])),
    record(23, hello, 1),
  ];
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

const attribute = fc.record({
  type: fc.constantFrom(
    0x0001,
    0x0006,
    0x0008,
    0x0009,
    0x000a,
    0x0020,
    0x0024,
    0x0025,
    0x8028,
    0x8029,
    0x802a,
    0x8022,
    0x1234,
    0xffff,
  ),
  value: fc.uint8Array({ maxLength: 40 }),
  /** Added to the length field. */
  lie: fc.constantFrom(0, 0, 0, 0, 1, -1, 400, 0xffff),
});

/** Correctly signed connectivity checks with any attributes in any order, as a customer with a raw socket can send. */
export function signedChecks({ user, password }: Credentials): fc.Arbitrary<Buffer> {
  return fc
    .record({
      type: fc.constantFrom(0x0001, 0x0001, 0x0001, 0x0101, 0x0111, 0x0011, 0x0003),
      transaction: fc.uint8Array({ minLength: 12, maxLength: 12 }),
      before: fc.array(attribute, { maxLength: 5 }),
      after: fc.array(attribute, { maxLength: 2 }),
      signed: fc.boolean(),
    })
    .map(({ type, transaction, before, after, signed }) => {
      const name = { type: 0x0006, value: Buffer.from(`${user}:theirs`), lie: 0 };
      let packet: Buffer = Buffer.concat([head(type, transaction), ...[name, ...before].map(written)]);
      if (signed) packet = sign(packet, password);
      packet = Buffer.concat([packet, ...after.map(written)]);
      packet.writeUInt16BE(packet.length - 20, 2);
      return packet;
    });
}

function head(type: number, transaction: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(type, 0);
  header.writeUInt32BE(0x2112_a442, 4);
  return Buffer.concat([header, transaction]);
}

function written({ type, value, lie }: { type: number; value: Uint8Array; lie: number }): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE((value.length + lie) & 0xffff, 2);
  return Buffer.concat([header, value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
}

/** MESSAGE-INTEGRITY and FINGERPRINT, RFC 5389 §15.4 and §15.5. */
function sign(packet: Buffer, password: string): Buffer {
  packet.writeUInt16BE(packet.length - 20 + 24, 2);
  const integrity = createHmac("sha1", password).update(packet).digest();
  const whole = Buffer.concat([packet, written({ type: 0x0008, value: integrity, lie: 0 })]);
  whole.writeUInt16BE(whole.length - 20 + 8, 2);
  const fingerprint = Buffer.alloc(4);
  fingerprint.writeUInt32BE((crc32(whole) ^ 0x5354_554e) >>> 0);
  return Buffer.concat([whole, written({ type: 0x8028, value: fingerprint, lie: 0 })]);
}
