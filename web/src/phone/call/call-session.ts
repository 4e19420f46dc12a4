import type { Call, EndReason } from "@farline/contract/calls.ts";
import { CALL_MOVED_CAUSE, MICROPHONE_OPEN } from "@farline/contract/constants.ts";
import { callMarker } from "./call-marker.ts";
import { createCallTimer, type CallTimer } from "./call-timer.ts";
import { watchQuality, type LineQuality } from "../quality/call-quality.ts";
import { isFinal } from "./call-service.ts";
import type { SessionDeps, SessionEnd, SessionPhase } from "./call-deps.ts";
import type { DialledLeg } from "./attempt.ts";
import type { CallMicrophone } from "../device/microphone.ts";
import { createDigitQueue, type DigitQueue } from "./digit-queue.ts";
import { reasonFromCause, reasonFromVoiceError } from "./end-cause.ts";
import { ringUntilAudible } from "../device/remote-audio.ts";
import { createBandShown, createQualityReport, type QualityReport } from "../quality/quality-report.ts";
import { type FarEnd, hangUpCall, isOver, type VoiceCall } from "../line/voice-client.ts";
import { SentMicrophone } from "./sent-microphone.ts";
import { watchCall, type CallWatch } from "./watch-call.ts";
import { serviceNow } from "../../time/clock.ts";
import { after } from "../../time/timers.ts";

/** From newCall to the provider's acknowledgement. The SDK itself waits forever. */
const SETUP_TIMEOUT_MS = 15_000;
/** From the acknowledgement to the far end's first response: post-dial delay abroad may reach half a minute. */
const POST_DIAL_TIMEOUT_MS = 45_000;
/** Ringing without an answer: longer than any network rings, shorter than a caller waits. */
const RINGING_TIMEOUT_MS = 75_000;
/** The service reports an answer, but the line here never opened: the caller must not pay for silence. */
const ANSWER_REACHES_US_MS = 10_000;
/** From the rejoin request until there is sound. */
const REJOIN_TIMEOUT_MS = 15_000;
/** After so many samples without a packet, 2 s each, the caller is told. A far end that sends nothing in pauses of speech is silent for less. */
const UNHEARD_SAMPLES = 3;
/** The provider keeps a call for 45 s without its caller; after that it is over, even if nobody can report it. */
const LINE_GONE_MS = 50_000;

/**
 * One call from its authorisation, or its rejoin, to its end. It has two ids: the service's and the SDK's, which the page generated
 * before. It ends exactly once; later events change nothing.
 */
export class CallSession {
  readonly callId: string;
  readonly microphone: SentMicrophone;
  #lineId: string;
  readonly #deps: SessionDeps;
  readonly #digits: DigitQueue;
  readonly #timer: CallTimer;
  readonly #report: QualityReport;
  readonly #bandShown = createBandShown();
  #watch: CallWatch | null = null;
  #call: VoiceCall | null = null;
  #phase: SessionPhase = "setup";
  #answered = false;
  #elapsedSeconds = 0;
  #stopWatchdog = (): void => undefined;
  #stopAnswerWatchdog: (() => void) | null = null;
  #stopLineWatchdog = (): void => undefined;
  #stopQuality: () => void = () => undefined;
  #stopRing: () => void = () => undefined;
  #rejoining = false;
  #onBack = (): void => undefined;
  /** The call is being rejoined, and there is no sound yet. */
  #waitsForSound = false;
  #muted = false;
  #extension: string;
  #sentIds = "";
  #unheardSamples = 0;
  #errorReason: EndReason | null = null;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.callId = deps.record.id;
    this.#lineId = deps.lineId;
    this.#answered = deps.record.answered_at !== null;
    this.#muted = deps.muted ?? false;
    this.#extension = deps.extension;
    this.#digits = createDigitQueue({
      maySend: () => this.#phase === "active" && deps.lineIsReady(),
      send: (digit) => this.#call?.dtmf(digit),
    });
    this.#timer = createCallTimer(deps.record.max_seconds, (patch) => {
      this.#elapsedSeconds = patch.elapsedSeconds;
      deps.onChange(patch);
    });
    this.#report = createQualityReport(deps.service, this.callId);
    this.microphone = new SentMicrophone({
      microphone: deps.microphone,
      sender: () => this.#call,
      isMuted: () => this.#muted,
      isOver: () => this.#phase === "over",
      onCondition: (microphone) => deps.onChange({ microphone }),
    });
  }

  /** The SDK's id of the call. */
  get lineId(): string {
    return this.#lineId;
  }

  /** Whether the provider has not yet said that it has the leg. */
  get isUnheard(): boolean {
    return this.#phase === "setup" && (this.#call?.state === "new" || this.#call?.state === "requesting");
  }

  /** Whether the caller has muted themselves. */
  get muted(): boolean {
    return this.#muted;
  }

  /** What is still to be sent after the answer. */
  get extension(): string {
    return this.#extension;
  }

  /** Follows the leg that was dialled. Every later event arrives through the `on…` functions. */
  start(leg: DialledLeg): void {
    this.#setWatchdog(SETUP_TIMEOUT_MS, "never_connected");
    this.#begin();
    if (leg.errorCode !== null) this.onVoiceError(leg.errorCode);
    if (leg.call !== null) this.#follow(leg.call);
    // Before the call's state, which counts as ringing only if the line says nothing about the far end.
    if (leg.farEnd !== null) this.onFarEnd(leg.farEnd);
    if (leg.call !== null) this.onVoiceCall(leg.call);
    if (leg.lineIsGone) this.onLineGone();
  }

  /** The leg is gone, and the provider never had it: follows the one that is dialled instead. */
  replaceLeg(lineId: string): void {
    this.#lineId = lineId;
    this.#call = null;
  }

  /**
   * Waits for the provider to offer the running call again, which it does once the line is up.
   * @param onBack called once sound flows
   */
  rejoin(onBack = (): void => undefined): void {
    this.#rejoining = true;
    this.#onBack = onBack;
    this.#waitsForSound = true;
    this.#setWatchdog(REJOIN_TIMEOUT_MS, "connection_lost");
    this.#deps.onChange({ muted: this.#muted });
    this.#begin();
    if (this.#deps.record.answered_at !== null) this.#placeAnswer(this.#deps.record.answered_at);
  }

  /** A call object with this id changed. After a reconnect only the newest object counts. */
  onVoiceCall(call: VoiceCall): void {
    if (this.#phase === "over" || !this.#follow(call)) return;
    this.#sendControlIds(call);
    if (isOver(call)) {
      if (call.cause === CALL_MOVED_CAUSE) return this.leaveElsewhere();
      return this.#end(this.#errorReason ?? reasonFromCause(call, this.#answered), "line");
    }
    if (call.state === "trying" && this.#phase === "setup") this.#setWatchdog(POST_DIAL_TIMEOUT_MS, "never_connected");
    else if (call.state === "early") this.#onSignOfRinging();
    else if (call.state === "active") this.#onSound(false);
    else if (call.state === "held") this.#onSound(true);
    else if (call.state === "recovering") {
      this.#waitsForSound = true;
      this.#deps.onChange({ reconnecting: true });
    }
  }

  /**
   * The provider has the leg. Our exchange rings nobody before the page has a microphone, as each session has. If the dialled phone rings,
   * the page rings until the line's own ringback can be heard.
   */
  onFarEnd(farEnd: FarEnd): void {
    if (farEnd === "silent") {
      this.#call?.message(this.#deps.record.destination_number, MICROPHONE_OPEN);
      return this.#onDialling();
    }
    const isNews = this.#phase === "setup" || this.#phase === "dialling";
    this.#onRinging();
    if (farEnd === "unknown" || !isNews) return;
    this.#stopRing = ringUntilAudible(this.#call?.peer?.instance ?? null, () => this.#deps.ring());
  }

  /** The SDK then hangs up by itself and wrongly reports "busy", so the error's meaning is stored for the end. */
  onVoiceError(code: number): void {
    this.#errorReason ??= reasonFromVoiceError(code, this.#answered);
    // A call that is still being rejoined has no call object to hang up.
    if (this.#errorReason !== null && this.#call === null && this.#phase !== "over") this.#end(this.#errorReason, "line");
  }

  /** The connection is lost for good and the SDK has dropped its calls. */
  onLineGone(): void {
    this.#end(this.#answered ? "connection_lost" : "never_connected", "line");
  }

  onLineReady(ready: boolean): void {
    if (this.#phase === "over") return;
    this.#deps.onChange({ reconnecting: !ready || this.#waitsForSound });
    this.#stopLineWatchdog();
    if (!ready) this.#stopLineWatchdog = after(LINE_GONE_MS, () => this.#end(this.#lostReason(), "caller"));
  }

  /** Asks the service for the call's state now: something changed, or the machine was asleep. */
  lookNow(): void {
    this.#watch?.lookNow();
  }

  /** Another page has the call, or keeps it. */
  leaveElsewhere(): void {
    this.#end("hangup", "elsewhere");
  }

  hangUp(): void {
    this.#end(this.#answered ? "hangup" : "cancelled", "caller");
  }

  /** Returns the new state; null when there is nothing to mute. */
  toggleMute(): boolean | null {
    if (this.#phase === "over" || this.#call === null) return null;
    this.#muted = !this.#muted;
    if (this.#muted) this.#call.muteAudio();
    else this.#call.unmuteAudio();
    this.#deps.onChange({ muted: this.#muted });
    if (!this.#muted) this.microphone.retry({ orMuted: true });
    return this.#muted;
  }

  /** Resolves to false when the line could not do it. The call's next event carries the new state. */
  async toggleHold(): Promise<boolean> {
    const call = this.#call;
    // Without a socket the SDK keeps the request pending forever, so refuse it.
    if (this.#phase !== "active" || call === null || !this.#deps.lineIsReady()) return false;
    const done = call.state === "held" ? await call.unhold() : await call.hold();
    return done !== false;
  }

  /** Returns the accepted digits, none before the answer; null when they do not all fit the queue. */
  sendDigits(digits: string): string | null {
    const taken = this.#phase === "active" ? this.#digits.push(digits) : "";
    if (taken) this.#deps.onDigits(taken);
    return taken;
  }

  #onDialling(): void {
    if (this.#phase !== "setup") return;
    this.#phase = "dialling";
    this.#setWatchdog(RINGING_TIMEOUT_MS, "no_answer");
  }

  /** Early media, or a far leg that the service knows: all that other providers tell. Our exchange says itself when the phone rings. */
  #onSignOfRinging(): void {
    if (this.#phase === "setup") this.#onRinging();
  }

  #onRinging(): void {
    if (this.#phase !== "setup" && this.#phase !== "dialling") return;
    this.#phase = "ringing";
    this.#setWatchdog(RINGING_TIMEOUT_MS, "no_answer");
    this.#deps.onPhase("ringing");
  }

  #begin(): void {
    this.microphone.look();
    this.#watch = watchCall(this.#deps.service, { callId: this.callId, present: true }, (record) => this.#onRecord(record));
  }

  /** Whether this object belongs to the call. An object that takes the call over gets our microphone before it opens its own. */
  #follow(call: VoiceCall): boolean {
    if (this.#call === call) return true;
    if (this.#call !== null && !call.recoveredCallId) return false;
    this.#call = call;
    if (call.recoveredCallId && call.state === "recovering") call.options.localStream = this.microphone.copy();
    if (this.#muted) call.muteAudio();
    return true;
  }

  /** Sound flows both ways. In a rejoined call this does not imply an answer. */
  #onSound(held: boolean): void {
    this.#waitsForSound = false;
    this.#deps.onChange({ held, reconnecting: false });
    this.#onBack();
    this.#onBack = (): void => undefined;
    if (this.#call?.recoveredCallId && !this.#answered) return this.#onSignOfRinging();
    this.#onActive();
  }

  #onActive(): void {
    // An ICE restart passes through "active" again, but the call is answered only once.
    if (this.#phase === "active" || this.#phase === "over") return;
    this.#phase = "active";
    this.#answered = true;
    this.#stopRing();
    this.#stopWatchdog();
    this.#stopAnswerWatchdog?.();
    this.#timer.start();
    this.#stopQuality = watchQuality(
      () => this.#call?.peer?.instance ?? null,
      (quality) => this.#onQuality(quality),
    );
    this.#deps.onPhase("active");
    this.#sendExtension();
  }

  /** Once: a page that is reloaded from now on does not send it again. */
  #sendExtension(): void {
    const extension = this.#extension;
    if (extension === "") return;
    this.#extension = "";
    callMarker.set(this);
    this.sendDigits(extension);
  }

  #onQuality(quality: LineQuality | null): void {
    if (quality === null || this.#phase === "over") return;
    this.#unheardSamples = quality.isHeard ? 0 : this.#unheardSamples + 1;
    const nothingHeard = this.#unheardSamples >= UNHEARD_SAMPLES;
    this.#deps.onChange({ quality: this.#bandShown(quality.mos), mos: quality.mos, nothingHeard });
    this.#report.add(this.#elapsedSeconds, quality);
  }

  /** Applies the service's latest state: its end is final, and its answer time sets the timer. */
  #onRecord(record: Call): void {
    if (this.#phase === "over") return;
    this.#deps.onChange({ record });
    this.#timer.setLimit(record.max_seconds);
    if (isFinal(record)) {
      this.#end(record.end_reason ?? "hangup", "service");
      return;
    }
    // In a rejoined call only the line says whether the phone rings.
    if (record.status === "ringing" && !this.#rejoining) this.#onSignOfRinging();
    if (record.answered_at === null) return;
    this.#placeAnswer(record.answered_at);
    if (this.#phase === "active") return;
    this.#answered = true;
    if (this.#call?.recoveredCallId && this.#call.state === "active") this.#onActive();
    else if (!this.#rejoining)
      this.#stopAnswerWatchdog ??= after(ANSWER_REACHES_US_MS, () => this.#end("network_failure", "caller"));
  }

  #placeAnswer(answeredAt: string): void {
    this.#timer.answered(serviceNow() - Date.parse(answeredAt));
  }

  #sendControlIds({ telnyxIDs: { telnyxLegId, telnyxSessionId } }: VoiceCall): void {
    const key = `${telnyxLegId} ${telnyxSessionId}`;
    if (key === this.#sentIds || (telnyxLegId ?? telnyxSessionId) === undefined) return;
    this.#sentIds = key;
    const ids = { telnyx_leg_id: telnyxLegId ?? null, telnyx_session_id: telnyxSessionId ?? null, call_id: this.#lineId };
    // This only helps to correlate records; the call does not depend on it.
    this.#deps.service.sendControlIds(this.callId, ids).catch(() => undefined);
  }

  #lostReason(): EndReason {
    return this.#answered ? "connection_lost" : "never_connected";
  }

  /** Ends the call for `reason` unless the next phase is reached in time. */
  #setWatchdog(timeoutMs: number, reason: EndReason): void {
    this.#stopWatchdog();
    this.#stopWatchdog = after(timeoutMs, () => this.#end(reason, "caller"));
  }

  #end(reason: EndReason, endedBy: SessionEnd["endedBy"]): void {
    if (this.#phase === "over") return;
    const phase = this.#phase;
    this.#phase = "over";
    this.#stopWatchdog();
    this.#stopAnswerWatchdog?.();
    this.#stopLineWatchdog();
    this.#watch?.stop();
    this.#stopRing();
    this.#stopQuality();
    this.#digits.stop();
    this.#timer.stop();
    if (this.#answered) this.#report.finish();
    hangUpCall(this.#call);
    this.#deps.onEnd({ reason, endedBy, phase });
  }
}

/** One attempt to call or to rejoin a call, from the click to the end. */
export interface Attempt {
  cancelled: boolean;
  session: CallSession | null;
  /** The leg that was dialled, until the session follows it. */
  leg: DialledLeg | null;
  /** Dials the call's leg once more, with its ticket. Null if it was dialled once more already, or by another page. */
  redial: ((id: string) => Promise<void>) | null;
  microphone: CallMicrophone | null;
  releaseTab: (() => void) | null;
}
