import { expect, test } from "vitest";
import { opus } from "../audio/opus.ts";
import { PacketAge } from "./packet-age.ts";

const FIRST_TIMESTAMP = 0xffff_ff00; // wraps soon

/** Ages of packets sent 20 ms apart that arrived with these delays. */
function ages(delaysMs: readonly number[], age = new PacketAge(), ssrc = 1): number[] {
  return delaysMs.map((delayMs, i) => {
    const timestamp = (FIRST_TIMESTAMP + i * 160) >>> 0;
    return Math.round(age.of({ ssrc, timestamp }, 10_000 + i * 20 + delayMs));
  });
}

test("the age is relative to the fastest packet", () => {
  expect(ages([30, 30, 130, 20, 150])).toEqual([0, 0, 100, 0, 130]);
});

test("the fastest packet expires, because clocks drift and paths change", () => {
  const change = [...Array<number>(300).fill(0), ...Array<number>(600).fill(80)];
  expect(ages(change).at(310)).toBe(80);
  expect(ages(change).at(-1)).toBe(0);
});

test("a new source resets the age", () => {
  const age = new PacketAge();
  ages([0, 0], age);
  expect(ages([5_000, 5_000], age, 2)).toEqual([0, 0]);
});

test("another clock resets the age", () => {
  const age = new PacketAge();
  ages([0, 0], age);
  age.useClock(opus);
  const arrivals = [10_040, 10_060, 10_180];
  expect(arrivals.map((nowMs, i) => Math.round(age.of({ ssrc: 1, timestamp: i * opus.frameTicks }, nowMs)))).toEqual([0, 0, 100]);
});
