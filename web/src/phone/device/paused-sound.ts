import { after } from "../../time/timers.ts";

/** Sound starts a moment after the request even if the browser allows it. */
const STARTS_WITHIN_MS = 500;
/** Every browser accepts at least one of these as permission to play. */
const GESTURES = ["pointerdown", "pointerup", "touchend", "keydown"] as const;

interface Source {
  isPaused(): boolean;
  /** Whether it can be resumed without a gesture. */
  mayResume(): boolean;
  resume(): Promise<void>;
}

/**
 * Resumes sound that the browser has paused: it plays none before a gesture, a phone interrupts it during another call, and
 * unplugged headphones stop it. Sound that cannot be resumed at once is reported, and resumed at the next tap or key.
 */
export class PausedSound {
  readonly #tell: (paused: boolean) => void;
  readonly #resumed: () => void;
  readonly #sources = new Set<Source>();
  readonly #interrupted = new Set<Source>();
  #isPaused = false;
  #cancel = (): void => undefined;

  /** @param resumed called when sound that the browser had paused plays again, however it was resumed */
  constructor(tell: (paused: boolean) => void, resumed: () => void = () => undefined) {
    this.#tell = tell;
    this.#resumed = resumed;
  }

  /** Watches a context until it is closed. */
  watchContext(context: AudioContext): void {
    const source = {
      isPaused: () => context.state !== "running",
      // Safari breaks a context that is resumed during an interruption; only the caller knows that it is over.
      mayResume: () => context.state !== "interrupted",
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
      mayResume: () => true,
      resume: () => element.play(),
    };
    this.#sources.add(source);
    for (const event of ["canplay", "pause", "playing", "emptied"]) element.addEventListener(event, () => this.#look(source));
  }

  #look(source: Source): void {
    if (!this.#sources.has(source) || !source.isPaused()) {
      if (this.#interrupted.delete(source)) this.#resumed();
      return this.#show();
    }
    this.#interrupted.add(source);
    if (source.mayResume()) this.#resume(source);
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
