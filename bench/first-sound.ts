import type { Page } from "@playwright/test";
import { booksOf } from "@farline/e2e/support/books.ts";
import { databaseUrlOf } from "@farline/e2e/support/product.ts";
import { TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import { withSignedInPage } from "./with-product.ts";
import { spread } from "@farline/drills/support/spread.ts";

export const RINGING_LINE = "+442079460408";
const CALLS = 20;

/**
 * Milliseconds from the click on Call Now until the page plays sound: the first ringback of a ringing line, and the far end
 * of a line that answers at once. A page's first call is cold and reported separately.
 */
export async function callSetup(): Promise<Record<string, unknown>> {
  return await withSignedInPage(
    50,
    async ({ page, email, product }) => {
      await listenToPage(page);
      const free = async () => (await booksOf(email, databaseUrlOf(product))).held === 0n;
      const ringback: number[] = [];
      for (let call = 0; call < CALLS; call++) ringback.push(await clickToSound(page, RINGING_LINE, free));
      const answered: number[] = [];
      for (let call = 0; call < CALLS; call++) answered.push(await clickToSound(page, TONE_LINE, free));
      return {
        clickToRingbackMs: { cold: ringback[0], warm: spread(ringback.slice(1)) },
        clickToFarEndOfALineThatAnswersAtOnceMs: spread(answered),
      };
    },
    DETECTOR_CONTEXT,
  );
}

const TIMEOUT_MS = 10_000;
/** Reports the time of the first audible sample. It runs in the audio thread: polling from the page would slow the page down. */
const DETECTOR = `
  const AUDIBLE_LEVEL = 0.003;
  registerProcessor("detector", class extends AudioWorkletProcessor {
    process([[samples = []]]) {
      if (!samples.some((sample) => Math.abs(sample) > AUDIBLE_LEVEL)) return true;
      this.port.postMessage(Date.now());
      return false;
    }
  });`;

interface SoundDetector {
  /** Resolves to the time of the next sound, in milliseconds of the system clock. */
  nextSound(): Promise<number>;
}

/** Context options for a measured page, whose content security policy would block the detector. */
export const DETECTOR_CONTEXT = { bypassCSP: true } as const;

/** Reloads the page with a detector on everything it plays: its own tones and the far end's audio. */
export async function listenToPage(page: Page): Promise<void> {
  await page.addInitScript(detectSound, `data:text/javascript,${encodeURIComponent(DETECTOR)}`);
  await page.reload();
}

/** Calls once and hangs up again. @returns milliseconds from the click to the first sound */
export async function clickToSound(page: Page, number: string, free: () => Promise<boolean>): Promise<number> {
  await page.getByLabel("Phone number").fill(number);
  // Before the app has loaded, the button is drawn but disabled.
  await page.getByRole("button", { name: "Call Now", disabled: false }).waitFor();
  const took = await page.evaluate(clickAndListen, TIMEOUT_MS);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await page.getByRole("region", { name: "After the call" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Call Now" }).waitFor();
  for (let tries = 0; tries < 200 && !(await free()); tries++) await page.waitForTimeout(50);
  return took;
}

/** Runs in the page. */
async function clickAndListen(timeoutMs: number): Promise<number> {
  const { detector } = globalThis as unknown as { detector: SoundDetector };
  const button = [...document.querySelectorAll("button")].find((one) => one.textContent?.includes("Call Now"));
  const sound = detector.nextSound();
  const clickedAt = performance.timeOrigin + performance.now();
  button?.click();
  const timeout = new Promise<number>((settle) => setTimeout(settle, timeoutMs, Number.NaN));
  return Math.round((await Promise.race([sound, timeout])) - clickedAt);
}

/** Runs in the page before its own scripts. */
function detectSound(url: string): void {
  let heard = Promise.withResolvers<number>();
  const page = globalThis as unknown as { detector: SoundDetector };
  page.detector = {
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
    const detector = new AudioWorkletNode(context, "detector", { numberOfOutputs: 0 });
    detector.port.addEventListener("message", ({ data }) => heard.resolve(Number(data)));
    detector.port.start();
    source.connect(detector);
  };
  const Context = AudioContext;
  globalThis.AudioContext = class extends Context {
    constructor(options?: AudioContextOptions) {
      super(options);
      ready.set(this, this.audioWorklet.addModule(url));
    }
  };
  const { connect } = AudioNode.prototype;
  GainNode.prototype.connect = function connectDetected(this: GainNode, ...to: Parameters<typeof connect>) {
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
