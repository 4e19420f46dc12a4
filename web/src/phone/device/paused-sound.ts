import { after } from "../../time/timers.ts";

/** Sound starts a moment after the request even if the browser allows it. */
const STARTS_WITHIN_MS = 500;
/** Every browser accepts at least one of these as permission to play. */
const GESTURES = ["pointerdown", "pointerup", "touchend", "keydown"] as const;

interface Source {
  isPaused(): boolean;
  resume(): Promise<void>;
}

/**
 * Resumes sound that the browser has paused: it plays none before a gesture, a phone interrupts it during another call, and
 * unplugged headphones stop it. Sound that cannot be resumed at once is reported, and resumed at the next tap or key.
 */
export class PausedSound {
  readonly #tell: (paused: boolean) => void;
  readonly #sources = new Set<Source>();
  #isPaused = false;
  #cancel = (): void => undefined;

  constructor(tell: (paused: boolean) => void) {
    this.#tell = tell;
  }

  /** Watches a context until it is closed. */
  watchContext(context: AudioContext): void {
    const source = {
      isPaused: () => context.state !== "running",
      resume: () => context.resume(),
    };
    this.#sources.add(source);
    context.addEventListener("statechange", () => {
      if (context.state === "closed") this.#sources.delete(source);
      this.#look(source);
    });
    this.#look(source);
  }

  watchElement(element: HTMLMediaElement): void {
    const source = {
      isPaused: () => element.srcObject !== null && element.paused,
      resume: () => element.play(),
    };
    this.#sources.add(source);
    for (const event of ["canplay", "pause", "playing", "emptied"]) element.addEventListener(event, () => this.#look(source));
  }

  #look(source: Source): void {
    if (!this.#sources.has(source) || !source.isPaused()) return this.#show();
    this.#resume(source);
    this.#cancel();
    this.#cancel = after(STARTS_WITHIN_MS, () => this.#show());
  }

  #resume(source: Source): void {
    // Not allowed yet: the next gesture tries again.
    source.resume().then(
      () => this.#show(),
      () => undefined,
    );
  }

  readonly #onGesture = (): void => {
    for (const source of this.#sources) if (source.isPaused()) this.#resume(source);
  };

  #show(): void {
    const isPaused = [...this.#sources].some((source) => source.isPaused());
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    for (const gesture of GESTURES) {
      if (isPaused) window.addEventListener(gesture, this.#onGesture, true);
      else window.removeEventListener(gesture, this.#onGesture, true);
    }
    this.#tell(isPaused);
  }
}
