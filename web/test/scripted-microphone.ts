import type { MicrophonePermission, OpenMicrophone } from "../src/phone/device/microphone.ts";

interface ScriptedTrack {
  readonly kind: "audio";
  readyState: "live" | "ended";
  muted: boolean;
  stop(): void;
  addEventListener(event: string, listener: () => void): void;
}

/** For tests: the browser's microphone, its permission and its devices. */
export class ScriptedMicrophone {
  /** The error with which opening fails. */
  refuse: Error | null = null;
  /** Streams that are open now. */
  open = 0;
  /** The system sends silence from the start. */
  opensMuted = false;
  /** The devices that were requested. */
  readonly devices: (string | null)[] = [];
  /** The permission prompt. */
  waits: Promise<void> = Promise.resolve();
  #newest: { track: ScriptedTrack; listeners: { event: string; listener: () => void }[] } | null = null;
  #tellPermission: (permission: MicrophonePermission) => void = () => undefined;

  readonly openMicrophone: OpenMicrophone = async (deviceId) => {
    await this.waits;
    if (this.refuse !== null) throw this.refuse;
    this.devices.push(deviceId);
    return this.#stream(true);
  };

  readonly watchPermission = (tell: (permission: MicrophonePermission) => void): void => {
    this.#tellPermission = tell;
  };

  /** The user changes the permission in the browser. */
  permit(permission: MicrophonePermission): void {
    this.#tellPermission(permission);
  }

  /** Fires an event on the microphone opened last. */
  happens(event: "ended" | "mute" | "unmute"): void {
    if (this.#newest === null) throw new Error("no microphone was opened");
    const { track, listeners } = this.#newest;
    if (event === "ended") track.readyState = "ended";
    else track.muted = event === "mute";
    for (const one of listeners) if (one.event === event) one.listener();
  }

  /** A stream that counts as open until it is stopped. */
  #stream(isNewest: boolean): MediaStream {
    this.open += 1;
    const listeners: { event: string; listener: () => void }[] = [];
    const track: ScriptedTrack = {
      kind: "audio",
      readyState: "live",
      muted: this.opensMuted,
      stop: () => {
        if (live) this.open -= 1;
        live = false;
      },
      addEventListener: (event, listener) => listeners.push({ event, listener }),
    };
    let live = true;
    if (isNewest) this.#newest = { track, listeners };
    return {
      getTracks: () => [track],
      getAudioTracks: () => [track],
      clone: () => this.#stream(false),
    } as unknown as MediaStream;
  }
}
