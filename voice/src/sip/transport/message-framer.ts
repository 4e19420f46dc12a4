/** Header and body. */
const MAX_MESSAGE_BYTES = 65_536;
const MAX_HEADER_BYTES = 16_384;
const HEADER_END = Buffer.from("\r\n\r\n");
const CONTENT_LENGTH = /^(?:content-length|l)[ \t]*:(.*)$/gim;
const CR = 0x0d;
const LF = 0x0a;

/** The stream does not carry valid SIP; the connection must be closed. */
export class FramingError extends Error {}

/**
 * Splits a stream into SIP messages by Content-Length (RFC 3261 §18.3). Line breaks between messages are keep-alives (RFC 5626 §3.5.1).
 * Buffers at most one message.
 */
export class MessageFramer {
  readonly #buffer = Buffer.allocUnsafe(MAX_MESSAGE_BYTES);
  #length = 0;
  /** Bytes already searched for the end of the header. */
  #searched = 0;
  /** Length of the current message; null until its header is complete. */
  #messageBytes: number | null = null;

  get unfinished(): boolean {
    return this.#length > 0;
  }

  /**
   * @returns the messages that the chunk completes, and whether it contained a keep-alive
   * @throws FramingError for a header or message above the limits, or without a valid Content-Length
   */
  push(chunk: Buffer): { messages: string[]; keepAlive: boolean } {
    const messages: string[] = [];
    let keepAlive = false;
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#length === 0 && (chunk[offset] === CR || chunk[offset] === LF)) {
        keepAlive = true;
        offset += 1;
        continue;
      }
      const limit = this.#messageBytes ?? MAX_HEADER_BYTES;
      const taken = chunk.copy(this.#buffer, this.#length, offset, Math.min(chunk.length, offset + limit - this.#length));
      this.#length += taken;
      offset += taken;
      const end = this.#messageEnd();
      if (end === null || this.#length < end) continue;
      offset -= this.#length - end;
      messages.push(this.#take(end));
    }
    return { messages, keepAlive };
  }

  #messageEnd(): number | null {
    if (this.#messageBytes !== null) return this.#messageBytes;
    const end = this.#buffer.subarray(0, this.#length).indexOf(HEADER_END, this.#searched);
    if (end === -1) {
      if (this.#length >= MAX_HEADER_BYTES) throw new FramingError("The header of a SIP message is too long.");
      this.#searched = Math.max(0, this.#length - HEADER_END.length + 1);
      return null;
    }
    this.#messageBytes = end + HEADER_END.length + contentLength(this.#buffer.toString("latin1", 0, end));
    if (this.#messageBytes > MAX_MESSAGE_BYTES) throw new FramingError("A SIP message is too long.");
    return this.#messageBytes;
  }

  #take(end: number): string {
    const message = this.#buffer.toString("utf8", 0, end);
    this.#length = 0;
    this.#searched = 0;
    this.#messageBytes = null;
    return message;
  }
}

function contentLength(head: string): number {
  const lengths = new Set([...head.matchAll(CONTENT_LENGTH)].map(([, value]) => value?.trim() ?? ""));
  const [length] = lengths;
  if (length === undefined || lengths.size > 1 || !/^\d{1,6}$/.test(length))
    throw new FramingError("A SIP message has no valid Content-Length.");
  return Number(length);
}
