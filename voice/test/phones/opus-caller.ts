import { FrameClock } from "../../src/media/audio/frame-clock.ts";
import { opusToneFrames } from "../opus-tone.ts";
import { openTestBrowser, type TestBrowser } from "../test-browser.ts";
import { clearestShare, samplesOf } from "../tone.ts";
import { CALLER_HERTZ } from "./phone-call.ts";

const FRAMES_PER_SECOND = 50;
const PCMU = 0;

/** A caller who sends a tone in Opus, and hears the far end in PCMU. */
export class OpusCaller {
  readonly #browser: TestBrowser;
  readonly #tone: readonly Buffer[];
  #sent = 0;
  #stop: () => void = () => undefined;

  static async open(): Promise<OpusCaller> {
    return new OpusCaller(await openTestBrowser(true), await opusToneFrames(CALLER_HERTZ, 1));
  }

  private constructor(browser: TestBrowser, tone: readonly Buffer[]) {
    this.#browser = browser;
    this.#tone = tone;
  }

  async offer(): Promise<string> {
    return this.#browser.offerSdp;
  }

  async accept(answerSdp: string): Promise<void> {
    await this.#browser.connect(answerSdp);
    this.#stop = new FrameClock().every(() => {
      void this.#browser.send(this.#tone[this.#sent % this.#tone.length] as Buffer);
      this.#sent += 1;
    });
  }

  /** Whether it heard anything in Opus. */
  get heardOpus(): boolean {
    return this.#browser.heard.some(({ header }) => header.payloadType !== PCMU);
  }

  /** How much of the clearest part of the last second that it heard in PCMU is a tone, 0 to 1. */
  heard(hertz: number): number {
    const packets = this.#browser.heard.filter(({ header }) => header.payloadType === PCMU).slice(-FRAMES_PER_SECOND);
    return clearestShare(samplesOf(Buffer.concat(packets.map(({ payload }) => payload))), hertz);
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#browser.close();
  }
}
