import { readSetting, writeSetting } from "../../browser/storage.ts";

/** A microphone or a speaker of this machine. */
export interface AudioDevice {
  id: string;
  /** The browser's name for it; empty until microphone access was granted once. */
  label: string;
}

export interface AudioDevices {
  microphones: readonly AudioDevice[];
  speakers: readonly AudioDevice[];
  /** The chosen device; null is the system's default, also while the chosen one is unplugged. */
  microphoneId: string | null;
  speakerId: string | null;
  /** False where the browser cannot select a speaker for a call (Safari). */
  canChooseSpeaker: boolean;
  /** False if this machine has no microphone at all; browsers report that even before access was granted. */
  hasMicrophone: boolean;
  /** False once the last speaker was unplugged. Some browsers list no speakers, so an empty list alone says nothing. */
  hasSpeaker: boolean;
}

export const noDevices: AudioDevices = {
  microphones: [],
  speakers: [],
  microphoneId: null,
  speakerId: null,
  canChooseSpeaker: false,
  hasMicrophone: true,
  hasSpeaker: true,
};

const MICROPHONE_KEY = "farline-microphone";
const SPEAKER_KEY = "farline-speaker";
/** The browser's ids for the system default, which is null here. */
const SYSTEM_CHOICE = new Set(["", "default", "communications"]);

/**
 * Lists the devices, follows plugging and unplugging, and remembers the choice in this browser. If storage is blocked, the
 * choice lasts as long as the page.
 */
export class DeviceChoice {
  readonly #tell: (devices: AudioDevices) => void;
  // Safari has `GestureEvent`. Its `setSinkId` needs a gesture for each element, and iOS ignores it for calls.
  readonly #canChooseSpeaker =
    typeof HTMLMediaElement !== "undefined" && "setSinkId" in HTMLMediaElement.prototype && !("GestureEvent" in globalThis);
  readonly #chosen = { microphone: readSetting(MICROPHONE_KEY), speaker: readSetting(SPEAKER_KEY) };
  #devices = noDevices;
  #watching = false;
  #listsSpeakers = false;

  constructor(tell: (devices: AudioDevices) => void) {
    this.#tell = tell;
  }

  get devices(): AudioDevices {
    return this.#devices;
  }

  /** Rereads the list. Before microphone access was granted once, browsers hide names and most devices. */
  async refresh(): Promise<void> {
    if (typeof navigator === "undefined" || !navigator.mediaDevices?.enumerateDevices) return;
    if (!this.#watching) {
      this.#watching = true;
      navigator.mediaDevices.addEventListener("devicechange", () => void this.refresh());
    }
    const all = await navigator.mediaDevices.enumerateDevices().catch(() => null);
    if (all === null) return;
    const has = (kind: MediaDeviceKind): boolean => all.some((device) => device.kind === kind);
    this.#listsSpeakers ||= has("audiooutput");
    const of = (kind: MediaDeviceKind): AudioDevice[] =>
      all
        .filter((device) => device.kind === kind && !SYSTEM_CHOICE.has(device.deviceId))
        .map(({ deviceId, label }) => ({ id: deviceId, label }));
    const microphones = of("audioinput");
    const speakers = of("audiooutput");
    this.#devices = {
      microphones,
      speakers,
      microphoneId: present(this.#chosen.microphone, microphones),
      speakerId: this.#canChooseSpeaker ? present(this.#chosen.speaker, speakers) : null,
      canChooseSpeaker: this.#canChooseSpeaker,
      hasMicrophone: has("audioinput"),
      hasSpeaker: !this.#listsSpeakers || has("audiooutput"),
    };
    this.#tell(this.#devices);
  }

  /** Reads the names, which browsers hide until a microphone is opened. Does nothing once they are known. */
  async readNames(): Promise<void> {
    if (this.#devices.microphones.every(({ label }) => label === "")) await this.refresh();
  }

  /** The microphone to open: the chosen one, even before the list was read. */
  get wantedMicrophone(): string | null {
    return this.#chosen.microphone;
  }

  chooseMicrophone(id: string | null): void {
    this.#chosen.microphone = id;
    writeSetting(MICROPHONE_KEY, id);
    this.#devices = { ...this.#devices, microphoneId: id };
    this.#tell(this.#devices);
  }

  chooseSpeaker(id: string | null): void {
    this.#chosen.speaker = id;
    writeSetting(SPEAKER_KEY, id);
    this.#devices = { ...this.#devices, speakerId: id };
    this.#tell(this.#devices);
  }
}

function present(id: string | null, devices: readonly AudioDevice[]): string | null {
  return devices.some((device) => device.id === id) ? id : null;
}
