import { readSetting, writeSetting } from "../../../browser/storage.ts";
import type { AudioDevices } from "../../../phone/device/audio-devices.ts";
import { resumable } from "../../../phone/device/remote-audio.ts";

/** Row and column tone of each key, in hertz (ITU-T Q.23). */
const TONES: Readonly<Record<string, readonly [number, number]>> = {
  "1": [697, 1209],
  "2": [697, 1336],
  "3": [697, 1477],
  "4": [770, 1209],
  "5": [770, 1336],
  "6": [770, 1477],
  "7": [852, 1209],
  "8": [852, 1336],
  "9": [852, 1477],
  "*": [941, 1209],
  "0": [941, 1336],
  "#": [941, 1477],
};

const SETTING = "key-sounds";
const KEY_SECONDS = 0.12;
const KEY_LEVEL = 0.06;
const SIGNAL_LEVEL = 0.14;
/** Fade time: an abrupt start or end clicks. */
const RAMP_SECONDS = 0.008;

interface Note {
  readonly hertz: readonly number[];
  readonly atSeconds: number;
  readonly forSeconds: number;
}

/** Two short notes at one minute, four at the last seconds, so that they can be told apart by ear. */
const SIGNALS: Readonly<Record<60 | 15, readonly Note[]>> = {
  60: [0, 0.22].map((atSeconds) => ({ hertz: [880], atSeconds, forSeconds: 0.14 })),
  15: [0, 0.22, 0.44, 0.66].map((atSeconds) => ({ hertz: [1175], atSeconds, forSeconds: 0.14 })),
};
/** A rising third, played once to test a loudspeaker. */
const TEST_NOTES: readonly Note[] = [
  { hertz: [659], atSeconds: 0, forSeconds: 0.25 },
  { hertz: [784], atSeconds: 0.28, forSeconds: 0.45 },
];

let context: AudioContext | null = null;

/** Whether the keypad plays tones. On by default. */
export function keySoundsOn(): boolean {
  return readSetting(SETTING) !== "off";
}

export function chooseKeySounds(on: boolean): void {
  writeSetting(SETTING, on ? null : "off");
}

/** Where the call is heard: the chosen speaker, null for the system's. */
type SpeakerId = AudioDevices["speakerId"];

/** Plays the key's tone pair locally, unless tones are switched off. */
export function soundKey(key: string, speakerId: SpeakerId): void {
  const hertz = TONES[key];
  if (hertz === undefined || !keySoundsOn()) return;
  play([{ hertz, atSeconds: 0, forSeconds: KEY_SECONDS }], KEY_LEVEL, speakerId);
}

/** Warns of the seconds of credit left. Plays even when key tones are off. */
export function soundWarning(secondsLeft: 60 | 15, speakerId: SpeakerId): void {
  play(SIGNALS[secondsLeft], SIGNAL_LEVEL, speakerId);
}

/** Plays the test notes. */
export function playTestNotes(speakerId: SpeakerId): void {
  play(TEST_NOTES, SIGNAL_LEVEL, speakerId);
}

/** Call this only after a user gesture: before one, browsers block sound. */
function play(notes: readonly Note[], level: number, speakerId: SpeakerId): void {
  if (typeof AudioContext === "undefined") return;
  context = resumable(context) ?? new AudioContext();
  const target = context;
  void ready(target, speakerId).then(
    () => sound(target, notes, level),
    // Device removed or autoplay blocked: a missing beep is harmless.
    () => undefined,
  );
}

async function ready(target: AudioContext & { setSinkId?: (id: string) => Promise<void> }, speakerId: SpeakerId): Promise<void> {
  if (target.state !== "running") await target.resume();
  await target.setSinkId?.(speakerId ?? "");
}

function sound(target: AudioContext, notes: readonly Note[], level: number): void {
  for (const { hertz, atSeconds, forSeconds } of notes) {
    const from = target.currentTime + atSeconds;
    const volume = target.createGain();
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(level, from + RAMP_SECONDS);
    volume.gain.setValueAtTime(level, from + forSeconds - RAMP_SECONDS);
    volume.gain.linearRampToValueAtTime(0, from + forSeconds);
    volume.connect(target.destination);
    for (const frequency of hertz) {
      const oscillator = new OscillatorNode(target, { frequency });
      oscillator.connect(volume);
      oscillator.start(from);
      oscillator.stop(from + forSeconds);
    }
  }
}
