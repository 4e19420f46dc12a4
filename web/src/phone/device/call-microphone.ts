import { closeMicrophone, type OpenMicrophone } from "./microphone.ts";

/**
 * A call's open microphone. The SDK stops the stream of each of its call objects, so it gets copies: the microphone itself
 * stays open until the call is over, and rejoining a call needs no new permission.
 */
export class CallMicrophone {
  readonly #open: OpenMicrophone;
  #stream: MediaStream;
  #copy: MediaStream | null = null;
  #closed = false;
  /** Called when the device disappears, for example when it is unplugged. */
  onGone: () => void = () => undefined;
  /** Called when the system or the device begins, or stops, to send silence. */
  onSystemMute: (muted: boolean) => void = () => undefined;

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

  /** A new copy of the stream; the previous copy is stopped. */
  copy(): MediaStream {
    if (this.#copy !== null) closeMicrophone(this.#copy);
    this.#copy = this.#stream.clone();
    return this.#copy;
  }

  /** Switches to another device and closes the old one. Rejects like `openMicrophone`; then nothing has changed. */
  async switchTo(deviceId: string | null): Promise<void> {
    const next = await this.#open(deviceId);
    if (this.#closed) return closeMicrophone(next);
    closeMicrophone(this.#stream);
    this.#stream = next;
    this.#watch(next);
  }

  close(): void {
    this.#closed = true;
    if (this.#copy !== null) closeMicrophone(this.#copy);
    closeMicrophone(this.#stream);
  }

  #watch(stream: MediaStream): void {
    for (const track of stream.getAudioTracks()) {
      const listen = (event: "ended" | "mute" | "unmute", tell: () => void): void =>
        track.addEventListener(event, () => {
          if (!this.#closed && stream === this.#stream) tell();
        });
      listen("ended", () => this.onGone());
      listen("mute", () => this.onSystemMute(true));
      listen("unmute", () => this.onSystemMute(false));
    }
  }
}
