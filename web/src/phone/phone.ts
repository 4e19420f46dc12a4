import { askForCall, type CallGrant } from "./ask-for-call.ts";
import { CallSession, type SessionEnd } from "./call-session.ts";
import type { CallService } from "./call-service.ts";
import { withDeadline } from "./deadline.ts";
import { closeMicrophone, type OpenMicrophone } from "./microphone.ts";
import { createObservable } from "./observable.ts";
import { PhoneError, toPhoneError } from "./phone-error.ts";
import { idlePhone, newPhoneCall, type DialRequest, type PhoneCall, type PhoneState } from "./phone-state.ts";
import type { CreateRemoteAudio, RemoteAudio } from "./remote-audio.ts";
import { settleCall } from "./settle-call.ts";
import type { ClaimTab } from "./tab-lock.ts";
import { hangUpCall, isOver, type CreateVoiceClient, type VoiceCall, type VoiceClient } from "./voice-client.ts";
import { VoiceLine } from "./voice-line.ts";

/** "Call Ended" stays this long (specification §4). */
const ENDED_SHOWN_MS = 2000;
/** How long a caller waits for a connection that is not up yet. */
const LINE_WAIT_MS = 12_000;

export interface PhoneDeps {
  service: CallService;
  createClient: CreateVoiceClient;
  openMicrophone: OpenMicrophone;
  createRemoteAudio: CreateRemoteAudio;
  claimTab: ClaimTab;
}

/** One try to call, from the click to the end. */
interface Attempt {
  cancelled: boolean;
  session: CallSession | null;
  microphone: MediaStream | null;
  releaseTab: (() => void) | null;
}

/** Thrown inside `dial` alone, when the caller hung up before there was a call. */
class DialCancelled extends Error {}

/**
 * The phone of this page: one line, at most one call. All that can be seen is in `state`; the functions are wishes,
 * and a wish that makes no sense in the present state does nothing.
 */
export class Phone {
  readonly #deps: PhoneDeps;
  readonly #line: VoiceLine;
  readonly #observable = createObservable<PhoneState>(idlePhone);
  #audio: RemoteAudio | null = null;
  #attempt: Attempt | null = null;
  #idleTimer: ReturnType<typeof setTimeout> | null = null;
  readonly #hungUp = new WeakSet<VoiceCall>();

  constructor(deps: PhoneDeps) {
    this.#deps = deps;
    this.#line = new VoiceLine({
      getVoiceToken: () => deps.service.getVoiceToken(),
      createClient: deps.createClient,
      events: {
        onStatus: (line, lineError) => {
          this.#patch({ line, lineError });
          this.#session?.onLineReady(line === "ready");
        },
        onCall: (call) => this.#onVoiceCall(call),
        onRinging: (callId) => {
          if (callId === this.#session?.callId) this.#session.onRinging();
        },
        onCallError: (callId, code) => {
          if (callId === null) this.#session?.onLineGone();
          else if (callId === this.#session?.callId) this.#session.onVoiceError(code);
        },
      },
    });
  }

  get state(): PhoneState {
    return this.#observable.get();
  }

  /** Calls `listener` after every change of `state`; the answer stops it. */
  readonly subscribe = (listener: () => void): (() => void) => this.#observable.subscribe(listener);

  /** Connects and signs in ahead of the first call. Failing is no error yet: `state.line` tells, and dialling tries again. */
  async prepare(): Promise<void> {
    this.#audio ??= this.#deps.createRemoteAudio();
    await this.#line.open().catch(() => undefined);
  }

  /** Starts a call. To be called in the click. Does nothing unless the phone is idle. */
  dial(request: DialRequest): void {
    if (this.state.status !== "idle") return;
    const attempt: Attempt = { cancelled: false, session: null, microphone: null, releaseTab: null };
    this.#attempt = attempt;
    this.#audio ??= this.#deps.createRemoteAudio();
    this.#audio.unlock();
    this.#patch({ status: "initializing", call: newPhoneCall(request), error: null, lastCall: null });
    this.#setUp(attempt, request, this.#audio).catch((error: unknown) => {
      this.#release(attempt);
      if (!(error instanceof DialCancelled)) this.#fail(attempt, toPhoneError(error, "initiate_failed"));
    });
  }

  /** Ends the call, or the try to make one. Twice is once. */
  hangUp(): void {
    const attempt = this.#attempt;
    if (attempt === null || attempt.cancelled) return;
    attempt.cancelled = true;
    if (attempt.session !== null) {
      attempt.session.hangUp();
      return;
    }
    this.#release(attempt);
    this.#showEnded(attempt, "cancelled");
  }

  /** Returns whether the microphone is muted now; null without a call. */
  toggleMute(): boolean | null {
    return this.#session?.toggleMute() ?? null;
  }

  /** Resolves to false when the line could not do it. */
  async toggleHold(): Promise<boolean> {
    return (await this.#session?.toggleHold()) ?? false;
  }

  /** Sends keypad digits (0-9, *, #, and "," for a pause of 2 s) into an answered call; returns those taken. */
  sendDigits(digits: string): string {
    const taken = this.#session?.sendDigits(digits) ?? "";
    if (taken !== "") this.#patchCall({ digits: (this.state.call?.digits ?? "") + taken });
    return taken;
  }

  /** Takes the failure of the last try off the screen. */
  dismissError(): void {
    this.#patch({ error: null });
  }

  /** Takes the summary of the last call off the screen. */
  dismissLastCall(): void {
    this.#patch({ lastCall: null });
  }

  /** Ends everything and forgets who was signed in: for sign-out. The phone can be prepared anew. */
  signOut(): void {
    this.hangUp();
    this.#line.close();
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    this.#attempt = null;
    this.#observable.set(idlePhone);
  }

  get #session(): CallSession | null {
    return this.#attempt?.session ?? null;
  }

  /**
   * Microphone and line first, because both may fail and neither costs anything; then the service, which sets credit
   * aside; then the call itself.
   */
  async #setUp(attempt: Attempt, request: DialRequest, audio: RemoteAudio): Promise<void> {
    const line = withDeadline(this.#line.open(), LINE_WAIT_MS, () => new PhoneError("line_not_connected"));
    // Awaited below, after the microphone; until then its failure must not count as unhandled.
    line.catch(() => undefined);
    attempt.releaseTab = await this.#deps.claimTab();
    if (attempt.releaseTab === null) throw new PhoneError("other_tab");
    this.#checkWanted(attempt);
    attempt.microphone = await this.#deps.openMicrophone();
    this.#checkWanted(attempt);
    await line;
    this.#checkWanted(attempt);

    const grant = await askForCall(this.#deps.service, request);
    let client: VoiceClient;
    try {
      this.#checkWanted(attempt);
      client = await this.#line.open();
      this.#checkWanted(attempt);
    } catch (error) {
      // Credit is set aside for a call that will not be: it goes back at once.
      void this.#settle(attempt, grant.call.id, "caller");
      throw error;
    }
    this.#start(attempt, { grant, client, audio });
  }

  #start(attempt: Attempt, go: { grant: CallGrant; client: VoiceClient; audio: RemoteAudio }): void {
    const { grant, client, audio } = go;
    if (attempt.microphone === null) throw new Error("a call needs an open microphone");
    const session = new CallSession({
      client,
      grant,
      service: this.#deps.service,
      microphone: attempt.microphone,
      remoteElement: audio.element,
      lineIsReady: () => this.#line.isReady,
      onPhase: (status) => this.#patch({ status }),
      onChange: (patch) => this.#patchCall(patch),
      onEnd: (end) => this.#onEnd(attempt, end, grant.call.id),
    });
    attempt.session = session;
    this.#patchCall({
      callId: grant.call.id,
      number: grant.call.destination_number,
      countryCode: grant.call.destination_country,
      name: grant.call.contact_name ?? this.state.call?.name ?? null,
      record: grant.call,
    });
    try {
      session.start();
    } catch {
      // The SDK refused to make the call; for the caller it is a line that never opened.
      session.onLineGone();
    }
  }

  #checkWanted(attempt: Attempt): void {
    if (attempt.cancelled || this.#attempt !== attempt) throw new DialCancelled();
  }

  /**
   * A call that is not the one of this phone has no business here: an unasked call from outside, or one that the SDK
   * revived after it was ended, with an open microphone.
   */
  #onVoiceCall(call: VoiceCall): void {
    const session = this.#session;
    if (session !== null && call.id === session.callId && this.state.status !== "ended" && this.state.status !== "idle") {
      session.onVoiceCall(call);
      return;
    }
    if (isOver(call) || call.state === "recovering" || this.#hungUp.has(call)) return;
    this.#hungUp.add(call);
    // Not from inside the SDK's own notification: it has not finished making the call.
    queueMicrotask(() => hangUpCall(call));
  }

  #onEnd(attempt: Attempt, end: SessionEnd, callId: string): void {
    attempt.cancelled = true;
    this.#release(attempt);
    if (end.endedBy !== "service") void this.#settle(attempt, callId, end.endedBy);
    if (this.#attempt !== attempt) return;
    if (end.phase === "setup" && end.reason === "never_connected") this.#fail(attempt, new PhoneError("never_connected"));
    else this.#showEnded(attempt, end.reason);
  }

  /** Brings the final record; it reaches the screen as long as this is the last call of the page. */
  async #settle(attempt: Attempt, callId: string, endedBy: "caller" | "line"): Promise<void> {
    const record = await settleCall(this.#deps.service, callId, endedBy);
    if (record === null || this.#attempt !== attempt) return;
    // Of a call ended from here the service only knows that it was; we know why.
    const knowsWhy = endedBy === "line" && record.end_reason !== null;
    const patch: Partial<PhoneCall> = { record, ...(knowsWhy ? { endReason: record.end_reason } : {}) };
    if (this.state.call !== null) this.#patchCall(patch);
    if (this.state.lastCall !== null) this.#patch({ lastCall: { ...this.state.lastCall, ...patch } });
  }

  #showEnded(attempt: Attempt, reason: PhoneCall["endReason"]): void {
    if (this.#attempt !== attempt) return;
    this.#patchCall({ endReason: this.state.call?.record?.end_reason ?? reason, muted: false, held: false, reconnecting: false });
    this.#patch({ status: "ended" });
    this.#idleTimer = setTimeout(() => {
      this.#patch({ status: "idle", lastCall: this.state.call, call: null });
    }, ENDED_SHOWN_MS);
  }

  #fail(attempt: Attempt, error: PhoneError): void {
    if (this.#attempt !== attempt || this.state.status === "ended" || this.state.status === "idle") return;
    attempt.cancelled = true;
    this.#patch({ status: "idle", call: null, error });
  }

  #release(attempt: Attempt): void {
    if (attempt.microphone !== null) closeMicrophone(attempt.microphone);
    attempt.microphone = null;
    attempt.releaseTab?.();
    attempt.releaseTab = null;
  }

  #patch(patch: Partial<PhoneState>): void {
    this.#observable.set({ ...this.state, ...patch });
  }

  #patchCall(patch: Partial<PhoneCall>): void {
    if (this.state.call === null) return;
    this.#patch({ call: { ...this.state.call, ...patch } });
  }
}
