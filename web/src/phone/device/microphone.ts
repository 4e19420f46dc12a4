import { settleWithin } from "@farline/domain/durations.ts";
import { PhoneError } from "../phone-error.ts";

/** Audio processing for a phone call. One channel, because the telephone network is mono. */
export const microphoneConstraints: MediaTrackConstraints = {
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
  channelCount: 1,
};

/** @param deviceId the chosen microphone, or null for the system's; ignored if the device is gone */
export type OpenMicrophone = (deviceId: string | null) => Promise<MediaStream>;

/**
 * Opens the microphone, which may show the browser's permission prompt.
 * Rejects with `microphone_denied`, `microphone_missing` or `microphone_busy`.
 */
export const openMicrophone: OpenMicrophone = async (deviceId) => {
  // Missing on pages without https: the browser then offers no microphone.
  if (!navigator.mediaDevices?.getUserMedia) throw new PhoneError("microphone_denied");
  const open = (device: MediaTrackConstraints): Promise<MediaStream> =>
    navigator.mediaDevices.getUserMedia({ audio: { ...microphoneConstraints, ...device } });
  try {
    if (deviceId === null) return await open({});
    return await open({ deviceId: { exact: deviceId } }).catch((error: unknown) => {
      if (microphoneProblem(error) !== "microphone_missing") throw error;
      return open({});
    });
  } catch (error) {
    throw new PhoneError(microphoneProblem(error), { cause: error });
  }
};

/** Error names from the Media Capture and Streams specification, §10.2 getUserMedia. */
function microphoneProblem(error: unknown): "microphone_denied" | "microphone_missing" | "microphone_busy" {
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  if (name === "NotFoundError" || name === "OverconstrainedError") return "microphone_missing";
  if (name === "NotReadableError" || name === "AbortError") return "microphone_busy";
  return "microphone_denied";
}

/** How long an allowed microphone may take. A headset that changes its mode over Bluetooth takes 3 to 8 s. */
const OPENS_WITHIN_MS = 12_000;
/** How long the browser's question may wait for its answer. Some in-app browsers never ask it. */
const ASKS_WITHIN_MS = 60_000;

/** Gives up on a microphone that does not open in time, and closes it if it opens later. */
export function openInTime(open: OpenMicrophone, permission: () => MicrophonePermission): OpenMicrophone {
  return (deviceId) => {
    const opening = open(deviceId);
    const isAllowed = permission() === "granted";
    return settleWithin(opening, isAllowed ? OPENS_WITHIN_MS : ASKS_WITHIN_MS, () => {
      opening.then(closeMicrophone).catch(() => undefined);
      return Promise.reject(new PhoneError(isAllowed ? "microphone_busy" : "microphone_denied"));
    });
  };
}

export type MicrophonePermission = "granted" | "denied" | "prompt" | "unknown";

/** Reports the permission now and whenever the user changes it; `unknown` if the browser does not report it. */
export type WatchMicrophonePermission = (tell: (permission: MicrophonePermission) => void) => void;

export const watchMicrophonePermission: WatchMicrophonePermission = (tell) => {
  navigator.permissions
    ?.query({ name: "microphone" })
    .then((status) => {
      status.addEventListener("change", () => tell(status.state));
      return tell(status.state);
    })
    // Some browsers do not support this query; the microphone itself can still be requested.
    .catch(() => undefined);
};

function closeMicrophone(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/** `gone`: unplugged or forbidden. `muted`: the system or the device sends silence. */
export type MicrophoneCondition = "open" | "gone" | "muted";

/**
 * An open microphone of a call or a test. The SDK stops the stream of each of its call objects, so it gets copies: the microphone
 * itself stays open until it is closed, and rejoining a call needs no new permission.
 */
export class CallMicrophone {
  readonly #open: OpenMicrophone;
  #stream: MediaStream;
  #copy: MediaStream | null = null;
  #closed = false;
  /** Called when `condition` may have changed. */
  onChange: () => void = () => undefined;

  private constructor(open: OpenMicrophone, stream: MediaStream) {
    this.#open = open;
    this.#stream = stream;
    this.#watch(stream);
  }

  /** Rejects like `openMicrophone`. */
  static async open(open: OpenMicrophone, deviceId: string | null): Promise<CallMicrophone> {
    return new CallMicrophone(open, await open(deviceId));
  }

  /** The microphone's signal, even while muted. */
  get stream(): MediaStream {
    return this.#stream;
  }

  /** Whether the microphone can be heard now. It may be muted from the start, or end before anybody listens. */
  get condition(): MicrophoneCondition {
    const [track] = this.#stream.getAudioTracks();
    if (track === undefined || track.readyState === "ended") return "gone";
    return track.muted ? "muted" : "open";
  }

  /** The browser's id of the device; null if unknown. */
  get deviceId(): string | null {
    return this.#stream.getAudioTracks()[0]?.getSettings().deviceId ?? null;
  }

  /** A new copy of the stream; the previous copy is stopped. */
  copy(): MediaStream {
    if (this.#copy !== null) closeMicrophone(this.#copy);
    this.#copy = this.#stream.clone();
    return this.#copy;
  }

  /** Switches to another device and closes the old one. Rejects like `openMicrophone`; then nothing has changed. */
  async switchTo(deviceId: string | null): Promise<void> {
    const next = await this.#open(deviceId).catch((error: unknown) => this.#openAlone(deviceId, error));
    if (this.#closed) return closeMicrophone(next);
    closeMicrophone(this.#stream);
    this.#stream = next;
    this.#watch(next);
  }

  /** Firefox opens one microphone at a time, and says that another is busy: `cause`. One that is only slow has none. */
  async #openAlone(deviceId: string | null, busy: unknown): Promise<MediaStream> {
    const isBusy = busy instanceof PhoneError && busy.code === "microphone_busy" && busy.cause !== undefined;
    if (!isBusy || this.#closed || this.condition === "gone") throw busy;
    if (this.#copy !== null) closeMicrophone(this.#copy);
    closeMicrophone(this.#stream);
    try {
      return await this.#open(deviceId);
    } catch (error) {
      this.onChange();
      throw error;
    }
  }

  close(): void {
    this.#closed = true;
    if (this.#copy !== null) closeMicrophone(this.#copy);
    closeMicrophone(this.#stream);
  }

  #watch(stream: MediaStream): void {
    for (const track of stream.getAudioTracks())
      for (const event of ["ended", "mute", "unmute"])
        track.addEventListener(event, () => {
          if (!this.#closed && stream === this.#stream) this.onChange();
        });
  }
}
