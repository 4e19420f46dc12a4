import type { PausedSound } from "./paused-sound.ts";
import { createRingTone } from "./ring-tone.ts";

export interface RemoteAudio {
  readonly element: HTMLAudioElement;
  /** Call it in the click: some browsers allow sound only after a user gesture. */
  unlock(): void;
  /** Plays local ringback; returns the stop function. */
  ring(): () => void;
  /** Stops the far end's sound. */
  silence(): void;
  /** Sends the sound to a speaker; null is the system's. Resolves to false if that is impossible. */
  setSpeaker(id: string | null): Promise<boolean>;
}

/** @param paused resumes the far end's sound when the browser has paused it */
export type CreateRemoteAudio = (paused: PausedSound) => RemoteAudio;

/** The element that plays the far end, and the ringback before it. */
export const createRemoteAudio: CreateRemoteAudio = (paused) => {
  const element = document.createElement("audio");
  element.autoplay = true;
  element.dataset["testid"] = "far-audio";
  element.setAttribute("playsinline", "");
  const tone = createRingTone();
  paused.watchElement(element);
  document.body.append(element);
  return {
    element,
    unlock() {
      // There is nothing to play yet, so the promise rejects; only the call inside the gesture matters.
      element.play().catch(() => undefined);
      tone.unlock();
    },
    ring: () => tone.start(),
    silence() {
      element.srcObject = null;
      tone.rest();
    },
    async setSpeaker(id) {
      if (typeof element.setSinkId !== "function") return id === null;
      try {
        await element.setSinkId(id ?? "");
      } catch {
        // Unplugged, or not allowed on this page: the sound stays where it was.
        return false;
      }
      await tone.setSpeaker(id);
      return true;
    },
  };
};
