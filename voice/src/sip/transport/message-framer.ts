/** A whole message: its head and its body. */
const MAX_MESSAGE_BYTES = 65_536;
const MAX_HEAD_BYTES = 16_384;
const HEAD_END = Buffer.from("\r\n\r\n");
const CONTENT_LENGTH = /^(?:content-length|l)[ \t]*:(.*)$/gim;
const CR = 0x0d;
const LF = 0x0a;

/** The stream does not carry SIP messages; the connection is of no further use. */
export class FramingError extends Error {}

/**
 * Cuts a stream into SIP messages by Content-Length (RFC 3261 §18.3). Line breaks between messages are keep-alives (RFC 5626 §3.5.1).
 * Holds at most one message.
 */
export class MessageFramer {
  readonly #buffer = Buffer.allocUnsafe(MAX_MESSAGE_BYTES);
  #length = 0;
  /** Bytes of the buffer in which the end of the head is not. */
  #searched = 0;
  /** Bytes of the message that is being read, once its head is there. */
  #wanted: number | null = null;

  /** A message has begun and is not complete. */
  get unfinished(): boolean {
    return this.#length > 0;
  }

  /**
   * @returns the messages that the chunk completes, and whether it had line breaks between messages
   * @throws FramingError for a head or message above the limits, or without one clear Content-Length
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
      const limit = this.#wanted ?? MAX_HEAD_BYTES;
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

  /** Null as long as the head is not complete. */
  #messageEnd(): number | null {
    if (this.#wanted !== null) return this.#wanted;
    const end = this.#buffer.subarray(0, this.#length).indexOf(HEAD_END, this.#searched);
    if (end === -1) {
      if (this.#length >= MAX_HEAD_BYTES) throw new FramingError("The head of a SIP message is too long.");
      this.#searched = Math.max(0, this.#length - HEAD_END.length + 1);
      return null;
    }
    this.#wanted = end + HEAD_END.length + contentLength(this.#buffer.toString("latin1", 0, end));
    if (this.#wanted > MAX_MESSAGE_BYTES) throw new FramingError("A SIP message is too long.");
    return this.#wanted;
  }

  #take(end: number): string {
    const message = this.#buffer.toString("utf8", 0, end);
    this.#length = 0;
    this.#searched = 0;
    this.#wanted = null;
    return message;
  }
}

function contentLength(head: string): number {
  const lengths = new Set([...head.matchAll(CONTENT_LENGTH)].map(([, value]) => value?.trim() ?? ""));
  const [length] = lengths;
  if (length === undefined || lengths.size > 1 || !/^\d{1,6}$/.test(length))
    throw new FramingError("A SIP message has no clear Content-Length.");
  return Number(length);
}
