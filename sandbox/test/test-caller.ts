import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { PATIENCE } from "@farline/domain/test/patience.ts";
import { vi } from "vitest";
import { decodeG711, encodeG711, type Codec } from "../src/phone-network/g711.ts";
import { FRAME_SAMPLES } from "../src/phone-network/line-audio.ts";
import { buildRtp, parseRtp, type RtpPacket } from "../src/phone-network/rtp-packet.ts";
import { SAMPLE_RATE, steadyTone } from "../src/phone-network/tones.ts";

const FRAME_MS = 20;

/** A caller with two UDP sockets and handwritten messages, so that it shares no SIP code with the phone network. */
export class TestCaller {
  readonly sip: Socket;
  readonly rtp: Socket;
  readonly target: { host: string; port: number };
  /** Received messages, oldest first. */
  readonly messages: SipText[] = [];
  readonly packets: RtpPacket[] = [];
  rtpPeer: RemoteInfo | null = null;
  #talk: NodeJS.Timeout | undefined;
  #sequence = 65_530; // wraps soon, to test wrapping
  #timestamp = 0xffff_f000;
  #counter = 0;
  #closed = false;

  private constructor(sip: Socket, rtp: Socket, target: { host: string; port: number }) {
    this.sip = sip;
    this.rtp = rtp;
    this.target = target;
    sip.on("message", (datagram) => {
      const message = new SipText(datagram.toString());
      this.messages.push(message);
      if (message.startLine.startsWith("BYE ")) this.#confirmBye(message);
    });
    rtp.on("message", (datagram, from) => {
      const packet = parseRtp(datagram);
      if (packet) this.packets.push(packet);
      this.rtpPeer = from;
    });
  }

  static async open(port: number): Promise<TestCaller> {
    const sockets = [createSocket("udp4"), createSocket("udp4")] as const;
    for (const socket of sockets) {
      socket.bind(0, "127.0.0.1");
      await once(socket, "listening");
    }
    return new TestCaller(...sockets, { host: "127.0.0.1", port });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#talk);
    this.sip.close();
    this.rtp.close();
  }

  send(text: string | Buffer): void {
    this.sip.send(text, this.target.port, this.target.host);
  }

  offer(options: { formats?: string; direction?: string } = {}): string {
    const { formats = "0 8 101", direction = "sendrecv" } = options;
    return [
      "v=0",
      "o=- 1 1 IN IP4 127.0.0.1",
      "s=-",
      "c=IN IP4 127.0.0.1",
      "t=0 0",
      `m=audio ${this.rtp.address().port} RTP/AVP ${formats}`,
      "a=rtpmap:101 telephone-event/8000",
      `a=${direction}`,
      "",
    ].join("\r\n");
  }

  #confirmBye(bye: SipText): void {
    const copied = ["Via", "From", "To", "Call-ID", "CSeq"].map((name) => `${name}: ${bye.header(name)}\r\n`).join("");
    this.send(`SIP/2.0 200 OK\r\n${copied}Content-Length: 0\r\n\r\n`);
  }

  /** Starts a call. */
  invite(number: string, options: { body?: string; extra?: string } = {}): TestCall {
    const call = new TestCall(this, number, ++this.#counter);
    call.sendInvite(options.body ?? this.offer(), options.extra ?? "");
    return call;
  }

  async waitForMessage(matches: (message: SipText) => boolean): Promise<SipText> {
    return vi.waitFor(() => {
      const found = this.messages.find(matches);
      if (!found) throw new Error(`no match among: ${this.messages.map((message) => message.startLine).join(" | ")}`);
      return found;
    }, PATIENCE);
  }

  /** Sends a steady tone in 20 ms packets until stopped. A late timer sends what is due, so that the tone keeps real time. */
  talk(hz: number, codec: Codec = "PCMU"): void {
    clearInterval(this.#talk);
    const startedAtMs = performance.now();
    let position = 0;
    this.#talk = setInterval(() => {
      for (
        const due = ((performance.now() - startedAtMs) * SAMPLE_RATE) / 1000;
        position + FRAME_SAMPLES <= due;
        position += FRAME_SAMPLES
      ) {
        this.sendRtp(codec === "PCMU" ? 0 : 8, encodeG711(codec, steadyTone(hz, position, FRAME_SAMPLES)));
        this.#timestamp = (this.#timestamp + FRAME_SAMPLES) >>> 0;
      }
    }, FRAME_MS);
  }

  stopTalking(): void {
    clearInterval(this.#talk);
  }

  /** Sends a key press as in RFC 4733: updates, then the end three times, all with the same timestamp. */
  press(digit: string): void {
    const event = "0123456789*#ABCD".indexOf(digit);
    for (const [duration, end] of [
      [160, 0],
      [320, 0],
      [480, 0x80],
      [480, 0x80],
      [480, 0x80],
    ] as const)
      this.sendRtp(101, Buffer.from([event, end | 10, duration >> 8, duration & 0xff]));
    this.#timestamp = (this.#timestamp + 800) >>> 0;
  }

  sendRtp(payloadType: number, payload: Buffer): void {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    const packet = { payloadType, marker: false, sequence: this.#sequence, timestamp: this.#timestamp, ssrc: 7, payload };
    const port = this.rtpTarget;
    if (port) this.rtp.send(buildRtp(packet), port, "127.0.0.1");
  }

  get rtpTarget(): number | null {
    const described = this.messages.findLast((message) => message.body.includes("m=audio"));
    return described ? Number(/m=audio (\d+)/.exec(described.body)?.[1]) : null;
  }

  /** Waits for `seconds` of new audio and returns its samples. */
  async listen(seconds: number, codec: Codec = "PCMU"): Promise<Int16Array> {
    const from = this.packets.length;
    await vi.waitFor(() => {
      if (this.packets.length - from < seconds * 50) throw new Error(`only ${this.packets.length - from} packets`);
    }, PATIENCE);
    return decodeG711(codec, Buffer.concat(this.packets.slice(from, from + seconds * 50).map((packet) => packet.payload)));
  }
}

class TestCall {
  readonly caller: TestCaller;
  readonly number: string;
  readonly callId: string;
  #cseq = 1;
  #remoteTag = "";
  readonly #branch: string;
  #lastInvite = "";
  remoteContact = "";

  constructor(caller: TestCaller, number: string, index: number) {
    this.caller = caller;
    this.number = number;
    this.callId = `call-${index}-${caller.sip.address().port}`;
    this.#branch = `z9hG4bK-${this.callId}`;
  }

  sendInvite(body: string, extra = ""): void {
    this.#lastInvite = this.text("INVITE", { body, branch: this.#branch, extra });
    this.caller.send(this.#lastInvite);
  }

  repeatInvite(): void {
    this.caller.send(this.#lastInvite);
  }

  /** Waits for a response to the INVITE of the given sequence number. */
  async response(status: number, cseq = 1): Promise<SipText> {
    const found = await this.caller.waitForMessage((message) => this.#answers(message, status, `${cseq} INVITE`));
    this.#remoteTag = /;tag=(\S+)/.exec(found.header("To"))?.[1] ?? this.#remoteTag;
    this.remoteContact = /<(.*)>/.exec(found.header("Contact"))?.[1] ?? this.remoteContact;
    return found;
  }

  responses(status: number, method = "INVITE"): SipText[] {
    return this.caller.messages.filter((message) => this.#answers(message, status, ` ${method}`));
  }

  /** Acknowledges a 2xx, in a separate transaction. */
  ack(cseq = this.#cseq): void {
    this.caller.send(this.text("ACK", { branch: `${this.#branch}-ack-${cseq}`, cseq }));
  }

  /** Acknowledges a rejection, in the INVITE's transaction. */
  ackRejection(): void {
    this.caller.send(this.text("ACK", { branch: this.#branch, cseq: 1 }));
  }

  cancel(): void {
    this.caller.send(this.text("CANCEL", { branch: this.#branch, cseq: 1, tagged: false }));
  }

  async answered(): Promise<SipText> {
    const ok = await this.response(200);
    this.ack();
    return ok;
  }

  async reinvite(body: string): Promise<SipText> {
    this.#cseq += 1;
    this.caller.send(this.text("INVITE", { body, branch: `${this.#branch}-${this.#cseq}` }));
    const ok = await this.response(200, this.#cseq);
    this.ack(this.#cseq);
    return ok;
  }

  async bye(): Promise<SipText> {
    this.#cseq += 1;
    this.caller.send(this.text("BYE", { branch: `${this.#branch}-bye` }));
    return this.caller.waitForMessage(
      (message) => message.header("CSeq").endsWith("BYE") && message.startLine.startsWith("SIP/2.0"),
    );
  }

  text(method: string, more: { branch: string; body?: string; cseq?: number; tagged?: boolean; extra?: string }): string {
    const { port } = this.caller.sip.address();
    const body = more.body ?? "";
    const toTag = this.#remoteTag && more.tagged !== false && more.branch !== this.#branch ? `;tag=${this.#remoteTag}` : "";
    return [
      `${method} sip:${this.number}@127.0.0.1 SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${port};rport;branch=${more.branch}`,
      "Max-Forwards: 70",
      `From: "Test caller" <sip:+12025550143@127.0.0.1>;tag=from-${this.callId}`,
      `To: <sip:${this.number}@127.0.0.1>${toTag}`,
      `Call-ID: ${this.callId}`,
      `CSeq: ${more.cseq ?? this.#cseq} ${method}`,
      `Contact: <sip:caller@127.0.0.1:${port}>`,
      ...(body ? ["Content-Type: application/sdp"] : []),
      `${more.extra ?? ""}Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n");
  }

  #answers(message: SipText, status: number, cseq: string): boolean {
    return (
      message.startLine.startsWith(`SIP/2.0 ${status} `) &&
      message.header("Call-ID") === this.callId &&
      message.header("CSeq").endsWith(cseq)
    );
  }
}

/** A SIP message as text, parsed with as little code as possible. */
class SipText {
  readonly text: string;
  readonly startLine: string;
  readonly body: string;

  constructor(text: string) {
    this.text = text;
    this.startLine = text.slice(0, text.indexOf("\r\n"));
    this.body = text.slice(text.indexOf("\r\n\r\n") + 4);
  }

  header(name: string): string {
    return new RegExp(`^${name}: (.*)\r$`, "im").exec(this.text)?.[1] ?? "";
  }
}
