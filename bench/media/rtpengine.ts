import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@farline/voice/test/free-port.ts";
import { LOOPBACK } from "@farline/voice/test/loopback.ts";
import { sdp } from "@farline/voice/test/scenarios/carrier-script.ts";
import type { CallEnds } from "./sender.ts";

const TRIES = 20;
const TRY_MS = 250;
/** AES_CM_128_HMAC_SHA1_80, RFC 5764 §4.1.2: a key of 16 bytes and a salt of 14. */
const PROFILE = 1;
const KEY_BYTES = 30;

type Value = string | readonly string[];

/** Debian's rtpengine in user space, for comparison. Keys are exchanged in the SDP (SDES); SRTP then costs the same as with DTLS. */
export class Rtpengine {
  readonly #process: ChildProcess;
  readonly #socket: Socket;
  readonly #port: number;

  private constructor(child: ChildProcess, socket: Socket, port: number) {
    this.#process = child;
    this.#socket = socket;
    this.#port = port;
  }

  static async start(): Promise<Rtpengine> {
    const port = await freePort();
    const options = [
      "--config-file=none", // Debian's configuration uses the kernel module
      "--table=-1",
      `--interface=${LOOPBACK.bound}`,
      `--listen-ng=${LOOPBACK.bound}:${port}`,
      "--port-min=42000",
      "--port-max=44999",
    ];
    const child = spawn("rtpengine", [...options, "--num-threads=1", "--foreground", "--log-stderr", "--log-level=3"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const socket = createSocket("udp4");
    await new Promise<void>((resolve) => socket.bind(0, LOOPBACK.bound, resolve));
    const engine = new Rtpengine(child, socket, port);
    await engine.#request({ command: "ping" });
    return engine;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  async openCall(): Promise<CallEnds> {
    const call = { "call-id": randomUUID(), "from-tag": "caller" };
    const [browserPort, farPort] = [await freePort(), await freePort()];
    const sendKey = randomBytes(KEY_BYTES);
    const crypto = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${sendKey.toString("base64")}`;
    const offer = await this.#request({
      command: "offer",
      ...call,
      sdp: sdpOf(browserPort, "RTP/SAVP", crypto),
      "transport-protocol": "RTP/AVP",
      ICE: "remove",
    });
    const answer = await this.#request({
      command: "answer",
      ...call,
      "to-tag": "far",
      sdp: sdpOf(farPort, "RTP/AVP"),
      "transport-protocol": "RTP/SAVP",
    });
    const receiveKey = Buffer.from(/a=crypto:\d+ AES_CM_128_HMAC_SHA1_80 inline:([\w+/=]+)/.exec(answer)?.[1] ?? "", "base64");
    const browser = { port: browserPort, srtpProfile: PROFILE, sendKey, receiveKey };
    return { browser, farPort, rtpPort: portOf(offer), webrtcPort: portOf(answer) };
  }

  async close(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    await ended;
    this.#socket.close();
  }

  /** The ng protocol: each datagram has a cookie and a bencoded dictionary, and the response starts with the same cookie. */
  async #request(request: Readonly<Record<string, Value>>): Promise<string> {
    const cookie = randomUUID();
    const answered = new AbortController();
    const responses: string[] = [];
    this.#socket.on("message", (datagram) => {
      if (!datagram.toString().startsWith(cookie)) return;
      responses.push(datagram.toString());
      answered.abort();
    });
    for (let tries = 0; tries < TRIES && !answered.signal.aborted; tries += 1) {
      this.#socket.send(`${cookie} ${bencode(request)}`, this.#port, LOOPBACK.bound);
      await pause(TRY_MS, null, { signal: answered.signal }).catch(() => null);
    }
    this.#socket.removeAllListeners("message");
    const [response = "no answer"] = responses;
    if (!/6:result(2:ok|4:pong)/.test(response)) throw new Error(`rtpengine refused ${String(request.command)}: ${response}`);
    return response;
  }
}

function bencode(value: Value | Readonly<Record<string, Value>>): string {
  if (typeof value === "string") return `${Buffer.byteLength(value)}:${value}`;
  if (Array.isArray(value)) return `l${value.map((one: string) => bencode(one)).join("")}e`;
  const entries = Object.entries(value as Readonly<Record<string, Value>>).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `d${entries.map(([key, one]) => bencode(key) + bencode(one)).join("")}e`;
}

function sdpOf(port: number, protocol: string, ...lines: string[]): string {
  return sdp([`m=audio ${port} ${protocol} 0`, "a=rtpmap:0 PCMU/8000", ...lines, ""], LOOPBACK.bound).join("\r\n");
}

function portOf(response: string): number {
  return Number(/m=audio (\d+)/.exec(response)?.[1]);
}
