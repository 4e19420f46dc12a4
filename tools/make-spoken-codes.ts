import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeUlaw, SAMPLES_PER_SECOND } from "@farline/voice/media/audio/g711.ts";

/**
 * Generates voice/data/code-*.bin, the exchange's announcements in the call that verifies a number:
 * `node tools/make-spoken-codes.ts SOUNDS`. Needs espeak-ng and a folder of recordings; voice/data/NOTICE.md names sources.
 */
const WORDS_PER_MINUTE = { sentence: "145", digit: "115" };
/** A telephone line carries 300 to 3,400 Hz. */
const CUT_OFF_HZ = 3_400;
const FILTER_TAPS = 63;
const PEAK = 24_000;
const QUIET = 150;
const MARGIN_SAMPLES = 240;

interface Speech {
  /** The voice of espeak-ng. */
  readonly voice: string;
  /** A folder of human recordings in SOUNDS, which are easier to understand than a synthetic voice. */
  readonly recordings: string | null;
  /** Spoken before the code: why the phone rings. */
  readonly intro: string;
  /** Spoken before the code is repeated. */
  readonly again: string;
  readonly digits: readonly string[];
}

const SPEECHES: Readonly<Record<string, Speech>> = {
  en: {
    voice: "en-us",
    recordings: "en_US_f_Allison",
    intro: "Hello. This call is to confirm your phone number. If you did not ask for it, please hang up. Your code is:",
    again: "Once more. Your code is:",
    digits: ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
  },
  es: {
    voice: "es-419",
    recordings: "es_MX_f_Allison",
    intro: "Hola. Llamamos para confirmar su número de teléfono. Si no lo ha pedido, cuelgue, por favor. Su código es:",
    again: "Otra vez. Su código es:",
    digits: ["cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"],
  },
  fr: {
    voice: "fr-fr",
    recordings: "fr_CA_f_June",
    intro:
      "Bonjour. Cet appel sert à confirmer votre numéro de téléphone. Si vous n'avez rien demandé, raccrochez. Votre code est :",
    again: "Je répète. Votre code est :",
    digits: ["zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf"],
  },
  hi: {
    voice: "hi",
    recordings: null,
    intro: "नमस्ते। यह कॉल आपके फ़ोन नंबर की पुष्टि के लिए है। अगर आपने इसके लिए नहीं कहा, तो कृपया फ़ोन रख दीजिए। आपका कोड है:",
    again: "एक बार फिर। आपका कोड है:",
    digits: ["शून्य", "एक", "दो", "तीन", "चार", "पाँच", "छह", "सात", "आठ", "नौ"],
  },
  // With vowel marks, because the voice cannot infer the vowels.
  ar: {
    voice: "ar",
    recordings: null,
    intro: "مَرْحَبًا. هٰذِهِ المُكالَمَة لِتَأْكيدِ رَقْمِ هاتِفِك. إذا لَمْ تَطْلُبْها، أَغْلِقِ الخَطَّ مِنْ فَضْلِك. الرَّمْزُ هُوَ:",
    again: "مَرَّةً أُخْرى. الرَّمْزُ هُوَ:",
    digits: ["صِفْر", "واحِد", "اِثْنان", "ثَلاثَه", "أَرْبَعَه", "خَمْسَه", "سِتَّه", "سَبْعَه", "ثَمانِيَه", "تِسْعَه"],
  },
};

const [sounds] = process.argv.slice(2);
if (sounds === undefined) throw new Error("Usage: node tools/make-spoken-codes.ts SOUNDS");
for (const [language, { voice, recordings, intro, again, digits }] of Object.entries(SPEECHES)) {
  const sayDigit = (word: string, digit: number) =>
    recordings === null
      ? speak(voice, word, "digit")
      : encode(readWave(readFileSync(join(sounds, recordings, "digits", `${digit}.wav`))));
  const parts = [speak(voice, intro, "sentence"), speak(voice, again, "sentence"), ...digits.map(sayDigit)];
  const withLengths = parts.flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, part];
  });
  writeFileSync(new URL(`../voice/data/code-${language}.bin`, import.meta.url), Buffer.concat(withLengths));
  console.log(`${language}: ${parts.map((part) => (part.length / SAMPLES_PER_SECOND).toFixed(2)).join(" ")} s`);
}

/** The voice's speech as u-law at 8 kHz, with silence trimmed. */
function speak(voice: string, text: string, kind: keyof typeof WORDS_PER_MINUTE): Buffer {
  const args = ["-v", voice, "-s", WORDS_PER_MINUTE[kind], "--stdout", text];
  const { status, stdout, stderr, error } = spawnSync("espeak-ng", args, { maxBuffer: 16 * 1024 * 1024 });
  if (error !== undefined || status !== 0) throw error ?? new Error(String(stderr));
  return encode(readWave(stdout));
}

/** 16-bit mono samples at 8 kHz. */
function readWave(file: Buffer): number[] {
  const rate = file.readUInt32LE(24);
  const start = file.indexOf("data") + 8;
  const samples = Float64Array.from({ length: (file.length - start) >> 1 }, (_, index) => file.readInt16LE(start + index * 2));
  return rate === SAMPLES_PER_SECOND ? [...samples] : resample(lowPass(samples, rate), rate);
}

function encode(samples: readonly number[]): Buffer {
  const sound = trim(samples);
  const loudest = sound.reduce((max, sample) => Math.max(max, Math.abs(sample)), 1);
  return Buffer.from(sound.map((sample) => encodeUlaw(Math.round((sample * PEAK) / loudest))));
}

function lowPass(samples: Float64Array, rate: number): Float64Array {
  const middle = (FILTER_TAPS - 1) / 2;
  const taps = Float64Array.from({ length: FILTER_TAPS }, (_, index) => {
    const x = index - middle;
    const angle = (2 * Math.PI * CUT_OFF_HZ) / rate;
    const sinc = x === 0 ? angle / Math.PI : Math.sin(angle * x) / (Math.PI * x);
    return sinc * (0.54 - 0.46 * Math.cos((2 * Math.PI * index) / (FILTER_TAPS - 1)));
  });
  return samples.map((_, at) => taps.reduce((sum, tap, index) => sum + tap * (samples[at + index - middle] ?? 0), 0));
}

function resample(samples: Float64Array, rate: number): number[] {
  const length = Math.floor((samples.length * SAMPLES_PER_SECOND) / rate);
  return Array.from({ length }, (_, index) => {
    const position = (index * rate) / SAMPLES_PER_SECOND;
    const before = Math.floor(position);
    const [a, b] = [samples[before] ?? 0, samples[before + 1] ?? 0];
    return a + (b - a) * (position - before);
  });
}

function trim(samples: readonly number[]): number[] {
  const first = samples.findIndex((sample) => Math.abs(sample) > QUIET);
  const last = samples.findLastIndex((sample) => Math.abs(sample) > QUIET);
  return samples.slice(Math.max(0, first - MARGIN_SAMPLES), last + MARGIN_SAMPLES);
}
