import { DeviceChoice } from "./device/audio-devices.ts";
import { CallDesk } from "./call/call-desk.ts";
import type { CallSession } from "./call/call-session.ts";
import type { CallService } from "./call/call-service.ts";
import { EchoDesk } from "./echo/echo-desk.ts";
import { createLevelMeter, type LevelMeter } from "./device/level-meter.ts";
import { LiveCallWatch } from "./call/live-call-watch.ts";
import { closeMicrophone, type OpenMicrophone } from "./device/microphone.ts";
import { PhoneError } from "./phone-error.ts";
import { createPhoneStore } from "./phone-store.ts";
import { idlePhone, isCallOpen, type DialRequest, type PhoneState } from "./phone-state.ts";
import type { CreateRemoteAudio, RemoteAudio } from "./device/remote-audio.ts";
import type { TabLock } from "./tab-lock.ts";
import { UnfinishedHangups } from "./call/unfinished-hangups.ts";
import type { CreateVoiceClient } from "./line/voice-client.ts";
import { VoiceLine } from "./line/voice-line.ts";

export interface PhoneDeps {
  service: CallService;
  createClient: CreateVoiceClient;
  openMicrophone: OpenMicrophone;
  /** Whether the browser gives the microphone without asking the caller. */
  microphoneIsAllowed(): Promise<boolean>;
  createRemoteAudio: CreateRemoteAudio;
  tabLock: TabLock;
  /** Calls the listener when the page comes back to the world: network, sleep, sight. */
  onWake(listener: () => void): void;
  /** Calls the listener when the page goes away for good. */
  onLeave(listener: () => void): void;
}

/**
 * The phone of this page: one line, at most one call. All that can be seen is in `state`; the functions are wishes,
 * and a wish that makes no sense in the present state does nothing.
 */
export class Phone {
  readonly #deps: PhoneDeps;
  readonly #store = createPhoneStore();
  readonly #line: VoiceLine;
  readonly #devices = new DeviceChoice((devices) => this.#store.patch({ devices }));
  readonly #unfinished: UnfinishedHangups;
  readonly #live: LiveCallWatch;
  readonly #desk: CallDesk;
  readonly #echo: EchoDesk;
  #audio: RemoteAudio | null = null;
  /** The line is wanted ahead of the first call. */
  #prepared = false;

  constructor(deps: PhoneDeps) {
    this.#deps = deps;
    const { service, tabLock } = deps;
    const store = this.#store;
    this.#unfinished = new UnfinishedHangups(service);
    this.#line = this.#createLine();
    this.#live = new LiveCallWatch({ service, store, tabLock, unfinished: this.#unfinished, onFree: () => this.#onFree() });
    const shared = {
      service,
      store,
      line: this.#line,
      openMicrophone: deps.openMicrophone,
      wantedMicrophone: () => this.#devices.wantedMicrophone,
      audio: () => this.#sound(),
      onMicrophone: () => void this.#devices.refresh(),
    };
    this.#desk = new CallDesk({
      ...shared,
      tabLock,
      unfinished: this.#unfinished,
      microphoneIsAllowed: () => deps.microphoneIsAllowed(),
      onFailed: () => void this.#live.look(),
    });
    this.#echo = new EchoDesk(shared);
    tabLock.onAnnounced(() => void this.#live.look());
    deps.onWake(() => this.refresh());
    deps.onLeave(() => this.#leave());
  }

  get state(): PhoneState {
    return this.#store.get();
  }

  /** Calls `listener` after every change of `state`; the answer stops it. */
  readonly subscribe = (listener: () => void): (() => void) => this.#store.subscribe(listener);

  /**
   * Looks for a running call, then connects and signs in ahead of the first call. While there is a call to take up again the
   * line waits for the caller's word, and while one runs elsewhere for its end. Failing is no error yet: `state.line` tells,
   * and dialling tries again.
   */
  async prepare(): Promise<void> {
    this.#prepared = true;
    this.#sound();
    void this.#unfinished.retry();
    await Promise.all([this.#live.look(), this.#devices.refresh()]);
    if (this.#live.mayOpenLine) await this.#line.open().catch(() => undefined);
  }

  /** Asks anew how things are: to be called when something was heard of a call from elsewhere. */
  refresh(): void {
    this.#line.verify();
    this.#session?.lookNow();
    this.#live.lookNow();
    void this.#unfinished.retry();
    if (this.state.call === null) void this.#live.look();
  }

  /** Starts a call. To be called in the click. Does nothing unless the phone is idle; a call elsewhere is an error. */
  dial(request: DialRequest): void {
    if (this.state.status !== "idle" || this.state.rejoinable !== null) return;
    if (this.state.elsewhere !== null) return this.#store.patch({ error: new PhoneError("other_tab") });
    this.#echo.dismiss();
    this.#desk.dial(request);
  }

  /** Takes `state.rejoinable` up again: microphone, then the sound both ways. To be called in the click. */
  rejoin(): void {
    const { rejoinable, status } = this.state;
    if (rejoinable === null || status !== "idle") return;
    const { clockSkewMs } = this.#live;
    this.#live.forget();
    this.#echo.dismiss();
    this.#desk.rejoin(rejoinable, clockSkewMs);
  }

  /** Hangs `state.rejoinable` up instead. Afterwards the phone is ready for a new call. */
  declineRejoin(): void {
    if (this.state.rejoinable === null) return;
    void this.#live.hangUp().then(() => this.prepare());
  }

  /** Ends the call that runs in another tab or on another device. */
  hangUpElsewhere(): void {
    if (this.state.elsewhere !== null) void this.#live.hangUp().then(() => this.#onFree());
  }

  /** Ends the call, or the try to make one. Twice is once. */
  hangUp(): void {
    this.#desk.hangUp();
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
    return this.#session?.sendDigits(digits) ?? "";
  }

  /** Reads the list of devices anew; call it when it is about to be shown. `state.devices` follows what is plugged in. */
  async refreshDevices(): Promise<void> {
    await this.#devices.refresh();
  }

  /** Chooses a microphone, null for the system's; a running call changes to it at once. False when it could not be opened. */
  async setMicrophone(id: string | null): Promise<boolean> {
    try {
      await this.#session?.changeMicrophone(id);
    } catch {
      // In use, or unplugged just now: the call goes on with the old one.
      return false;
    }
    this.#devices.chooseMicrophone(id);
    return true;
  }

  /** Chooses a speaker, null for the system's. False where the browser cannot or the speaker is gone. */
  async setSpeaker(id: string | null): Promise<boolean> {
    if (!(await this.#sound().setSpeaker(id))) return false;
    this.#devices.chooseSpeaker(id);
    return true;
  }

  /**
   * Measures the microphone: that of the call, or outside of one the chosen one, which is opened for it (and may ask the
   * caller) until the meter is closed. Rejects as `openMicrophone` does.
   */
  async openLevelMeter(): Promise<LevelMeter> {
    const inCall = this.#desk.microphone;
    if (inCall !== null) return createLevelMeter(inCall.stream);
    const stream = await this.#deps.openMicrophone(this.#devices.wantedMicrophone);
    void this.#devices.refresh();
    return createLevelMeter(stream, () => closeMicrophone(stream));
  }

  /** Calls the exchange's echo, free and short; `state.echoTest` tells how it goes. To be called in the click. */
  startEchoTest(): void {
    const { status, rejoinable, elsewhere } = this.state;
    if (status === "idle" && rejoinable === null && elsewhere === null) this.#echo.start();
  }

  /** Ends a running echo test, or takes its result off the screen. */
  dismissEchoTest(): void {
    this.#echo.dismiss();
  }

  /** Takes the failure of the last try off the screen. */
  dismissError(): void {
    this.#store.patch({ error: null });
  }

  /** Takes the summary of the last call off the screen. */
  dismissLastCall(): void {
    this.#store.patch({ lastCall: null });
  }

  /** Ends everything and forgets who was signed in: for sign-out. The phone can be prepared anew. */
  signOut(): void {
    this.#prepared = false;
    this.#desk.signOut();
    this.#echo.dismiss();
    this.#live.signOut();
    this.#line.close();
    this.#store.patch({ ...idlePhone, devices: this.state.devices });
  }

  /** The line need not wait any more. */
  #onFree(): void {
    if (this.#prepared && this.#live.mayOpenLine) void this.#line.open().catch(() => undefined);
  }

  /** The service hangs up for a page that goes away; one that is loaded anew in its place is in time to say that it is there. */
  #leave(): void {
    const { call, rejoinable } = this.state;
    const callId = isCallOpen(this.state) ? (call?.callId ?? null) : (rejoinable?.id ?? null);
    // Unheard, the call ends when the exchange misses its caller.
    if (callId !== null) this.#deps.service.leave(callId).catch(() => undefined);
  }

  get #session(): CallSession | null {
    return this.#desk.session;
  }

  #sound(): RemoteAudio {
    if (this.#audio === null) {
      this.#audio = this.#deps.createRemoteAudio();
      const { speakerId } = this.#devices.devices;
      if (speakerId !== null) void this.#audio.setSpeaker(speakerId);
    }
    return this.#audio;
  }

  #createLine(): VoiceLine {
    return new VoiceLine({
      getVoiceToken: () => this.#deps.service.getVoiceToken(),
      createClient: this.#deps.createClient,
      remoteElement: () => this.#sound().element,
      inCall: () => this.#session !== null,
      events: {
        onStatus: (line, lineError) => {
          this.#store.patch({ line, lineError });
          this.#session?.onLineReady(line === "ready");
          if (line === "ready") void this.#unfinished.retry();
        },
        onCall: (call) => {
          if (!this.#echo.onVoiceCall(call)) this.#desk.onVoiceCall(call);
        },
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
}
