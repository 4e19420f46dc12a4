import { createSocket, type Socket } from "node:dgram";
import { randomInt } from "node:crypto";
import { isIPv6 } from "node:net";
import { TokenBucket } from "../../rate-limits/token-bucket.ts";
import type { PortRange } from "../media-messages.ts";
import { MediaError } from "../media-plane.ts";
import { MAX_PACKET_BYTES } from "./rtp-header.ts";
import { type Endpoint, SourceLatch } from "./source-latch.ts";

const BIND_ATTEMPTS = 40;
/** Sound has 50 packets a second, or 100; what waited in a slow network comes at once. */
const SOUND = { perSecond: 150, burst: 500 };
/** A report every few seconds (RFC 3550 §6.2). */
const REPORTS = { perSecond: 5, burst: 20 };

export interface RtpSocketsEvents {
  rtp(packet: Buffer, nowMs: number): void;
  rtcp(packet: Buffer): void;
  /** A packet of the far end was dropped unread, because too many came. */
  refused(): void;
}

/** A pair of UDP sockets towards the trunk: RTP on an even port, RTCP on the one above (RFC 3550 §11). */
export class RtpSockets {
  readonly port: number;
  readonly #rtp: Socket;
  readonly #rtcp: Socket;
  readonly #sound = new TokenBucket(SOUND);
  readonly #reports = new TokenBucket(REPORTS);
  #latch: SourceLatch | null = null;
  #announced: Endpoint | null = null;
  #rtcpTarget: Endpoint | null = null;
  #closed = false;

  private constructor(port: number, rtp: Socket, rtcp: Socket) {
    this.port = port;
    this.#rtp = rtp;
    this.#rtcp = rtcp;
  }

  /** @throws MediaError `no_capacity` when no pair of the range is free. */
  static async open(address: string, range: PortRange, events: RtpSocketsEvents): Promise<RtpSockets> {
    const firstEven = range.first + (range.first % 2);
    const pairs = Math.floor((range.last + 1 - firstEven) / 2);
    if (pairs < 1) throw new MediaError("no_capacity", "The RTP port range holds no pair of ports.");
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

  /** Accepts and answers this address from now on. Idempotent. */
  connect(rtp: Endpoint, rtcp: Endpoint): void {
    this.#rtcpTarget = rtcp;
    if (this.#announced?.address === rtp.address && this.#announced.port === rtp.port) return;
    this.#announced = rtp;
    this.#latch = new SourceLatch(rtp, performance.now());
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
      if (this.#sound.take(nowMs)) events.rtp(packet, nowMs);
      else events.refused();
    });
    this.#rtcp.on("message", (packet, from) => {
      const known = from.address === this.#rtcpTarget?.address || from.address === this.#latch?.target.address;
      if (!known || packet.length > MAX_PACKET_BYTES) return;
      if (this.#reports.take()) events.rtcp(packet);
      else events.refused();
    });
  }
}

/** Null when the port is taken. */
function bind(address: string, port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    socket.once("error", () => {
      socket.close();
      resolve(null);
    });
    socket.bind(port, address, () => {
      socket.removeAllListeners("error");
      // A send that fails (route gone, far port closed) is packet loss, which the statistics show; it must not end the process.
      socket.on("error", () => undefined);
      resolve(socket);
    });
  });
}
