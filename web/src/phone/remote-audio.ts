export interface RemoteAudio {
  readonly element: HTMLAudioElement;
  /** Call it in the click: some browsers let an element play by itself only after a gesture touched it. */
  unlock(): void;
  remove(): void;
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
    remove() {
      element.srcObject = null;
      element.remove();
    },
  };
};
