import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { type FramingError, StreamFramer } from "./stream-framer.ts";

function message(body: string, length: number | string = Buffer.byteLength(body), name = "Content-Length"): string {
  return `OPTIONS sip:a SIP/2.0\r\nCSeq: 1 OPTIONS\r\n${name}: ${length}\r\n\r\n${body}`;
}

function push(framer: StreamFramer, chunk: Buffer | string, nowMs = 0) {
  const { messages, pings } = framer.push(Buffer.from(chunk), nowMs);
  return { messages: messages.map((bytes) => Buffer.from(bytes).toString()), pings };
}

function frames(...chunks: (string | Buffer)[]): string[] {
  const framer = new StreamFramer();
  return chunks.flatMap((chunk) => push(framer, chunk).messages);
}

function problems(...chunks: string[]): (FramingError | null)[] {
  const framer = new StreamFramer();
  return chunks.map((chunk) => framer.push(Buffer.from(chunk), 0).problem);
}

const three = [message("v=0\r\nä"), message(""), message("\r\n\r\n", 4, "l")];
const stream = three.join("");

describe("a stream of messages", () => {
  it("yields the same messages however it is fragmented", () => {
    expect(frames(stream)).toEqual(three);
    const bytes = Buffer.from(stream);
    expect(frames(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(three);
    for (let at = 0; at <= bytes.length; at += 1)
      expect(frames(bytes.subarray(0, at), bytes.subarray(at)), `split at ${at}`).toEqual(three);
  });

  test.prop([
    fc.array(fc.nat(300), { maxLength: 20 }),
    fc.array(fc.constantFrom(...three, "\r\n", "\r\n\r\n"), { maxLength: 12 }),
  ])("yields them between keep-alives too", (cuts, parts) => {
    const bytes = Buffer.from(parts.join(""));
    const framer = new StreamFramer();
    const heard: string[] = [];
    let start = 0;
    for (const length of [...cuts, bytes.length]) {
      heard.push(...push(framer, bytes.subarray(start, start + length)).messages);
      start += length;
    }
    expect(heard).toEqual(parts.filter((part) => part.trim() !== ""));
    expect(framer.unfinished).toBe(false);
  });

  it("reports an unfinished message until its last byte", () => {
    const framer = new StreamFramer();
    push(framer, message("abc").slice(0, -1));
    expect(framer.unfinished).toBe(true);
    expect(push(framer, "c").messages).toEqual([message("abc")]);
    expect(framer.unfinished).toBe(false);
  });

  it("reads a length on the next line", () => {
    const folded = message("abc").replace("Length: ", "Length:\r\n  ");
    expect(frames(folded + stream)).toEqual([folded, ...three]);
  });

  it("does not change a message when the next one arrives", () => {
    const framer = new StreamFramer();
    const [first] = framer.push(Buffer.from(message("abc") + stream), 0).messages;
    framer.push(Buffer.from(stream.repeat(50)), 0);
    expect(Buffer.from(first ?? []).toString()).toBe(message("abc"));
  });
});

describe("a double line break is a ping", () => {
  it("in one chunk, in several, and more than one of them", () => {
    const framer = new StreamFramer();
    expect(push(framer, "\r\n\r\n")).toEqual({ messages: [], pings: 1 });
    for (const byte of ["\r", "\n", "\r"]) expect(push(framer, byte).pings).toBe(0);
    expect(push(framer, "\n").pings).toBe(1);
    expect(push(framer, "\r\n\r\n\r\n\r\n").pings).toBe(2);
    expect(push(framer, `${three[0]}\r\n\r\n${three[1]}`)).toEqual({ messages: three.slice(0, 2), pings: 1 });
  });

  it("but a single one is not, nor two that are far apart or separated by a message", () => {
    const framer = new StreamFramer();
    expect(push(framer, "\r\n", 0)).toEqual({ messages: [], pings: 0 });
    expect(push(framer, "\r\n", 30_000).pings).toBe(0);
    expect(push(framer, `${three[0]}\r\n${three[1]}\r\n`, 60_000)).toEqual({
      messages: three.slice(0, 2),
      pings: 0,
    });
    expect(push(framer, three[0] as string, 60_000)).toEqual({ messages: [three[0]], pings: 0 });
  });

  it("and a stray line feed is ignored", () => {
    expect(push(new StreamFramer(), `\n\r${three[0]}`)).toEqual({ messages: [three[0]], pings: 0 });
  });
});

describe("a stream with a broken message is a problem:", () => {
  it.each([
    ["headers without an end", `INVITE sip:a SIP/2.0\r\n${"X: y\r\n".repeat(8_000)}`],
    ["one line without an end", "a".repeat(40_000)],
    ["a body above the limit", message("", 65_536)],
    ["a length of many digits", message("", "99999999999999999999")],
    ["a negative length", message("", "-1")],
    ["no length", "OPTIONS sip:a SIP/2.0\r\nCSeq: 1 OPTIONS\r\n\r\n"],
    ["two lengths", "OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\nl: 5\r\n\r\n"],
    ["a second length that cannot be read", "OPTIONS sip:a SIP/2.0\r\nContent-Length: 0\r\nContent-Length: 5, 6\r\n\r\n"],
  ])("%s", (_, text) => {
    expect(problems(text)[0]?.message).toContain("SIP message");
    expect(problems(...(text.slice(0, 40_000).match(/[\s\S]{1,7}/g) ?? [])).some((problem) => problem !== null)).toBe(true);
  });

  it("the messages before it are whole", () => {
    const broken = "OPTIONS sip:a SIP/2.0\r\n\r\n";
    const { messages, problem, head } = new StreamFramer().push(Buffer.from(`${stream}${broken}v=0\r\n`), 0);
    expect(messages).toHaveLength(three.length);
    expect(problem?.message).toContain("Content-Length");
    expect(Buffer.from(head ?? []).toString()).toBe(broken);
  });

  it("accepts a message of the maximum size", () => {
    const head = message("", 65_000);
    const whole = message("a".repeat(65_536 - head.length), 65_536 - head.length);
    expect(whole).toHaveLength(65_536);
    expect(frames(whole.slice(0, 40_000), whole.slice(40_000))).toEqual([whole]);
  });
});
