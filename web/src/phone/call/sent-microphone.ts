import type { CallMicrophone, MicrophoneCondition } from "../device/microphone.ts";
import { sendMicrophone, type VoiceCall } from "../line/voice-client.ts";

interface SentMicrophoneDeps {
  microphone: CallMicrophone;
  /** The call object that sends it; null without one. */
  sender(): VoiceCall | null;
  isMuted(): boolean;
  isOver(): boolean;
  onCondition(condition: MicrophoneCondition): void;
}

/** The microphone that a call sends. One that is gone is opened again, or any other; without one the caller is told that nobody hears them. */
export class SentMicrophone {
  readonly #deps: SentMicrophoneDeps;
  #shown: MicrophoneCondition = "open";
  #isReplacing = false;

  constructor(deps: SentMicrophoneDeps) {
    this.#deps = deps;
    deps.microphone.onChange = () => this.look();
  }

  /** For a new call object: the SDK stops the stream of each. */
  copy(): MediaStream {
    return this.#deps.microphone.copy();
  }

  /** Looks at its condition. It may have been muted from the start, or unplugged while the call was set up. */
  look(): void {
    const { condition } = this.#deps.microphone;
    if (condition === "gone") void this.#replace();
    else this.#show(condition);
  }

  /** Switches to another microphone. Rejects like `openMicrophone`, and the old one then continues. */
  async switchTo(deviceId: string | null): Promise<void> {
    const { microphone, sender, isMuted, isOver } = this.#deps;
    await microphone.switchTo(deviceId);
    this.#show(microphone.condition);
    const call = sender();
    if (isOver() || call === null) return;
    const sent = sendMicrophone(call, microphone.copy());
    if (isMuted()) call.muteAudio();
    await sent;
  }

  /**
   * Retries a microphone that is gone: a device or a permission may be back.
   * @param orMuted also one that the system mutes, as iOS leaves it after a phone call. Opening it may undo the caller's own mute in the
   * browser, so only after the browser had interrupted the sound, or when the caller unmutes
   */
  retry({ orMuted = false } = {}): void {
    if (this.#shown === "gone" || (orMuted && this.#shown === "muted")) void this.#replace();
  }

  /** Returns to the chosen microphone, which was unplugged and is back. */
  returnTo(deviceId: string): void {
    const { condition, deviceId: used } = this.#deps.microphone;
    if (condition === "gone" || used !== deviceId) void this.#replace(deviceId);
  }

  async #replace(deviceId: string | null = null): Promise<void> {
    if (this.#deps.isOver() || this.#isReplacing) return;
    this.#isReplacing = true;
    const { microphone } = this.#deps;
    try {
      await this.switchTo(deviceId ?? (microphone.condition === "gone" ? null : microphone.deviceId));
    } catch {
      this.#show(microphone.condition);
    } finally {
      this.#isReplacing = false;
    }
  }

  #show(condition: MicrophoneCondition): void {
    if (this.#deps.isOver() || condition === this.#shown) return;
    this.#shown = condition;
    this.#deps.onCondition(condition);
  }
}
