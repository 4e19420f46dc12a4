import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import {
  ProtectionProfileAeadAes128Gcm,
  ProtectionProfileAes128CmHmacSha1_80,
  RtcpRrPacket,
  RtpHeader,
  SrtcpSession,
  SrtpSession,
} from "werift";
import { SrtpReceiver, updateRollover } from "./srtp-session.ts";

describe("the roll-over count of SRTP", () => {
  test.prop([fc.integer({ min: 0, max: 0xffff }), fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 50 })])(
    "survives any loss shorter than half the number space",
    (start, gaps) => {
      const state = { rolloverCounter: 0, lastSequenceNumber: 0 };
      let index = start;
      updateRollover(index & 0xffff, state);
      for (const gap of gaps) {
        index += gap;
        updateRollover(index & 0xffff, state);
        expect(state.rolloverCounter).toBe(Math.floor(index / 0x10000));
      }
    },
  );

  it("assigns a packet that is late across the wrap to the count before it", () => {
    const state = { rolloverCounter: 0, lastSequenceNumber: 0 };
    const counts = [65_535, 1, 65_534, 2].map((sequence) => {
      updateRollover(sequence, state);
      return state.rolloverCounter;
    });
    expect(counts).toEqual([0, 1, 0, 1]);
  });
});

describe("an SRTP receiver", () => {
  it.each([
    ["AES-CM with HMAC", ProtectionProfileAes128CmHmacSha1_80, 14],
    ["AES-GCM", ProtectionProfileAeadAes128Gcm, 12],
  ] as const)("takes each packet and report once, also around a wrap, with %s", (_, profile, saltBytes) => {
    const [theirs, ours] = [1, 2].map((byte) => ({ key: Buffer.alloc(16, byte), salt: Buffer.alloc(saltBytes, byte) }));
    const session = (local = ours, remote = theirs) => ({
      keys: {
        localMasterKey: local?.key ?? Buffer.alloc(0),
        localMasterSalt: local?.salt ?? Buffer.alloc(0),
        remoteMasterKey: remote?.key ?? Buffer.alloc(0),
        remoteMasterSalt: remote?.salt ?? Buffer.alloc(0),
      },
      profile,
    });
    const sender = { srtp: new SrtpSession(session(theirs, ours)), srtcp: new SrtcpSession(session(theirs, ours)) };
    const receiver = new SrtpReceiver(new SrtpSession(session()), new SrtcpSession(session()));
    const packets = [65_534, 65_535, 0, 1].map((sequenceNumber) =>
      sender.srtp.encrypt(Buffer.from([sequenceNumber & 0xff]), new RtpHeader({ sequenceNumber, ssrc: 7, payloadType: 0 })),
    );
    const report = new RtcpRrPacket({ ssrc: 7, reports: [] }).serialize();
    const reports = [report, report].map((each) => sender.srtcp.encrypt(each));
    const sound = [0, 1, 3, 2, 1, 3].map((at) => receiver.rtp(packets[at] ?? Buffer.alloc(0))?.at(-1));
    expect(sound).toEqual([0xfe, 0xff, 1, 0, undefined, undefined]);
    expect([0, 1, 0, 1].map((at) => receiver.rtcp(reports[at] ?? Buffer.alloc(0)))).toEqual([report, report, null, null]);
  });
});
