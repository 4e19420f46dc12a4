import { expect, it } from "vitest";
import { judgeTones, toneAmplitude } from "./echo-test.ts";

const RATE = 48_000;
const wave = (hertz: number, amplitude: number): Float32Array =>
  Float32Array.from({ length: 1024 }, (_, i) => amplitude * Math.sin((2 * Math.PI * hertz * i) / RATE));

it("measures the amplitude of one tone among other sounds", () => {
  expect(toneAmplitude(wave(1000, 0.25), 1000, RATE)).toBeCloseTo(0.25, 1);
  expect(toneAmplitude(wave(2500, 0.25), 1000, RATE)).toBeLessThan(0.02);
  expect(toneAmplitude(new Float32Array(1024), 1000, RATE)).toBe(0);
  expect(toneAmplitude(new Float32Array(0), 1000, RATE)).toBe(0);
});

it("takes the median tone, so that one outlier does not count", () => {
  const tone = (afterMs: number) => ({ afterMs, amplitude: 0.125 });
  expect(judgeTones([tone(100), tone(90), tone(900), null, tone(110)], 0.25)).toEqual({ roundTripMs: 110, levelDb: -6 });
});

it("reports nothing heard if fewer than half of the tones came back", () => {
  expect(judgeTones([null, null, { afterMs: 1, amplitude: 1 }], 0.25)).toBeNull();
  expect(judgeTones([], 0.25)).toBeNull();
});
