import type { Call, EndReason } from "@farline/contract/calls.ts";
import type { CallGrant } from "./ask-for-call.ts";
import { createCallTimer, type CallTimer } from "./call-timer.ts";
import { watchQuality } from "./call-quality.ts";
import { isFinal, type CallService } from "./call-service.ts";
import { createDigitQueue, type DigitQueue } from "./digit-queue.ts";
import { reasonFromCause, reasonFromVoiceError } from "./end-cause.ts";
import { microphoneConstraints } from "./microphone.ts";
import type { PhoneCall } from "./phone-state.ts";
import { hangUpCall, isOver, type VoiceCall, type VoiceClient } from "./voice-client.ts";
import { watchCall } from "./watch-call.ts";

/** From newCall to the provider's receipt. The SDK itself waits for ever. */
const SETUP_TIMEOUT_MS = 15_000;
/** From the receipt to the first sign of the far end: post-dial delay abroad may reach half a minute. */
const POST_DIAL_TIMEOUT_MS = 45_000;
/** Ringing without an answer: longer than any network rings, shorter than anybody waits. */
const RINGING_TIMEOUT_MS = 75_000;
/** The service says answered, but the line here never opened: the caller must not pay for silence. */
const ANSWER_REACHES_US_MS = 10_000;

export type SessionPhase = "setup" | "ringing" | "active" | "over";

/** How a call ended, told once. */
export interface SessionEnd {
  reason: EndReason;
  /** `caller`: from here, so the service must be told. `line`: the provider ended it. `service`: it is settled already. */
  endedBy: "caller" | "line" | "service";
  /** The last phase before the end. */
  phase: Exclude<SessionPhase, "over">;
}

export interface SessionDeps {
  client: VoiceClient;
  service: CallService;
  grant: CallGrant;
  microphone: MediaStream;
  remoteElement: HTMLAudioElement;
  lineIsReady(): boolean;
  onPhase(phase: "ringing" | "active"): void;
  onChange(patch: Partial<PhoneCall>): void;
  onEnd(end: SessionEnd): void;
}

/**
 * One call from `newCall` to its end. Its SDK id is the service's call id, so that a call the SDK revives is known.
 * It ends exactly once; whatever arrives later changes nothing.
 */
export class CallSession {
  readonly callId: string;
  readonly #deps: SessionDeps;
  readonly #digits: DigitQueue;
  readonly #timer: CallTimer;
  #call: VoiceCall | null = null;
  #phase: SessionPhase = "setup";
  #watchdog: ReturnType<typeof setTimeout> | null = null;
  #answerWatchdog: ReturnType<typeof setTimeout> | null = null;
  #stopWatch: () => void = () => undefined;
  #stopQuality: () => void = () => undefined;
  #muted = false;
  #sentIds = "";
  #errorReason: EndReason | null = null;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.callId = deps.grant.call.id;
    this.#digits = createDigitQueue({
      maySend: () => this.#phase === "active" && deps.lineIsReady(),
      send: (digit) => this.#call?.dtmf(digit),
    });
    this.#timer = createCallTimer(deps.grant.call.max_seconds, deps.onChange);
  }

  /** Sends the call out. Every later word about it comes through the `on…` functions. */
  start(): void {
    const { client, grant, service } = this.#deps;
    this.#watch(SETUP_TIMEOUT_MS, "never_connected");
    this.#stopWatch = watchCall(service, this.callId, (record) => this.#onRecord(record));
    const call = client.newCall({
      id: this.callId,
      destinationNumber: grant.call.destination_number,
      callerNumber: grant.caller_number,
      clientState: btoa(grant.ticket),
      customHeaders: [{ name: "X-Call-Ref", value: this.callId }],
      localStream: this.#deps.microphone,
      audio: microphoneConstraints,
      remoteElement: this.#deps.remoteElement,
    });
    // The SDK tells about the call while it makes it, so it may be known, or even over, by now.
    this.#call ??= call;
  }

  /** A call object of this id changed. After a reconnect the newest object is followed and the old one ignored. */
  onVoiceCall(call: VoiceCall): void {
    if (this.#phase === "over") return;
    const previous = this.#call;
    if (previous !== null && previous !== call) {
      if (!call.recoveredCallId) return;
      this.#call = call;
      if (this.#muted) call.muteAudio();
    } else {
      this.#call = call;
    }
    this.#sendControlIds(call);
    if (isOver(call)) {
      const reason = this.#errorReason ?? reasonFromCause(call, this.#phase === "active");
      this.#end(reason, "line");
      return;
    }
    if (call.state === "trying" && this.#phase === "setup") this.#watch(POST_DIAL_TIMEOUT_MS, "never_connected");
    else if (call.state === "early") this.onRinging();
    else if (call.state === "active") this.#onActive();
    else if (call.state === "held") this.#deps.onChange({ held: true });
    else if (call.state === "recovering") this.#deps.onChange({ reconnecting: true });
  }

  /** The far phone rings: by the provider's message, by early sound, or by the service's word. */
  onRinging(): void {
    if (this.#phase !== "setup") return;
    this.#phase = "ringing";
    this.#watch(RINGING_TIMEOUT_MS, "no_answer");
    this.#deps.onPhase("ringing");
  }

  /** The SDK's own hang-up follows and says "busy", which it is not; the error's meaning is kept for it. */
  onVoiceError(code: number): void {
    this.#errorReason ??= reasonFromVoiceError(code, this.#phase === "active");
  }

  /** The connection is gone for good and the SDK has dropped its calls. */
  onLineGone(): void {
    this.#end(this.#phase === "active" ? "connection_lost" : "never_connected", "line");
  }

  onLineReady(ready: boolean): void {
    if (this.#phase !== "over") this.#deps.onChange({ reconnecting: !ready });
  }

  hangUp(): void {
    this.#end(this.#phase === "active" ? "hangup" : "cancelled", "caller");
  }

  /** Returns the new state; null when there is nothing to mute any more. */
  toggleMute(): boolean | null {
    if (this.#phase === "over" || this.#call === null) return null;
    this.#muted = !this.#muted;
    if (this.#muted) this.#call.muteAudio();
    else this.#call.unmuteAudio();
    this.#deps.onChange({ muted: this.#muted });
    return this.#muted;
  }

  /** Resolves to false when the line could not do it. The new state comes with the call's next word. */
  async toggleHold(): Promise<boolean> {
    const call = this.#call;
    // Without a socket the SDK keeps the request for ever; better to say no.
    if (this.#phase !== "active" || call === null || !this.#deps.lineIsReady()) return false;
    const done = call.state === "held" ? await call.unhold() : await call.hold();
    return done !== false;
  }

  /** Returns the digits taken: those of the keypad that fit into the queue, and none before the answer. */
  sendDigits(digits: string): string {
    return this.#phase === "active" ? this.#digits.push(digits) : "";
  }

  #onActive(): void {
    this.#deps.onChange({ held: false, reconnecting: false });
    // An ICE restart passes through "active" again; the call was answered once.
    if (this.#phase === "active" || this.#phase === "over") return;
    this.#phase = "active";
    if (this.#watchdog !== null) clearTimeout(this.#watchdog);
    if (this.#answerWatchdog !== null) clearTimeout(this.#answerWatchdog);
    this.#timer.startAt(Date.now());
    this.#stopQuality = watchQuality(
      () => this.#call?.peer?.instance ?? null,
      (quality) => this.#deps.onChange({ quality }),
    );
    this.#deps.onPhase("active");
  }

  /** The service's newest word. Its end is the end; its answer moment sets the timer. */
  #onRecord(record: Call): void {
    if (this.#phase === "over") return;
    this.#deps.onChange({ record });
    this.#timer.setLimit(record.max_seconds);
    if (isFinal(record)) {
      this.#end(record.end_reason ?? "hangup", "service");
      return;
    }
    if (record.status === "ringing") this.onRinging();
    if (record.answered_at === null) return;
    this.#timer.answeredAt(Math.min(Date.now(), Date.parse(record.answered_at) - this.#deps.grant.clockSkewMs));
    if (this.#phase !== "active" && this.#answerWatchdog === null) {
      this.#answerWatchdog = setTimeout(() => this.#end("network_failure", "caller"), ANSWER_REACHES_US_MS);
    }
  }

  #sendControlIds({ telnyxIDs: { telnyxLegId, telnyxSessionId } }: VoiceCall): void {
    const key = `${telnyxLegId} ${telnyxSessionId}`;
    if (key === this.#sentIds || (telnyxLegId ?? telnyxSessionId) === undefined) return;
    this.#sentIds = key;
    const ids = { telnyx_leg_id: telnyxLegId ?? null, telnyx_session_id: telnyxSessionId ?? null, call_id: this.callId };
    // A hint that joins records; the call does not depend on it.
    this.#deps.service.sendControlIds(this.callId, ids).catch(() => undefined);
  }

  /** Ends the call for `reason` unless the next phase comes in time. */
  #watch(timeoutMs: number, reason: EndReason): void {
    if (this.#watchdog !== null) clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.#end(reason, "caller"), timeoutMs);
  }

  #end(reason: EndReason, endedBy: SessionEnd["endedBy"]): void {
    if (this.#phase === "over") return;
    const phase = this.#phase;
    this.#phase = "over";
    for (const timer of [this.#watchdog, this.#answerWatchdog]) if (timer !== null) clearTimeout(timer);
    this.#stopWatch();
    this.#stopQuality();
    this.#digits.stop();
    this.#timer.stop();
    hangUpCall(this.#call);
    this.#deps.onEnd({ reason, endedBy, phase });
  }
}
