import { PhoneError } from "../phone-error.ts";
import { closeMicrophone, type OpenMicrophone } from "./microphone.ts";

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
