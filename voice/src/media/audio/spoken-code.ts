import type { Language } from "@farline/contract/languages.ts";
import { SAMPLES_PER_SECOND, SILENCE_PCMU } from "./g711.ts";
import { hasAudioClips, readAudioClips } from "./audio-clips.ts";

/** Gives people time to find a pen. */
const REPETITIONS = 3;
const BEFORE_SECONDS = 0.8;
const BETWEEN_DIGITS_SECONDS = 0.35;
const BETWEEN_PARTS_SECONDS = 0.7;
const PART_COUNT = 12;

interface Recordings {
  readonly intro: Buffer;
  readonly again: Buffer;
  readonly digits: readonly Buffer[];
}

const cache = new Map<Language, Recordings>();

/** The complete announcement as PCMU at 8 kHz. @param code digits only */
export function spokenCode(code: string, language: Language): Buffer {
  const { intro, again, digits } = recordingsFor(language);
  const spoken = [...code].flatMap((digit) => [digits[Number(digit)] as Buffer, silence(BETWEEN_DIGITS_SECONDS)]);
  const rounds = Array.from({ length: REPETITIONS }, (_, round) => [
    round === 0 ? intro : again,
    silence(BETWEEN_DIGITS_SECONDS),
    ...spoken,
    silence(BETWEEN_PARTS_SECONDS),
  ]);
  return Buffer.concat([silence(BEFORE_SECONDS), ...rounds.flat()]);
}

/** A language without recordings hears English. */
function recordingsFor(language: Language): Recordings {
  const known = cache.get(language);
  if (known !== undefined) return known;
  if (!hasAudioClips(`code-${language}.bin`)) return recordingsFor("en");
  const [intro, again, ...digits] = readAudioClips(`code-${language}.bin`);
  if (intro === undefined || again === undefined || digits.length !== PART_COUNT - 2)
    throw new Error(`The recordings for ${language} are incomplete.`);
  const recordings = { intro, again, digits };
  cache.set(language, recordings);
  return recordings;
}

function silence(seconds: number): Buffer {
  return Buffer.alloc(Math.round(seconds * SAMPLES_PER_SECOND), SILENCE_PCMU);
}
