import { decodeUlaw } from "@farline/voice/media/sound/g711.ts";
import { spokenCode } from "@farline/voice/media/sound/spoken-code.ts";

const CODE_DIGITS = 6;
const WAV_HEADER_BYTES = 44;
/** By how many samples the right digit must agree for longer than any other: 50 ms. */
const MARGIN_SAMPLES = 400;

/**
 * Understands the code that a phone of the sandbox has heard in English, as a person would by listening.
 * @returns null while it has not been read to the end
 */
export function codeHeard(wave: Buffer): string | null {
  let code = "";
  while (code.length < CODE_DIGITS) {
    const next = Array.from("0123456789", (digit) => ({ digit, agrees: agreement(wave, spokenCode(code + digit, "en")) }));
    const [best, second] = next.toSorted((a, b) => b.agrees - a.agrees);
    if (best === undefined || second === undefined || best.agrees - second.agrees < MARGIN_SAMPLES) return null;
    code += best.digit;
  }
  return code;
}

/** How many samples of the recording are what was expected, from the beginning on. */
function agreement(wave: Buffer, expected: Buffer): number {
  const samples = Math.max(0, wave.length - WAV_HEADER_BYTES) >> 1;
  const differs = expected.findIndex(
    (sample, at) => at >= samples || wave.readInt16LE(WAV_HEADER_BYTES + at * 2) !== decodeUlaw(sample),
  );
  return differs === -1 ? expected.length : differs;
}
