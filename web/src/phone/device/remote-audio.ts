export interface RemoteAudio {
  readonly element: HTMLAudioElement;
  /** Call it in the click: some browsers let an element play by itself only after a gesture touched it. */
  unlock(): void;
  /** Nothing sounds any more. */
  silence(): void;
  /** Sends the sound to a speaker, null to the system's. Resolves to false where that cannot be. */
  setSpeaker(id: string | null): Promise<boolean>;
}

export type CreateRemoteAudio = () => RemoteAudio;

/** The element the far end is heard from. */
export const createRemoteAudio: CreateRemoteAudio = () => {
  const element = document.createElement("audio");
  element.autoplay = true;
  element.dataset["testid"] = "far-audio";
  element.setAttribute("playsinline", "");
  document.body.append(element);
  return {
    element,
    unlock() {
      // There is nothing to play yet, so the promise is refused; being asked in the gesture is what counts.
      element.play().catch(() => undefined);
    },
    silence() {
      element.srcObject = null;
    },
    async setSpeaker(id) {
      if (typeof element.setSinkId !== "function") return id === null;
      try {
        await element.setSinkId(id ?? "");
        return true;
      } catch {
        // Unplugged, or not allowed on this page: the sound stays where it was.
        return false;
      }
    },
  };
};
