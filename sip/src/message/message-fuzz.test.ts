import fc from "fast-check";
import { expect, it } from "vitest";
import { messages } from "../../test/arbitrary-messages.ts";
import { parseMessage } from "./parse-message.ts";
import { sdpOf } from "./multipart.ts";
import { parseReasons } from "./reason.ts";
import { MAX_MESSAGE_BYTES } from "./split-message.ts";
import { parseUri, sameUri } from "./uri.ts";
import { writeMessage } from "./write-message.ts";

const RUNS = process.env["FULL"] === "1" ? 1_000_000 : 20_000;
const WITHIN_MS = 600_000;
/** Mutations of one generated message. */
const MUTATIONS = 50;
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261);
const NOISE = [
  "\r\n",
  "\r\n ",
  '"',
  "\\",
  "<",
  ">",
  ";",
  ",",
  ":",
  "=",
  "@",
  "%",
  "?",
  " ",
  "\t",
  "\u0000",
  "é",
  "SIP/2.0",
  "Via",
  "tag=",
  "boundary=",
  "--",
  "9".repeat(40),
];

/** A small generator, so that a failure is found again by its seed (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function mutate(bytes: Buffer, random: (below: number) => number): Buffer {
  let mutated = bytes;
  for (let change = 0; change <= random(4); change += 1) {
    const at = random(mutated.length + 1);
    const noise = random(3) === 0 ? Buffer.from([random(256)]) : Buffer.from(NOISE[random(NOISE.length)] as string);
    const cut = random(4) === 0 ? random(60) : random(2);
    mutated = Buffer.concat([mutated.subarray(0, at), noise, mutated.subarray(at + cut)]);
  }
  return mutated;
}

it(
  `parses ${RUNS} mutated messages without an exception, and writes what it accepts (seed ${SEED})`,
  { timeout: WITHIN_MS },
  () => {
    const random = randomNumbers(SEED);
    let accepted = 0;
    for (let done = 0; done < RUNS; done += MUTATIONS) {
      const [message] = fc.sample(messages, { numRuns: 1, seed: SEED + done });
      const original = writeMessage(message as NonNullable<typeof message>);
      for (let mutation = 0; mutation < MUTATIONS; mutation += 1) {
        const result = parseMessage(mutate(original, random));
        if (!result.ok) {
          if (result.refusal !== null) writeMessage(result.refusal);
          continue;
        }
        accepted += 1;
        sdpOf(result.message);
        parseReasons(result.message.headers.get("reason") ?? []);
        parseUri(result.message.from.uri);
        sameUri(result.message.from.uri, result.message.to.uri);
        const again = parseMessage(writeMessage(result.message));
        if (!again.ok) throw new Error(`not read again: ${again.problem}\n${writeMessage(result.message).toString()}`);
      }
    }
    expect(accepted).toBeGreaterThan(RUNS / 10);
    expect(accepted).toBeLessThan(RUNS);
  },
);

const HEAD = "INVITE sip:b SIP/2.0\r\nVia: SIP/2.0/UDP a;branch=z9\r\nFrom: <sip:a>;tag=1\r\nCall-ID: c\r\nCSeq: 1 INVITE\r\n";

/** Hostile messages that grow with `size`. Each repeats something that a careless pattern would scan again and again. */
const HOSTILE: Record<string, (size: number) => string> = {
  "white space in To": (size) => `${HEAD}To: <sip:b>${" ".repeat(size)}x\r\n\r\n`,
  "white space in CSeq": (size) => `${HEAD.replace("1 INVITE", `1${" ".repeat(size)}`)}To: <sip:b>\r\n\r\n`,
  "white space in Via": (size) =>
    `${HEAD.replace("UDP a", `UDP${" \t".repeat(size / 2)}a${" ".repeat(size / 2)}x`)}To: <sip:b>\r\n\r\n`,
  "open brackets": (size) => `${HEAD}To: ${"<".repeat(size)}\r\n\r\n`,
  quotes: (size) => `${HEAD}To: ${'"'.repeat(size)}\r\n\r\n`,
  backslashes: (size) => `${HEAD}To: "${"\\".repeat(size)}\r\n\r\n`,
  "parameters without a name": (size) => `${HEAD}To: <sip:b>${";=".repeat(size / 2)}\r\n\r\n`,
  semicolons: (size) => `${HEAD}To: <sip:b>${";".repeat(size)}\r\n\r\n`,
  commas: (size) => `${HEAD}To: <sip:b>\r\nSupported: ${",".repeat(size)}\r\n\r\n`,
  "folded lines": (size) => `${HEAD}To: <sip:b>\r\nSubject: ${"\r\n ".repeat(size / 3)}\r\n\r\n`,
  "line breaks first": (size) => `${"\r\n".repeat(size / 2)}${HEAD}`,
  "a long request line": (size) => `A${" ".repeat(size)}B SIP/2.0\r\n\r\n`,
  "a long phrase": (size) => `SIP/2.0 200${" ".repeat(size)}\r\n\r\n`,
  "digits in Content-Length": (size) => `${HEAD}To: <sip:b>\r\nContent-Length: ${"1".repeat(size)}\r\n\r\n`,
  "escapes in a URI": (size) => `${HEAD}To: <sip:${"%25".repeat(size / 3)}@b>\r\n\r\n`,
  delimiters: (size) => `${HEAD}To: <sip:b>\r\nContent-Type: multipart/mixed;boundary=b\r\n\r\n${"\r\n--bb".repeat(size / 6)}`,
  "parts of parts": (size) =>
    `${HEAD}To: <sip:b>\r\nContent-Type: multipart/mixed;boundary=b\r\n\r\n${"\r\n--b\r\nContent-Type: multipart/mixed;boundary=b\r\n\r\n".repeat(size / 52)}`,
};
const SMALL = 1_500;
const GROWTH = 10;
const TIMES = 4;
const ROUNDS = 5;

/** Microseconds of processor. Unlike a thread's, the process's time does not come in steps of 4 ms. */
function cpuOf(bytes: Buffer, times: number): number {
  const began = process.cpuUsage();
  for (let time = 0; time < times; time += 1) {
    const result = parseMessage(bytes);
    if (result.ok) {
      sdpOf(result.message);
      sameUri(result.message.from.uri, result.message.to.uri);
    }
  }
  const { user, system } = process.cpuUsage(began);
  return user + system;
}

it.each(Object.entries(HOSTILE))("takes time linear in the size of %s", (_what, build) => {
  const [small, large] = [Buffer.from(build(SMALL)), Buffer.from(build(SMALL * GROWTH))];
  expect(large.length).toBeLessThan(MAX_MESSAGE_BYTES);
  // As many bytes in one message as in ten: quadratic work would take ten times as long.
  const ratios = Array.from({ length: ROUNDS }, () => cpuOf(large, TIMES) / cpuOf(small, TIMES * GROWTH));
  expect(Math.min(...ratios)).toBeLessThan(GROWTH / 2);
});
