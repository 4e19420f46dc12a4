import { MAX_HEAD_BYTES, MAX_MESSAGE_BYTES } from "../message/split-message.ts";

const HEAD_END = Buffer.from("\r\n\r\n");
/** Folded too: the value may stand on the next line. */
const CONTENT_LENGTH = /^(?:content-length|l)[ \t]*:(?:[ \t]|\r\n(?=[ \t]))*([^\r\n]*)/gim;
const CR = 0x0d;
const LF = 0x0a;
/** The two line breaks of a ping are sent at once; those of two pongs are far apart. */
const PING_WITHIN_MS = 1_000;

/** The stream does not carry valid SIP; the connection must be closed. */
export class FramingError extends Error {}

export interface Frames {
  readonly messages: readonly Uint8Array[];
  /** Double line breaks between messages (RFC 5626 §3.5.1). */
  readonly pings: number;
  /** What follows cannot be split into messages. */
  readonly problem: FramingError | null;
  /** The head of a message whose body cannot be told from what follows. */
  readonly head: Uint8Array | null;
}

/** Splits a stream into SIP messages by Content-Length (RFC 3261 §18.3). Buffers at most one message and one chunk. */
export class StreamFramer {
  #buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  /** Bytes after the start already searched for the end of the head. */
  #searched = 0;
  /** Length of the current message; null until its head is complete. */
  #messageBytes: number | null = null;
  /** When the last line break ended that may be the first half of a ping. */
  #halfPingAt: number | null = null;

  /** Whether a message has begun. */
  get unfinished(): boolean {
    return this.#end > this.#start && this.#buffer[this.#start] !== CR;
  }

  /** A head or message above the limits, or without a valid Content-Length, is a problem, which costs no message before it. */
  push(chunk: Uint8Array, nowMs: number): Frames {
    this.#append(chunk);
    const messages: Uint8Array[] = [];
    let pings = 0;
    for (;;) {
      while (this.#skipLineBreak()) if (this.#endsPing(nowMs)) pings += 1;
      const bytes = this.#nextMessageBytes();
      if (bytes instanceof FramingError) return { messages, pings, problem: bytes, head: this.#head };
      if (bytes === null || bytes > this.#end - this.#start) return { messages, pings, problem: null, head: null };
      messages.push(Buffer.from(this.#buffer.subarray(this.#start, this.#start + bytes)));
      this.#start += bytes;
      this.#searched = 0;
      this.#messageBytes = null;
      this.#halfPingAt = null;
    }
  }

  #append(chunk: Uint8Array): void {
    const pending = this.#buffer.subarray(this.#start, this.#end);
    const needed = pending.length + chunk.length;
    if (needed > this.#buffer.length) {
      // Twice the size, so that many small chunks are not copied each time.
      this.#buffer = Buffer.alloc(2 * needed);
      this.#buffer.set(pending);
    } else if (this.#start > 0) this.#buffer.copyWithin(0, this.#start, this.#end);
    this.#buffer.set(chunk, pending.length);
    this.#start = 0;
    this.#end = needed;
  }

  /** Skips a line break between messages, and stray bytes of one. */
  #skipLineBreak(): boolean {
    while (this.#messageBytes === null && this.#searched === 0 && this.#start < this.#end) {
      const [first, second] = [this.#buffer[this.#start], this.#buffer[this.#start + 1]];
      const incomplete = first === CR && this.#start + 1 === this.#end;
      if ((first !== CR && first !== LF) || incomplete) return false;
      const whole = first === CR && second === LF;
      this.#start += whole ? 2 : 1;
      if (whole) return true;
    }
    return false;
  }

  #endsPing(nowMs: number): boolean {
    const ends = this.#halfPingAt !== null && nowMs - this.#halfPingAt <= PING_WITHIN_MS;
    this.#halfPingAt = ends ? null : nowMs;
    return ends;
  }

  get #head(): Uint8Array | null {
    const rest = this.#buffer.subarray(this.#start, this.#end);
    const end = rest.indexOf(HEAD_END);
    return end === -1 || end > MAX_HEAD_BYTES ? null : Buffer.from(rest.subarray(0, end + HEAD_END.length));
  }

  #nextMessageBytes(): number | FramingError | null {
    if (this.#messageBytes !== null) return this.#messageBytes;
    const rest = this.#buffer.subarray(this.#start, this.#end);
    const end = rest.indexOf(HEAD_END, this.#searched);
    if (end > MAX_HEAD_BYTES || (end === -1 && rest.length > MAX_HEAD_BYTES))
      return new FramingError("The head of a SIP message is too long.");
    if (end === -1) {
      this.#searched = Math.max(0, rest.length - HEAD_END.length + 1);
      return null;
    }
    const length = contentLength(rest.toString("latin1", 0, end));
    if (length === null) return new FramingError("A SIP message has no valid Content-Length.");
    const bytes = end + HEAD_END.length + length;
    if (bytes > MAX_MESSAGE_BYTES) return new FramingError("A SIP message is too long.");
    this.#messageBytes = bytes;
    return bytes;
  }
}

function contentLength(head: string): number | null {
  const lengths = new Set([...head.matchAll(CONTENT_LENGTH)].map(([, value]) => value?.trim() ?? ""));
  const [length] = lengths;
  return length === undefined || lengths.size > 1 || !/^\d{1,6}$/.test(length) ? null : Number(length);
}
