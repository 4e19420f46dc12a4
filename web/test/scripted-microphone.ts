import type { MicrophonePermission, OpenMicrophone } from "../src/phone/device/microphone.ts";

interface ScriptedTrack {
  readonly kind: "audio";
  readyState: "live" | "ended";
  muted: boolean;
  stop(): void;
  addEventListener(event: string, listener: () => void): void;
  getSettings(): { deviceId: string };
}

/** For tests: the browser's microphone, its permission and its devices. */
export class ScriptedMicrophone {
  /** The error with which opening fails. */
  refuse: Error | null = null;
  /** The error with which opening fails while so many streams are open. */
  refuseWhile: (open: number) => Error | null = () => null;
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
    const refused = this.refuse ?? this.refuseWhile(this.open);
    if (refused !== null) throw refused;
    this.devices.push(deviceId);
    return this.#stream(deviceId ?? "default");
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
  #stream(deviceId: string, isNewest = true): MediaStream {
    this.open += 1;
    const listeners: { event: string; listener: () => void }[] = [];
    const track: ScriptedTrack = {
      kind: "audio",
      readyState: "live",
      muted: this.opensMuted,
      stop: () => {
        track.readyState = "ended";
        if (live) this.open -= 1;
        live = false;
      },
      addEventListener: (event, listener) => listeners.push({ event, listener }),
      getSettings: () => ({ deviceId }),
    };
    let live = true;
    if (isNewest) this.#newest = { track, listeners };
    return {
      getTracks: () => [track],
      getAudioTracks: () => [track],
      clone: () => this.#stream(deviceId, false),
    } as unknown as MediaStream;
  }
}
