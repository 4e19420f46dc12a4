import type { EchoTestResponse } from "@farline/contract/calls.ts";
import { CALL_TICKET_HEADER } from "@farline/contract/constants.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import { randomId } from "../../browser/random-id.ts";
import { meanOpinionScore, qualityBetween, type QualitySample, readQualitySample } from "../quality/call-quality.ts";
import { type CallService, ServiceRefusal } from "../call/call-service.ts";
import type { EchoTest, EchoTestResult, EchoTestStatus, ToneHeard } from "./echo-test.ts";
import { EchoStudio } from "./echo-studio.ts";
import { CallMicrophone, type OpenMicrophone } from "../device/microphone.ts";
import { findMediaPath, type MediaPath } from "../line/media-path.ts";
import { PhoneError, toPhoneError } from "../phone-error.ts";
import type { PhoneStore } from "../phone-store.ts";
import type { RemoteAudio } from "../device/remote-audio.ts";
import { hangUpCall, isOver, type VoiceCall, type VoiceClient } from "../line/voice-client.ts";
import { isWithoutCredit, type VoiceLine } from "../line/voice-line.ts";

const LINE_WAIT_MS = 12_000;
/** From newCall until the exchange answers. */
const ANSWER_TIMEOUT_MS = 10_000;
const SILENCE_SECONDS = 0.6;
const TONES = 5;
const SPEAK_SECONDS = 6;

export interface EchoControllerDeps {
  service: Pick<CallService, "startEchoTest">;
  line: VoiceLine;
  store: PhoneStore;
  openMicrophone: OpenMicrophone;
  wantedMicrophone(): string | null;
  audio(): RemoteAudio;
  onMicrophone(): void;
  /** Keeps a context running; the screen says while the browser has paused it. */
  watchSound(context: AudioContext): void;
}

/** One run of the test. */
interface Run {
  readonly callId: string;
  readonly studio: EchoStudio;
  microphone: CallMicrophone | null;
  call: VoiceCall | null;
  over: boolean;
  /** Settles the wait for the answer. */
  onAnswered: () => void;
  onEnded: () => void;
  /** Ends the test with this failure. */
  onFailed: (error: PhoneError) => void;
}

class RunOver extends Error {}

/** The free echo test: dials the exchange's echo, measures what returns, and reports it in `state.echoTest`. */
export class EchoController {
  readonly #deps: EchoControllerDeps;
  #run: Run | null = null;

  constructor(deps: EchoControllerDeps) {
    this.#deps = deps;
  }

  /** Must be called in the click. */
  start(): void {
    if (this.#run !== null && !this.#run.over) return;
    const run: Run = {
      callId: randomId(),
      studio: new EchoStudio((context) => this.#deps.watchSound(context)),
      microphone: null,
      call: null,
      over: false,
      onAnswered: () => undefined,
      onEnded: () => undefined,
      onFailed: () => undefined,
    };
    this.#run = run;
    this.#deps.audio().unlock();
    this.#show(run, { status: "connecting" });
    const failed = new Promise<never>((_, reject) => (run.onFailed = reject));
    Promise.race([failed, this.#test(run)])
      .then(
        (result) => this.#show(run, { status: "done", result }),
        (error: unknown) => this.#fail(run, error),
      )
      .finally(() => this.#end(run));
  }

  dismiss(): void {
    if (this.#run !== null) this.#end(this.#run);
    this.#run = null;
    if (this.#deps.store.get().echoTest !== null) this.#deps.store.patch({ echoTest: null });
  }

  /** The line may be opening already with a request from before the grant, which a customer without credit is refused. */
  #openLine(): Promise<VoiceClient> {
    const open = () =>
      settleWithin(this.#deps.line.open(), LINE_WAIT_MS, () => Promise.reject(new PhoneError("line_not_connected")));
    return open().catch((error: unknown) =>
      isWithoutCredit(toPhoneError(error, "initiate_failed").cause) ? open() : Promise.reject(error),
    );
  }

  /** Returns whether the call belongs to the test. */
  onVoiceCall(call: VoiceCall): boolean {
    const run = this.#run;
    if (run === null || call.id !== run.callId) return false;
    run.call = call;
    if (isOver(call)) run.onEnded();
    else if (run.over) queueMicrotask(() => hangUpCall(call));
    else if (call.state === "active") run.onAnswered();
    return true;
  }

  async #test(run: Run): Promise<EchoTestResult> {
    const microphone = await CallMicrophone.open(this.#deps.openMicrophone, this.#deps.wantedMicrophone());
    // The permission prompt may be answered long after the test was dismissed.
    if (run.over) {
      microphone.close();
      throw new RunOver();
    }
    run.microphone = microphone;
    microphone.onChange = () => {
      if (microphone.condition === "gone") run.onFailed(new PhoneError("microphone_missing"));
      if (microphone.condition === "muted") run.onFailed(new PhoneError("microphone_muted"));
    };
    microphone.onChange();
    this.#deps.onMicrophone();
    // Before the line, because a customer without credit gets a token only for the test.
    const grant = await this.#deps.service.startEchoTest();
    this.#checkWanted(run);
    // A line that died unnoticed would lose the call. Unlike a real one, this may wait for the answer.
    await this.#deps.line.verify();
    const client = await this.#openLine();
    this.#checkWanted(run);
    await this.#call(run, client, grant);
    const path = await pathOf(run);
    if (path === "none" && !run.over) return BLOCKED;
    this.#checkWanted(run);
    this.#show(run, { status: "listening" });
    await run.studio.measureSilence(SILENCE_SECONDS);
    const before = await sampleOf(run);
    this.#show(run, { status: "sounding" });
    const heard: (ToneHeard | null)[] = [];
    for (let tone = 0; tone < TONES; tone += 1) {
      this.#checkWanted(run);
      heard.push(await run.studio.soundTone());
    }
    this.#show(run, { status: "speaking" });
    this.#checkWanted(run);
    const voiceLevel = await run.studio.speak(microphone.stream, this.#deps.audio().element, SPEAK_SECONDS);
    this.#checkWanted(run);
    const line = { before, after: await sampleOf(run), path };
    return resultOf(run.studio.judge(heard), line, voiceLevel);
  }

  async #call(run: Run, client: VoiceClient, grant: EchoTestResponse): Promise<void> {
    const answered = new Promise<void>((resolve, reject) => {
      run.onAnswered = resolve;
      run.onEnded = () => reject(new PhoneError("echo_unavailable"));
    });
    const inTime = settleWithin(answered, ANSWER_TIMEOUT_MS, () => Promise.reject(new PhoneError("echo_unavailable")));
    inTime.catch(() => undefined);
    run.call ??= client.newCall({
      ...this.#deps.line.callOptions,
      id: run.callId,
      destinationNumber: grant.destination_number,
      callerNumber: grant.caller_number,
      clientState: btoa(grant.ticket),
      customHeaders: [{ name: CALL_TICKET_HEADER, value: grant.ticket }],
      localStream: run.studio.output,
      audio: true,
      remoteElement: run.studio.returnElement,
    });
    await inTime;
  }

  #checkWanted(run: Run): void {
    if (run.over || run !== this.#run) throw new RunOver();
    if (run.call !== null && isOver(run.call)) throw new PhoneError("echo_unavailable");
  }

  #show(run: Run, change: { status: EchoTestStatus } & Partial<EchoTest>): void {
    if (run !== this.#run) return;
    this.#deps.store.patch({ echoTest: { result: null, error: null, ...change } });
  }

  #fail(run: Run, error: unknown): void {
    if (error instanceof RunOver) return;
    const known = error instanceof ServiceRefusal ? toPhoneError(error, "initiate_failed") : error;
    this.#show(run, { status: "failed", error: known instanceof PhoneError ? known : null });
  }

  #end(run: Run): void {
    if (run.over) return;
    run.over = true;
    run.onEnded();
    hangUpCall(run.call);
    run.studio.close();
    run.microphone?.close();
  }
}

async function sampleOf(run: Run): Promise<QualitySample | null> {
  const peer = run.call?.peer?.instance;
  return peer ? readQualitySample(peer).catch(() => null) : null;
}

/** The result of a call without a media path: there is nothing to measure. */
const BLOCKED: EchoTestResult = {
  heard: false,
  path: "none",
  voiceLevel: 0,
  levelDb: null,
  roundTripMs: null,
  lossPct: null,
  mos: null,
};

async function pathOf(run: Run): Promise<MediaPath | null> {
  const peer = run.call?.peer?.instance;
  return peer ? findMediaPath(peer) : null;
}

function resultOf(
  tones: { roundTripMs: number; levelDb: number } | null,
  samples: { before: QualitySample | null; after: QualitySample | null; path: MediaPath | null },
  voiceLevel: number,
): EchoTestResult {
  const { before, after, path } = samples;
  const line = before === null || after === null ? null : qualityBetween(before, after);
  const lossPct = line === null ? null : Math.round(line.lossPercent * 10) / 10;
  if (tones === null) return { heard: false, levelDb: null, roundTripMs: null, lossPct, mos: null, path, voiceLevel };
  // Uses the same quality score as calls if the browser counts packets; the tones' delay includes its own buffers.
  const mos = line?.mos ?? meanOpinionScore({ latencyMs: tones.roundTripMs / 2, lossPercent: 0 });
  return { heard: true, ...tones, lossPct, mos: Math.round(mos * 100) / 100, path, voiceLevel };
}
