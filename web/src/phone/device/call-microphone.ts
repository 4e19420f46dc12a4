import { closeMicrophone, type OpenMicrophone } from "./microphone.ts";

/**
 * The open microphone of a call. The SDK stops the stream it is given with each of its call objects, so it gets copies:
 * the microphone itself stays open until the call is over, and a call that is taken up again asks nobody anew.
 */
export class CallMicrophone {
  readonly #open: OpenMicrophone;
  #stream: MediaStream;
  #copy: MediaStream | null = null;
  #closed = false;
  /** Called when the device went away, as when it is unplugged. */
  onGone: () => void = () => undefined;

  private constructor(open: OpenMicrophone, stream: MediaStream) {
    this.#open = open;
    this.#stream = stream;
    this.#watch(stream);
  }

  /** Rejects as `openMicrophone` does. */
  static async open(open: OpenMicrophone, deviceId: string | null): Promise<CallMicrophone> {
    return new CallMicrophone(open, await open(deviceId));
  }

  /** What the microphone hears, muted or not. */
  get stream(): MediaStream {
    return this.#stream;
  }

  /** A stream to hand out; the one handed out before is stopped. */
  copy(): MediaStream {
    if (this.#copy !== null) closeMicrophone(this.#copy);
    this.#copy = this.#stream.clone();
    return this.#copy;
  }

  /** Changes to another device; the old one is closed. Rejects as `openMicrophone` does, and then nothing has changed. */
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
      track.addEventListener("ended", () => {
        if (!this.#closed && stream === this.#stream) this.onGone();
      });
    }
  }
}
