import { describe, expect, it } from "vitest";
import { FramingError, MessageFramer } from "./message-framer.ts";

function message(body: string, length: number | string = Buffer.byteLength(body), name = "Content-Length"): string {
  return `OPTIONS sip:a SIP/2.0\r\nCSeq: 1 OPTIONS\r\n${name}: ${length}\r\n\r\n${body}`;
}

function frames(...chunks: string[]): string[] {
  const framer = new MessageFramer();
  return chunks.flatMap((chunk) => framer.push(Buffer.from(chunk)).messages);
}

describe("a stream of messages", () => {
  const three = [message("v=0\r\nä"), message(""), message("\r\n\r\n", 4, "l")];
  const stream = three.join("");

  it("yields the same messages however it is fragmented", () => {
    expect(frames(stream)).toEqual(three);
    expect(frames(...stream)).toEqual(three);
    const bytes = Buffer.from(stream);
    for (let at = 0; at <= bytes.length; at += 1) {
      const framer = new MessageFramer();
      const parts = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(parts.flatMap((part) => framer.push(part).messages)).toEqual(three);
      expect(framer.unfinished).toBe(false);
    }
  });

  it("may contain keep-alives between messages", () => {
    const framer = new MessageFramer();
    expect(framer.push(Buffer.from("\r\n"))).toEqual({ messages: [], keepAlive: true });
    expect(framer.push(Buffer.from(`\r\n\r\n${three[0]}\r\n${three[1]}`))).toEqual({
      messages: three.slice(0, 2),
      keepAlive: true,
    });
    expect(framer.unfinished).toBe(false);
  });

  it("reports an unfinished message until its last byte", () => {
    const framer = new MessageFramer();
    framer.push(Buffer.from(message("abc").slice(0, -1)));
    expect(framer.unfinished).toBe(true);
    expect(framer.push(Buffer.from("c")).messages).toEqual([message("abc")]);
    expect(framer.unfinished).toBe(false);
  });
});

describe("an invalid stream throws a FramingError:", () => {
  const endless = `INVITE sip:a SIP/2.0\r\n${"X: y\r\n".repeat(4_000)}`;
  it.each([
    ["headers without an end", endless],
    ["one line without an end", "a".repeat(20_000)],
    ["a body above the limit", message("", 65_536)],
    ["a length of many digits", message("", "99999999999999999999")],
    ["a negative length", message("", "-1")],
    ["no length", "OPTIONS sip:a SIP/2.0\r\nCSeq: 1 OPTIONS\r\n\r\n"],
    ["two lengths", "OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\nl: 5\r\n\r\n"],
    ["a second length that cannot be read", "OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\nContent-Length: 5, 6\r\n\r\n"],
    ["a length on the next line", "OPTIONS sip:a SIP/2.0\r\nContent-Length:\r\n 5\r\n\r\n"],
  ])("%s", (_, text) => {
    expect(() => frames(text)).toThrow(FramingError);
    expect(() => frames(...text.slice(0, 30_000))).toThrow(FramingError);
  });

  it("accepts a message of the maximum size", () => {
    const head = message("", 65_000);
    const whole = message("a".repeat(65_536 - head.length), 65_536 - head.length);
    expect(whole).toHaveLength(65_536);
    expect(frames(whole.slice(0, 40_000), whole.slice(40_000))).toEqual([whole]);
  });
});
