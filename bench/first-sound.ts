import type { Page } from "@playwright/test";

const LIMIT_MS = 10_000;
/**
 * Tells the time of the first sound that it hears. It runs with the sound, so it neither waits for the page's own work nor
 * costs the page any, as looking every few milliseconds would.
 */
const EAR = `
  const AUDIBLE_LEVEL = 0.003;
  registerProcessor("ear", class extends AudioWorkletProcessor {
    process([[samples = []]]) {
      if (!samples.some((sample) => Math.abs(sample) > AUDIBLE_LEVEL)) return true;
      this.port.postMessage(Date.now());
      return false;
    }
  });`;

interface Ears {
  /** Milliseconds of the system's clock at the first sound after the call. */
  nextSound(): Promise<number>;
}

/** What a page must be opened with so that it can be listened to: its own policy lets no foreign script in. */
export const LISTENED_TO = { bypassCSP: true } as const;

/** Loads the page anew with ears on all that it plays: its own tones on their way to the loudspeaker, and the far end's sound. */
export async function listenToPage(page: Page): Promise<void> {
  await page.addInitScript(putOnEars, `data:text/javascript,${encodeURIComponent(EAR)}`);
  await page.reload();
}

/** Calls once and hangs up again. @returns milliseconds from the click to the first sound */
export async function clickToSound(page: Page, number: string, free: () => Promise<boolean>): Promise<number> {
  await page.getByLabel("Phone number").fill(number);
  await page.getByRole("button", { name: "Call Now" }).waitFor();
  const took = await page.evaluate(clickAndListen, LIMIT_MS);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await page.getByRole("button", { name: "Call Now" }).waitFor();
  for (let tries = 0; tries < 200 && !(await free()); tries++) await page.waitForTimeout(50);
  return took;
}

/** Runs in the page. */
async function clickAndListen(limitMs: number): Promise<number> {
  const { ears } = globalThis as unknown as { ears: Ears };
  const button = [...document.querySelectorAll("button")].find((one) => one.textContent?.includes("Call Now"));
  const sound = ears.nextSound();
  const clickedAt = performance.timeOrigin + performance.now();
  button?.click();
  const tooLate = new Promise<number>((settle) => setTimeout(settle, limitMs, Number.NaN));
  return Math.round((await Promise.race([sound, tooLate])) - clickedAt);
}

/** Runs in the page before its own scripts. */
function putOnEars(url: string): void {
  let heard = Promise.withResolvers<number>();
  const page = globalThis as unknown as { ears: Ears };
  page.ears = {
    nextSound() {
      heard = Promise.withResolvers<number>();
      return heard.promise;
    },
  };
  const ready = new WeakMap<BaseAudioContext, Promise<void>>();
  const listen = async (source: AudioNode) => {
    const { context } = source;
    if (!ready.has(context)) ready.set(context, context.audioWorklet.addModule(url));
    await ready.get(context);
    const ear = new AudioWorkletNode(context, "ear", { numberOfOutputs: 0 });
    ear.port.addEventListener("message", ({ data }) => heard.resolve(Number(data)));
    ear.port.start();
    source.connect(ear);
  };
  const Context = AudioContext;
  globalThis.AudioContext = class extends Context {
    constructor(options?: AudioContextOptions) {
      super(options);
      ready.set(this, this.audioWorklet.addModule(url));
    }
  };
  const { connect } = AudioNode.prototype;
  GainNode.prototype.connect = function connectHeard(this: GainNode, ...to: Parameters<typeof connect>) {
    if (to[0] instanceof AudioDestinationNode) void listen(this);
    return Reflect.apply(connect, this, to);
  } as typeof connect;
  const srcObject = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "srcObject");
  let own: AudioContext | null = null;
  Object.defineProperty(HTMLMediaElement.prototype, "srcObject", {
    ...srcObject,
    set(this: HTMLMediaElement, stream: MediaProvider | null) {
      if (stream instanceof MediaStream && stream !== this.srcObject && stream.getAudioTracks().length > 0) {
        own ??= new Context();
        void own.resume();
        void listen(own.createMediaStreamSource(stream));
      }
      srcObject?.set?.call(this, stream);
    },
  });
}
