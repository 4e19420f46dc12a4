import { pause } from "../../time/timers.ts";
import { PhoneError } from "../phone-error.ts";
import { judgeTones, loudness, toneAmplitude, type ToneHeard } from "./echo-test.ts";

/** In the middle of the telephone band. */
const TONE_HERTZ = 1000;
const TONE_AMPLITUDE = 0.25;
const TONE_SECONDS = 0.12;
/** After this time a tone counts as lost. */
const TONE_WAIT_SECONDS = 1.2;
/** How far above the noise floor, and at least how loud, a tone must be. */
const ABOVE_SILENCE = 4;
const MIN_AMPLITUDE = 0.01;
const LOOK_EVERY_MS = 5;
/** About 20 ms at 48 kHz. */
const WINDOW_SAMPLES = 1024;
/** The test fails if the browser pauses its sound for longer. */
const MAX_PAUSED_MS = 60_000;
/** Delay before callers hear their own voice, so that they can tell the echo from their speech. */
const VOICE_DELAY_SECONDS = 1;

/** The audio of an echo test: sends tones and then the caller's voice, and measures what returns. */
export class EchoStudio {
  /** The SDK plays the returning sound into this element, which is muted. */
  readonly returnElement = new Audio();
  readonly #context = new AudioContext();
  readonly #out: MediaStreamAudioDestinationNode;
  readonly #ear: AnalyserNode;
  readonly #wave = new Float32Array(WINDOW_SAMPLES);
  #heardStream: MediaStream | null = null;
  #source: MediaStreamAudioSourceNode | null = null;
  /** The level of the tone's frequency without a tone. */
  #silence = 0;

  /** Must be created in the click, because browsers allow audio to start only there. */
  constructor(watch: (context: AudioContext) => void) {
    watch(this.#context);
    this.returnElement.muted = true;
    this.returnElement.autoplay = true;
    this.#out = this.#context.createMediaStreamDestination();
    this.#ear = new AnalyserNode(this.#context, { fftSize: WINDOW_SAMPLES, smoothingTimeConstant: 0 });
    // Too quiet to hear. Without a continuous source the browser sends packets only during tones, and its jitter buffer for
    // such an intermittent stream grows to half a second.
    const floor = new ConstantSourceNode(this.#context, { offset: 1e-4 });
    floor.connect(this.#out);
    floor.start();
  }

  /** The stream sent to the exchange. */
  get output(): MediaStream {
    return this.#out.stream;
  }

  /** Measures the returning noise floor while nothing is sent, so that tones can be told from it. */
  async measureSilence(seconds: number): Promise<void> {
    await this.#during(seconds, () => {
      this.#silence = Math.max(this.#silence, this.#listen());
    });
  }

  /** Sends a tone and waits for it to return. */
  async soundTone(): Promise<ToneHeard | null> {
    const threshold = Math.max(MIN_AMPLITUDE, ABOVE_SILENCE * this.#silence);
    const beganAt = playTone(this.#context, this.#out);
    let backAt: number | null = null;
    let loudest = 0;
    await this.#during(TONE_WAIT_SECONDS, () => {
      const amplitude = this.#listen();
      loudest = Math.max(loudest, amplitude);
      if (amplitude > threshold) backAt ??= this.#context.currentTime;
    });
    return backAt === null ? null : { afterMs: Math.max(0, (backAt - beganAt) * 1000), amplitude: loudest };
  }

  /** What the tones that returned say about the line; null if too few did. */
  judge(heard: readonly (ToneHeard | null)[]): ReturnType<typeof judgeTones> {
    return judgeTones(heard, TONE_AMPLITUDE);
  }

  /** Plays the caller's voice to them from `element`, delayed by a second; resolves to its peak level, 0 to 1. */
  async speak(microphone: MediaStream, element: HTMLAudioElement, seconds: number): Promise<number> {
    const voice = this.#context.createMediaStreamSource(microphone);
    const ownEar = new AnalyserNode(this.#context, { fftSize: WINDOW_SAMPLES });
    voice.connect(this.#out);
    voice.connect(ownEar);
    const late = new DelayNode(this.#context, { delayTime: VOICE_DELAY_SECONDS, maxDelayTime: VOICE_DELAY_SECONDS });
    const ears = this.#context.createMediaStreamDestination();
    this.#source?.connect(late).connect(ears);
    element.srcObject = ears.stream;
    let loudest = 0;
    await this.#during(seconds, () => {
      ownEar.getFloatTimeDomainData(this.#wave);
      loudest = Math.max(loudest, loudness(this.#wave));
    });
    voice.disconnect();
    element.srcObject = null;
    return Math.round(loudest * 100) / 100;
  }

  close(): void {
    this.returnElement.srcObject = null;
    // A context that is already closed rejects, which is fine.
    this.#context.close().catch(() => undefined);
  }

  /** The tone's current level in the returning sound. */
  #listen(): number {
    const stream = this.returnElement.srcObject;
    if (stream instanceof MediaStream && stream !== this.#heardStream && stream.getAudioTracks().length > 0) {
      this.#source?.disconnect();
      this.#heardStream = stream;
      this.#source = this.#context.createMediaStreamSource(stream);
      this.#source.connect(this.#ear);
    }
    if (this.#source === null) return 0;
    this.#ear.getFloatTimeDomainData(this.#wave);
    return toneAmplitude(this.#wave, TONE_HERTZ, this.#context.sampleRate);
  }

  /** Polls every few milliseconds for this long, or until the studio is closed. */
  async #during(seconds: number, look: () => void): Promise<void> {
    const until = this.#context.currentTime + seconds;
    const givenUpAtMs = performance.now() + seconds * 1000 + MAX_PAUSED_MS;
    while (this.#context.state !== "closed" && this.#context.currentTime < until) {
      if (performance.now() > givenUpAtMs) throw new PhoneError("echo_unavailable");
      look();
      await pause(LOOK_EVERY_MS);
    }
  }
}

/** Plays one tone into `out`, faded at both ends to avoid clicks; returns the context time of its start. */
function playTone(context: AudioContext, out: AudioNode): number {
  const beginsAt = context.currentTime + 0.05;
  const oscillator = new OscillatorNode(context, { frequency: TONE_HERTZ });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0, beginsAt);
  gain.gain.linearRampToValueAtTime(TONE_AMPLITUDE, beginsAt + 0.005);
  gain.gain.setValueAtTime(TONE_AMPLITUDE, beginsAt + TONE_SECONDS - 0.01);
  gain.gain.linearRampToValueAtTime(0, beginsAt + TONE_SECONDS);
  oscillator.connect(gain).connect(out);
  oscillator.start(beginsAt);
  oscillator.stop(beginsAt + TONE_SECONDS);
  return beginsAt;
}
