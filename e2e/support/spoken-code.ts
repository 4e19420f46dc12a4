import { decodeUlaw } from "@farline/voice/media/audio/g711.ts";
import { spokenCode } from "@farline/voice/media/audio/spoken-code.ts";

const CODE_DIGITS = 6;
const WAV_HEADER_BYTES = 44;
/** The right digit must match for this many samples (50 ms) longer than any other. */
const MARGIN_SAMPLES = 400;

/**
 * Recognises the English code that a sandbox phone has heard, as a listener would.
 * @returns null until the code has been read completely
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

/** How many samples of the recording match the expected ones, from the start. */
function agreement(wave: Buffer, expected: Buffer): number {
  const samples = Math.max(0, wave.length - WAV_HEADER_BYTES) >> 1;
  const differs = expected.findIndex(
    (sample, at) => at >= samples || wave.readInt16LE(WAV_HEADER_BYTES + at * 2) !== decodeUlaw(sample),
  );
  return differs === -1 ? expected.length : differs;
}
