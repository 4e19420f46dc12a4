import { type AudioDevices, DeviceChoice } from "./device/audio-devices.ts";
import type { CallObstacle } from "./call-obstacle.ts";
import { CallController } from "./call/call-controller.ts";
import { callMarker } from "./call/call-marker.ts";
import type { CallSession } from "./call/call-session.ts";
import type { CallService } from "./call/call-service.ts";
import type { EchoController, EchoControllerDeps } from "./echo/echo-controller.ts";
import {
  CallMicrophone,
  type MicrophoneCondition,
  type MicrophonePermission,
  openInTime,
  type OpenMicrophone,
  type WatchMicrophonePermission,
} from "./device/microphone.ts";
import type { CreateLevelMeter, LevelMeter } from "./device/level-meter.ts";
import { LiveCallWatch } from "./call/live-call-watch.ts";
import { PausedSound } from "./device/paused-sound.ts";
import { PhoneError, type PhoneErrorCode } from "./phone-error.ts";
import { createPhoneStore } from "./phone-store.ts";
import { idlePhone, isCallOpen, type DialRequest, type PhoneState } from "./phone-state.ts";
import type { CreateRemoteAudio, RemoteAudio } from "./device/remote-audio.ts";
import type { TabLock } from "./tab-lock.ts";
import { UnfinishedHangups } from "./call/unfinished-hangups.ts";
import type { CreateVoiceClient } from "./line/voice-client.ts";
import { VoiceLine } from "./line/voice-line.ts";

interface PhoneDeps {
  service: CallService;
  createClient: CreateVoiceClient;
  openMicrophone: OpenMicrophone;
  watchMicrophonePermission: WatchMicrophonePermission;
  createRemoteAudio: CreateRemoteAudio;
  findObstacle(): CallObstacle | null;
  tabLock: TabLock;
  /** Whether a call may go on in this page without a press: the caller sees it, and no other tab can be in the call. */
  mayResume(): boolean;
  /** Calls the listener when the page resumes: network back, machine awake, page visible. */
  onWake(listener: () => void): void;
  /** Calls the listener when the page closes, or is left or frozen and may go on later. */
  onLeave(listener: () => void): void;
}

/**
 * This page's phone: one line, at most one call. `state` has everything visible. The functions are requests, and one that
 * makes no sense in the current state does nothing.
 */
export class Phone {
  readonly #deps: PhoneDeps;
  readonly #store = createPhoneStore();
  readonly #line: VoiceLine;
  readonly #devices = new DeviceChoice((devices) => this.#onDevices(devices));
  readonly #paused = new PausedSound(
    (soundPaused) => this.#store.patch({ soundPaused }),
    () => this.#session?.microphone.retry({ orMuted: true }),
  );
  readonly #openMicrophone: OpenMicrophone;
  readonly #unfinished: UnfinishedHangups;
  readonly #live: LiveCallWatch;
  readonly #controller: CallController;
  readonly #echoDeps: EchoControllerDeps;
  #echo: EchoController | null = null;
  #audio: RemoteAudio | null = null;
  /** The line was requested ahead of the first call. */
  #prepared = false;
  #checked = false;
  /** The call about which `#resume` has decided. */
  #decided: string | null = null;

  constructor(deps: PhoneDeps) {
    this.#deps = deps;
    this.#openMicrophone = openInTime(deps.openMicrophone, () => this.state.microphonePermission);
    const { service, tabLock } = deps;
    const store = this.#store;
    this.#unfinished = new UnfinishedHangups(service);
    this.#line = this.#createLine();
    this.#live = new LiveCallWatch({
      service,
      store,
      tabLock,
      unfinished: this.#unfinished,
      onFree: () => this.#onFree(),
      onOffer: () => this.#resume(),
    });
    const shared = {
      service,
      store,
      line: this.#line,
      openMicrophone: this.#openMicrophone,
      wantedMicrophone: () => this.#devices.wantedMicrophone,
      audio: () => this.#sound(),
      onMicrophone: () => void this.#devices.readNames(),
    };
    this.#controller = new CallController({
      ...shared,
      tabLock,
      unfinished: this.#unfinished,
      microphoneIsReady: () => this.state.microphonePermission === "granted" && this.state.devices.hasMicrophone,
      onFailed: () => void this.#live.look(),
    });
    this.#echoDeps = { ...shared, watchSound: (context) => this.#paused.watchContext(context) };
    tabLock.onAnnounced(() => void this.#live.look());
    deps.onWake(() => this.refresh());
    deps.onLeave(() => this.#leave());
    deps.watchMicrophonePermission((permission) => this.#onPermission(permission));
  }

  get state(): PhoneState {
    return this.#store.get();
  }

  /** Calls `listener` after every change of `state`. Returns the unsubscribe function. */
  readonly subscribe = (listener: () => void): (() => void) => this.#store.subscribe(listener);

  /**
   * Looks for a running call, then connects and signs in ahead of the first call. While there is a call to rejoin, the line
   * waits for the caller's decision; while one runs elsewhere, for its end. A failure is not an error yet: `state.line` shows
   * it, and dialling tries again. Where no call can work, only the running call is looked for.
   */
  async prepare(): Promise<void> {
    this.#prepared = true;
    if (this.checkPage()) this.#sound();
    void this.#unfinished.retry();
    await Promise.all([this.#live.look(), this.#devices.refresh()]);
    await this.#openLine();
  }

  /**
   * Checks whether calls can work in this page, once. The browser's first connection takes 10 to 150 ms, so the page asks for this
   * when it is idle; a call that starts earlier pays for it.
   */
  checkPage(): boolean {
    if (!this.#checked) {
      this.#checked = true;
      this.#store.patch({ obstacle: this.#deps.findObstacle() });
    }
    return this.state.obstacle === null;
  }

  /** Reads the state again. Call it after a hint about a call elsewhere. */
  refresh(): void {
    void this.#line.verify();
    this.#session?.lookNow();
    this.#session?.microphone.retry();
    // A page that goes on has not left its call.
    if (this.#session !== null && isCallOpen(this.state)) callMarker.set(this.#session);
    this.#live.lookNow();
    void this.#devices.refresh();
    void this.#unfinished.retry();
    if (this.state.call === null) void this.#live.look();
    this.#resume();
  }

  /** Lets the page play sound. Must be called in the click, if the call is dialled later. */
  unlockSound(): void {
    this.#sound().unlock();
  }

  /** Starts a call. Must be called in the click, or after one that called `unlockSound`. Does nothing unless the phone is idle; a call elsewhere is an error. */
  dial(request: DialRequest): void {
    if (this.state.status !== "idle" || this.state.rejoinable !== null) return;
    if (this.state.elsewhere !== null) return this.#store.patch({ error: new PhoneError("other_tab") });
    if (!this.checkPage()) return this.#store.patch({ error: new PhoneError("cannot_call") });
    this.#echo?.dismiss();
    this.#controller.dial(request);
  }

  /** Rejoins `state.rejoinable`: first the microphone, then sound both ways. Must be called in the click. */
  rejoin(): void {
    const { rejoinable, status } = this.state;
    if (rejoinable === null || status !== "idle" || !this.checkPage()) return;
    this.#live.forget();
    this.#echo?.dismiss();
    this.#controller.rejoin(rejoinable);
  }

  /**
   * Decides, once for each call, whether a reloaded page goes on with it by itself: only if the browser reports that the microphone
   * opens without a question. A browser that reports nothing counts as one that asks.
   */
  #resume(): void {
    const { rejoinable, microphonePermission } = this.state;
    if (rejoinable === null || rejoinable.id === this.#decided) return;
    if (microphonePermission === "unknown" || !this.#deps.mayResume()) return;
    this.#decided = rejoinable.id;
    if (microphonePermission === "granted") this.rejoin();
  }

  /** Hangs up `state.rejoinable` instead. Afterwards the phone is ready for a new call. */
  declineRejoin(): void {
    if (this.state.rejoinable === null) return;
    this.dismissError();
    void this.#live.hangUp().then(() => this.prepare());
  }

  /** Takes `state.elsewhere` over from the page that is in it: first the microphone and the line. Must be called in the click. */
  moveHere(): void {
    const { elsewhere, movable, status } = this.state;
    if (elsewhere === null || movable === null || status !== "idle" || !this.checkPage()) return;
    this.#live.forget();
    this.#echo?.dismiss();
    this.#controller.moveHere(elsewhere, movable);
  }

  /** Ends the call that runs in another tab or on another device. */
  hangUpElsewhere(): void {
    if (this.state.elsewhere !== null) void this.#live.hangUp().then(() => this.#onFree());
  }

  /** Ends the call, or the attempt to start one. Idempotent. */
  hangUp(): void {
    this.#controller.hangUp();
  }

  /** Returns whether the microphone is now muted; null without a call. */
  toggleMute(): boolean | null {
    const muted = this.#session?.toggleMute() ?? null;
    // A caller who thinks that nobody hears them must not be heard after a reload.
    if (this.#session !== null && muted !== null) callMarker.set(this.#session);
    return muted;
  }

  /** Resolves to false when the line could not do it. */
  async toggleHold(): Promise<boolean> {
    return (await this.#session?.toggleHold()) ?? false;
  }

  /**
   * Sends keypad digits (0-9, *, #, and "," for a pause of 2 s) into an answered call; returns the accepted ones.
   * Null, and none is sent, when they are too many at once.
   */
  sendDigits(digits: string): string | null {
    return this.#session === null ? "" : this.#session.sendDigits(digits);
  }

  /** Rereads the device list; call it before showing it. `state.devices` follows plugging and unplugging. */
  async refreshDevices(): Promise<void> {
    await this.#devices.refresh();
  }

  /** Chooses a microphone, null for the system's; a running call switches at once. False when it could not be opened. */
  async setMicrophone(id: string | null): Promise<boolean> {
    try {
      await this.#session?.microphone.switchTo(id);
    } catch {
      // In use, or just unplugged: the call continues with the old one.
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
   * Measures the call's microphone. Without a call it opens the chosen one until the meter is closed, which may show the
   * permission prompt. Rejects like `openMicrophone`.
   * @param create is loaded with the part of the page that shows the level
   * @param onCondition told the condition of a microphone that was opened here, now and whenever it changes
   */
  async openLevelMeter(create: CreateLevelMeter, onCondition: (condition: MicrophoneCondition) => void): Promise<LevelMeter> {
    const watch = (context: AudioContext): void => this.#paused.watchContext(context);
    const inCall = this.#controller.microphone;
    if (inCall !== null) return create(() => inCall.stream, watch);
    const microphone = await CallMicrophone.open(this.#openMicrophone, this.#devices.wantedMicrophone);
    void this.#devices.refresh();
    microphone.onChange = () => onCondition(microphone.condition);
    microphone.onChange();
    return create(
      () => microphone.stream,
      watch,
      () => microphone.close(),
    );
  }

  /** The relays that came with the newest voice token; none before the line was opened. */
  get relays(): readonly RTCIceServer[] {
    return this.#line.callOptions.iceServers ?? [];
  }

  /**
   * Starts a short, free echo test; `state.echoTest` shows its progress. Must be called in the click.
   * @param create is loaded with the part of the page that shows the test
   */
  startEchoTest(create: (deps: EchoControllerDeps) => EchoController): void {
    const { status, rejoinable, elsewhere } = this.state;
    if (status === "idle" && rejoinable === null && elsewhere === null && this.checkPage()) {
      this.#echo ??= create(this.#echoDeps);
      this.#echo.start();
    }
  }

  /** Ends a running echo test, or dismisses its result. */
  dismissEchoTest(): void {
    this.#echo?.dismiss();
  }

  /** Dismisses the last attempt's failure. */
  dismissError(): void {
    this.#store.patch({ error: null });
  }

  /** Dismisses the last call's summary. */
  dismissLastCall(): void {
    this.#store.patch({ lastCall: null });
  }

  /** Ends everything and forgets the user, for sign-out. The phone can be prepared again. */
  signOut(): void {
    this.#prepared = false;
    this.#controller.signOut();
    this.#echo?.dismiss();
    this.#live.signOut();
    this.#line.close();
    const { devices, microphonePermission, obstacle } = this.state;
    this.#store.patch({ ...idlePhone, devices, microphonePermission, obstacle });
  }

  #onDevices(devices: AudioDevices): void {
    const { microphoneId, speakerId, hasMicrophone } = this.state.devices;
    this.#store.patch({ devices });
    if (devices.speakerId !== speakerId) void this.#audio?.setSpeaker(devices.speakerId);
    if (devices.microphoneId === null || devices.microphoneId === microphoneId) this.#session?.microphone.retry();
    else this.#session?.microphone.returnTo(devices.microphoneId);
    if (devices.hasMicrophone && !hasMicrophone) this.#forgetFailure("microphone_missing");
  }

  #onPermission(microphonePermission: MicrophonePermission): void {
    this.#store.patch({ microphonePermission });
    this.#resume();
    if (microphonePermission === "denied") return;
    this.#session?.microphone.retry();
    this.#forgetFailure("microphone_denied");
  }

  /** Clears an error whose cause is gone. */
  #forgetFailure(code: PhoneErrorCode): void {
    if (this.state.error?.code === code) this.dismissError();
    if (this.state.echoTest?.error?.code === code) this.#echo?.dismiss();
  }

  /** The line no longer needs to wait. */
  #onFree(): void {
    if (this.#prepared) void this.#openLine();
  }

  async #openLine(): Promise<void> {
    if (this.#live.mayOpenLine && this.checkPage()) await this.#line.open().catch(() => undefined);
  }

  /** Tells the service that the page closes, so that it hangs up, unless the reloaded page reports in time. */
  #leave(): void {
    const { call, rejoinable } = this.state;
    if (isCallOpen(this.state)) callMarker.leave();
    const callId = isCallOpen(this.state) ? (call?.callId ?? null) : (rejoinable?.id ?? null);
    // If this request fails, the exchange ends the call when it loses the caller.
    if (callId !== null) this.#deps.service.leave(callId).catch(() => undefined);
  }

  get #session(): CallSession | null {
    return this.#controller.session;
  }

  #sound(): RemoteAudio {
    if (this.#audio === null) {
      this.#audio = this.#deps.createRemoteAudio(this.#paused);
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
      inCall: () => this.#controller.needsLine,
      events: {
        onStatus: (line, lineError) => {
          this.#store.patch({ line, lineError });
          this.#session?.onLineReady(line === "ready");
          if (line === "ready") void this.#unfinished.retry();
        },
        onCall: (call) => {
          if (this.#echo?.onVoiceCall(call) !== true) this.#controller.onVoiceCall(call);
        },
        onFarEnd: (lineId, farEnd) => this.#controller.onFarEnd(lineId, farEnd),
        onCallError: (lineId, code) => this.#controller.onCallError(lineId, code),
      },
    });
  }
}
