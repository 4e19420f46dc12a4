import { createSocket, type Socket } from "node:dgram";
import { randomInt } from "node:crypto";
import { isIPv6 } from "node:net";
import { TokenBucket } from "../../rate-limits/token-bucket.ts";
import type { PortRange } from "../media-messages.ts";
import { MediaError } from "../media-plane.ts";
import { MAX_PACKET_BYTES } from "./rtp-header.ts";
import { type Endpoint, SourceLatch } from "./source-latch.ts";

const BIND_ATTEMPTS = 40;
/** Audio has 50 or 100 packets a second. The burst allows for what a slow network held back. */
const AUDIO = { perSecond: 150, burst: 500 };
/** Reports come every few seconds (RFC 3550 §6.2). */
const REPORTS = { perSecond: 5, burst: 20 };

interface RtpSocketsEvents {
  rtp(packet: Buffer, nowMs: number): void;
  rtcp(packet: Buffer): void;
  /** A packet of the far end was dropped by a rate limit. */
  refused(): void;
}

/** A pair of UDP sockets for a trunk: RTP on an even port, RTCP on the next (RFC 3550 §11). */
export class RtpSockets {
  readonly port: number;
  readonly #rtp: Socket;
  readonly #rtcp: Socket;
  readonly #audioBucket = new TokenBucket(AUDIO);
  readonly #reportBucket = new TokenBucket(REPORTS);
  #latch: SourceLatch | null = null;
  #announced: Endpoint | null = null;
  #rtcpTarget: Endpoint | null = null;
  #closed = false;

  private constructor(port: number, rtp: Socket, rtcp: Socket) {
    this.port = port;
    this.#rtp = rtp;
    this.#rtcp = rtcp;
  }

  /** @throws MediaError `no_capacity` if no pair of ports is free */
  static async open(address: string, range: PortRange, events: RtpSocketsEvents): Promise<RtpSockets> {
    const firstEven = range.first + (range.first % 2);
    const pairs = Math.floor((range.last + 1 - firstEven) / 2);
    if (pairs < 1) throw new MediaError("no_capacity", "The RTP port range contains no pair of ports.");
    for (let attempt = 0; attempt < BIND_ATTEMPTS; attempt += 1) {
      const port = firstEven + 2 * randomInt(pairs);
      const rtp = await bind(address, port);
      if (rtp === null) continue;
      const rtcp = await bind(address, port + 1);
      if (rtcp !== null) {
        const sockets = new RtpSockets(port, rtp, rtcp);
        sockets.#listen(events);
        return sockets;
      }
      rtp.close();
    }
    throw new MediaError("no_capacity", "No pair of RTP ports is free.");
  }

  /** Sets the far end's addresses. Idempotent. @param trunkAddresses see `SourceLatch` */
  connect(rtp: Endpoint, rtcp: Endpoint, trunkAddresses: readonly string[]): void {
    this.#rtcpTarget = rtcp;
    if (this.#announced?.address === rtp.address && this.#announced.port === rtp.port) return;
    this.#announced = rtp;
    this.#latch = new SourceLatch(rtp, trunkAddresses, performance.now());
  }

  send(packet: Buffer): void {
    const target = this.#latch?.target;
    if (target !== undefined && !this.#closed) this.#rtp.send(packet, target.port, target.address);
  }

  sendReport(packet: Buffer): void {
    if (this.#rtcpTarget !== null && !this.#closed) this.#rtcp.send(packet, this.#rtcpTarget.port, this.#rtcpTarget.address);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#rtp.close();
    this.#rtcp.close();
  }

  #listen(events: RtpSocketsEvents): void {
    this.#rtp.on("message", (packet, from) => {
      const nowMs = performance.now();
      if (packet.length > MAX_PACKET_BYTES || !this.#latch?.accepts(from.address, from.port, nowMs)) return;
      if (this.#audioBucket.take(nowMs)) events.rtp(packet, nowMs);
      else events.refused();
    });
    this.#rtcp.on("message", (packet, from) => {
      const known = from.address === this.#rtcpTarget?.address || from.address === this.#latch?.target.address;
      if (!known || packet.length > MAX_PACKET_BYTES) return;
      if (this.#reportBucket.take()) events.rtcp(packet);
      else events.refused();
    });
  }
}

/** Null if the port is taken. */
function bind(address: string, port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    socket.once("error", () => {
      socket.close();
      resolve(null);
    });
    socket.bind(port, address, () => {
      socket.removeAllListeners("error");
      // A failed send is packet loss. Unhandled, the error would end the process.
      socket.on("error", () => undefined);
      resolve(socket);
    });
  });
}
