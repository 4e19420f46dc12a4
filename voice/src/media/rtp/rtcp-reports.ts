import {
  RtcpPacketConverter,
  type RtcpPacket,
  RtcpReceiverInfo,
  RtcpRrPacket,
  RtcpSenderInfo,
  RtcpSourceDescriptionPacket,
  RtcpSrPacket,
  SourceDescriptionChunk,
  SourceDescriptionItem,
} from "werift";
import type { ReceiveCounters } from "./receive-counters.ts";
import type { SendTimeline } from "./send-timeline.ts";

/** Seconds from 1900 to 1970, RFC 5905. */
const NTP_EPOCH_OFFSET_SECONDS = 2_208_988_800;
const SDES_CNAME = 1;

interface PeerReport {
  readonly lost: number;
  readonly roundTripMs: number | null;
}

/** RTCP with one peer: builds our reports and reads the peer's (RFC 3550 §6.4). */
export class RtcpReports {
  /** The peer's last report about our stream. */
  peerReport: PeerReport | null = null;
  readonly #sent: SendTimeline;
  readonly #received: ReceiveCounters;
  readonly #cname: string;
  /** Middle 32 bits of the NTP time in the peer's last sender report, and its arrival. */
  #lastSenderReport: { ntp: number; atMs: number } | null = null;

  constructor(sent: SendTimeline, received: ReceiveCounters, cname: string) {
    this.#sent = sent;
    this.#received = received;
    this.#cname = cname;
  }

  /** Builds a compound packet: a sender report, or a receiver report if we sent nothing, and CNAME. */
  build(nowMs: number): RtcpPacket[] {
    const reports = this.#receptionReports(nowMs);
    const description = new RtcpSourceDescriptionPacket({
      chunks: [
        new SourceDescriptionChunk({
          source: this.#sent.ssrc,
          items: [new SourceDescriptionItem({ type: SDES_CNAME, text: this.#cname })],
        }),
      ],
    });
    if (this.#sent.packets === 0) return [new RtcpRrPacket({ ssrc: this.#sent.ssrc, reports }), description];
    const senderInfo = new RtcpSenderInfo({
      ntpTimestamp: ntpNow(),
      rtpTimestamp: this.#sent.timestampAt(nowMs),
      packetCount: this.#sent.packets >>> 0,
      octetCount: this.#sent.octets >>> 0,
    });
    return [new RtcpSrPacket({ ssrc: this.#sent.ssrc, senderInfo, reports }), description];
  }

  /** Ignores anything but RTCP. */
  read(datagram: Buffer): void {
    let packets: RtcpPacket[];
    try {
      packets = RtcpPacketConverter.deSerialize(datagram);
    } catch {
      return;
    }
    for (const packet of packets) {
      if (packet instanceof RtcpSrPacket) {
        this.#lastSenderReport = { ntp: middleBits(packet.senderInfo.ntpTimestamp), atMs: performance.now() };
      }
      if (packet instanceof RtcpSrPacket || packet instanceof RtcpRrPacket) this.#readReceptions(packet.reports);
    }
  }

  #readReceptions(reports: readonly RtcpReceiverInfo[]): void {
    const report = reports.find((each) => each.ssrc === this.#sent.ssrc);
    if (report === undefined) return;
    const elapsed = (middleBits(ntpNow()) - report.lsr - report.dlsr) | 0;
    const measured = report.lsr !== 0 && elapsed >= 0;
    this.peerReport = {
      lost: (report.packetsLost << 8) >> 8,
      roundTripMs: measured ? Math.round((elapsed * 1_000) / 65_536) : null,
    };
  }

  #receptionReports(nowMs: number): RtcpReceiverInfo[] {
    const report = this.#received.report();
    if (report === null) return [];
    const heard = this.#lastSenderReport;
    return [
      new RtcpReceiverInfo({
        ...report,
        lsr: heard?.ntp ?? 0,
        dlsr: heard === null ? 0 : Math.round(((nowMs - heard.atMs) * 65_536) / 1_000),
      }),
    ];
  }
}

function ntpNow(): bigint {
  const ms = performance.timeOrigin + performance.now();
  const seconds = Math.floor(ms / 1_000);
  const fraction = Math.floor(((ms - seconds * 1_000) / 1_000) * 2 ** 32);
  return (BigInt(seconds + NTP_EPOCH_OFFSET_SECONDS) << 32n) | BigInt(fraction);
}

function middleBits(ntp: bigint): number {
  return Number((ntp >> 16n) & 0xffff_ffffn);
}
