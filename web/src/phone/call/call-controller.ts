import type { Call, InitiateResponse } from "@farline/contract/calls.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import { randomId } from "../../browser/random-id.ts";
import { askForCall, AttemptCancelled, type AttemptKeys, DialledLeg, newTicket } from "./attempt.ts";
import { callMarker } from "./call-marker.ts";
import type { CallControllerDeps, SessionDeps, SessionEnd } from "./call-deps.ts";
import { CallMicrophone } from "../device/microphone.ts";
import { callOf, type DialRequest, type PhoneCall, phoneCallOf } from "../phone-state.ts";
import { type Attempt, CallSession } from "./call-session.ts";
import { PhoneError, toPhoneError } from "../phone-error.ts";
import { settleCall } from "./watch-call.ts";
import { type FarEnd, hangUpCall, isOver, type VoiceCall, voiceCode, type VoiceClient } from "../line/voice-client.ts";
import { deviceStamp } from "../../time/clock.ts";
import { after } from "../../time/timers.ts";

/** How long "Call Ended" is shown (specification §4). */
const ENDED_SHOWN_MS = 2000;
/** How long a caller waits for a connection that is not up yet. */
const LINE_WAIT_MS = 12_000;
/** How long the tab that a call is moved from may take to let go of it. */
const OTHER_TAB_WAIT_MS = 5000;
/** After this long the caller is told that the call waits for the microphone; at once if the browser may ask. */
const SLOW_MICROPHONE_MS = 1500;
/** How long the page says that a call goes on after a reload. */
const BACK_SHOWN_MS = 6000;

/** Starts this phone's only call, or rejoins a running one, and follows it to its end. */
export class CallController {
  readonly #deps: CallControllerDeps;
  #attempt: Attempt | null = null;
  #stopIdleTimer = (): void => undefined;
  readonly #hungUp = new WeakSet<VoiceCall>();

  constructor(deps: CallControllerDeps) {
    this.#deps = deps;
  }

  get session(): CallSession | null {
    return this.#attempt?.session ?? null;
  }

  /** Whether a call depends on the line. */
  get needsLine(): boolean {
    return this.session !== null || this.#leg !== null;
  }

  get microphone(): CallMicrophone | null {
    return this.#attempt?.microphone ?? null;
  }

  dial(request: DialRequest): void {
    const attempt = this.#begin();
    this.#deps.audio().unlock();
    this.#deps.store.patch({ status: "initializing", call: phoneCallOf(request), error: null, lastCall: null });
    this.#setUp(attempt, request).catch((error: unknown) => {
      this.#release(attempt);
      if (!(error instanceof AttemptCancelled)) this.#fail(attempt, toPhoneError(error, "initiate_failed"));
    });
  }

  /** Rejoins a running call of this tab. Without a microphone the call is offered again, as long as the provider keeps it. */
  rejoin(record: Call): void {
    const attempt = this.#begin();
    const marked = callMarker.get();
    this.#showReconnecting(record);
    this.#takeUp(attempt, record).catch((error: unknown) => {
      if (attempt.session !== null) return attempt.session.onLineGone();
      this.#release(attempt);
      if (error instanceof AttemptCancelled) return;
      if (marked !== null) callMarker.set(marked);
      this.#fail(attempt, toPhoneError(error, "line_not_connected"), record);
    });
  }

  /**
   * Moves the customer's call, which another page is in, to this one. If that fails, the call goes on there.
   * @param lineId the SDK's id of the call
   */
  moveHere(record: Call, lineId: string): void {
    const attempt = this.#begin();
    this.#showReconnecting(record);
    this.#takeOver(attempt, record, lineId).catch((error: unknown) => {
      if (attempt.session === null) this.#onElsewhere(attempt);
      else attempt.session.leaveElsewhere();
      if (this.#attempt === attempt && !(error instanceof AttemptCancelled))
        this.#deps.store.patch({ error: toPhoneError(error, "line_not_connected") });
    });
  }

  hangUp(): void {
    const attempt = this.#attempt;
    if (attempt === null || attempt.cancelled) return;
    attempt.cancelled = true;
    if (attempt.session !== null) return attempt.session.hangUp();
    this.#release(attempt);
    const { call } = this.#deps.store.get();
    if (call !== null && call.callId !== null) void this.#settle(attempt, call.callId, "caller");
    this.#showEnded(attempt, "cancelled");
  }

  /**
   * Rejects every call that is not this phone's: an unsolicited call from outside, or one that the SDK revives after its end.
   * It is hung up before it opens the microphone.
   */
  onVoiceCall(call: VoiceCall): void {
    const { session } = this;
    const leg = this.#leg;
    if (leg !== null && call.id === leg.id) {
      leg.call = call;
      return;
    }
    const { status } = this.#deps.store.get();
    if (session !== null && call.id === session.lineId && status !== "ended" && status !== "idle")
      return session.onVoiceCall(call);
    const isReplaced = call.state === "recovering" && !call.recoveredCallId;
    if (isOver(call) || isReplaced || this.#hungUp.has(call)) return;
    this.#hungUp.add(call);
    // Not inside the SDK's own notification, because the SDK has not finished creating the call.
    queueMicrotask(() => hangUpCall(call));
  }

  /** The provider has the leg. */
  onFarEnd(lineId: string, farEnd: FarEnd): void {
    const leg = this.#leg;
    if (leg?.id === lineId) leg.farEnd = farEnd;
    const { session } = this;
    if (session?.lineId === lineId) session.onFarEnd(farEnd);
  }

  /** @param lineId null if the line is gone, with all its calls */
  onCallError(lineId: string | null, code: number): void {
    const leg = this.#leg;
    if (leg !== null && lineId === null) leg.lineIsGone = true;
    else if (leg !== null && leg.id === lineId) leg.errorCode ??= code;
    const { session } = this;
    if (lineId === null) session?.onLineGone();
    else if (lineId === session?.lineId && !this.#redial(session, code)) session.onVoiceError(code);
  }

  /** Removes the call from the screen; a running one is hung up first. */
  signOut(): void {
    this.hangUp();
    this.#stopIdleTimer();
    this.#attempt = null;
  }

  /** Whether a call is dialled once more, because the message that dialled it was lost with the line and the provider knows nothing of it. */
  #redial(session: CallSession, code: number): boolean {
    const attempt = this.#attempt;
    const redial = attempt?.redial ?? null;
    if (attempt === null || redial === null || code !== voiceCode.sessionNotReattached || !session.isUnheard) return false;
    attempt.redial = null;
    session.replaceLeg(randomId());
    callMarker.set(session);
    redial(session.lineId).catch(() => session.onLineGone());
    return true;
  }

  #begin(): Attempt {
    const attempt: Attempt = { cancelled: false, session: null, leg: null, redial: null, microphone: null, releaseTab: null };
    this.#attempt = attempt;
    return attempt;
  }

  /**
   * Another tab's call, the line and the microphone may fail at no cost, so they come before the service, which holds credit. If the
   * line is up and the microphone needs no prompt, the page asks the service at once and dials meanwhile, with a ticket that it
   * generated: the exchange parks the leg, and dials for it only after the service has authorised the call and the page has a
   * microphone. That opens once the leg is offered, since opening it earlier delays the offer.
   */
  async #setUp(attempt: Attempt, request: DialRequest): Promise<void> {
    const { service, line } = this.#deps;
    const client = settleWithin(line.open(), LINE_WAIT_MS, () => Promise.reject(new PhoneError("line_not_connected")));
    // Awaited below; until then a failure must not count as unhandled.
    client.catch(() => undefined);
    const keys = { id: randomId(), ticket: newTicket() };
    const { number } = request.price;
    let asked: Promise<InitiateResponse> | null = null;
    try {
      if (this.#deps.microphoneIsReady() && line.isReady && line.waitsForMicrophone) {
        const claimed = this.#claimTab(attempt);
        asked = askForCall(service, request, keys);
        for (const step of [claimed, asked]) step.catch(() => undefined);
        // A refusal is shown at once.
        await Promise.race([claimed, asked.then(() => claimed)]);
        const leg = this.#dialLeg(attempt, keys, { number, client: await client });
        const opened = Promise.race([leg.offered(), asked]).then(() => this.#openMicrophone(attempt));
        opened.catch(() => undefined);
        await asked;
        await opened;
      } else {
        await this.#claimTab(attempt);
        await this.#openMicrophone(attempt);
        await client;
        this.#checkWanted(attempt);
        asked = askForCall(service, request, keys);
        asked.catch(() => undefined);
        this.#dialLeg(attempt, keys, { number, client: await line.open() });
      }
      const grant = await asked;
      const redial = async (id: string) => void this.#dialLeg(attempt, { ...keys, id }, { number, client: await line.open() });
      // The service ended the leg because deciding took long; the ticket is still valid.
      if (attempt.leg?.isOver === true) await redial(randomId());
      attempt.redial = redial;
      this.#start(attempt, request, grant);
    } catch (error) {
      // The held credit's call will not happen, so release the hold at once.
      void asked?.then(({ call }) => this.#settle(attempt, call.id, "caller")).catch(() => undefined);
      throw error;
    }
  }

  async #takeUp(attempt: Attempt, record: Call): Promise<void> {
    await this.#claimTab(attempt);
    await this.#openMicrophone(attempt);
    // The provider offers the call as soon as the line is up, so the session must exist before.
    const { lineId = record.id, leftAt = null, muted = false, extension = "" } = callMarker.get() ?? {};
    const session = this.#newSession(attempt, { record, lineId, extension, muted });
    session.rejoin(() => this.#sayBack(attempt, leftAt ?? deviceStamp()));
    await this.#deps.line.open();
  }

  async #takeOver(attempt: Attempt, record: Call, lineId: string): Promise<void> {
    const { line, service, tabLock } = this.#deps;
    await this.#openMicrophone(attempt);
    const client = await settleWithin(line.open(), LINE_WAIT_MS, () => Promise.reject(new PhoneError("line_not_connected")));
    this.#checkWanted(attempt);
    // The provider offers the call before the service has answered, so the session must exist before.
    this.#newSession(attempt, { record, lineId, extension: "" }).rejoin();
    await service.move(record.id, client.sessionid);
    const release = await tabLock.claim(OTHER_TAB_WAIT_MS);
    if (attempt.cancelled) release?.();
    else attempt.releaseTab = release;
  }

  #showReconnecting(record: Call): void {
    this.#deps.audio().unlock();
    this.#deps.store.patch({
      status: record.answered_at === null ? "initializing" : "active",
      call: { ...callOf(record, null), reconnecting: true },
      error: null,
      lastCall: null,
    });
  }

  #sayBack(attempt: Attempt, leftAt: number): void {
    const { store } = this.#deps;
    store.patchCall({ backAfterSeconds: Math.max(0, Math.round((deviceStamp() - leftAt) / 1000)) });
    after(BACK_SHOWN_MS, () => this.#attempt === attempt && store.patchCall({ backAfterSeconds: null }));
  }

  async #claimTab(attempt: Attempt): Promise<void> {
    const release = await this.#deps.tabLock.claim();
    if (release === null) throw new PhoneError("other_tab");
    attempt.releaseTab = release;
    if (attempt.cancelled) this.#release(attempt);
    this.#checkWanted(attempt);
  }

  async #openMicrophone(attempt: Attempt): Promise<void> {
    const opening = CallMicrophone.open(this.#deps.openMicrophone, this.#deps.wantedMicrophone());
    const microphone = await settleWithin(opening, this.#deps.microphoneIsReady() ? SLOW_MICROPHONE_MS : 0, () => {
      if (this.#attempt === attempt && !attempt.cancelled) this.#deps.store.patchCall({ microphone: "waiting" });
      return opening;
    });
    if (attempt.cancelled || this.#attempt !== attempt) {
      microphone.close();
      throw new AttemptCancelled();
    }
    attempt.microphone = microphone;
    attempt.leg?.takeMicrophone(microphone.copy());
    this.#deps.store.patchCall({ microphone: microphone.condition });
    this.#deps.onMicrophone();
  }

  #newSession(attempt: Attempt, call: Pick<SessionDeps, "record" | "lineId" | "extension" | "muted">): CallSession {
    const { microphone } = attempt;
    if (microphone === null) throw new Error("a call needs an open microphone");
    const { store, line, service } = this.#deps;
    const session = new CallSession({
      ...call,
      microphone,
      service,
      lineIsReady: () => line.isReady,
      ring: () => this.#deps.audio().ring(),
      onPhase: (status) => store.patch({ status }),
      onChange: (patch) => store.patchCall(patch),
      onDigits: (digits) => store.patchCall({ digits: (store.get().call?.digits ?? "") + digits }),
      onEnd: (end) => this.#onEnd(attempt, end, call.record.id),
    });
    attempt.session = session;
    callMarker.set(session);
    this.#deps.tabLock.announce();
    return session;
  }

  #dialLeg(attempt: Attempt, keys: AttemptKeys, to: { number: string; client: VoiceClient }): DialledLeg {
    this.#checkWanted(attempt);
    const leg = new DialledLeg(keys);
    if (attempt.session === null) attempt.leg = leg;
    const options = { destinationNumber: to.number, ...this.#deps.line.callOptions, remoteElement: this.#deps.audio().element };
    leg.dial(to.client, options, attempt.microphone?.copy() ?? null);
    return leg;
  }

  #start(attempt: Attempt, request: DialRequest, grant: InitiateResponse): void {
    this.#checkWanted(attempt);
    const { leg } = attempt;
    if (leg === null) throw new Error("a session needs a dialled leg");
    const session = this.#newSession(attempt, {
      record: grant.call,
      lineId: leg.id,
      extension: request.extension ?? "",
    });
    attempt.leg = null;
    this.#deps.store.patchCall(callOf(grant.call, this.#deps.store.get().call?.name ?? null));
    session.start(leg);
  }

  get #leg(): DialledLeg | null {
    return this.#attempt?.leg ?? null;
  }

  #checkWanted(attempt: Attempt): void {
    if (attempt.cancelled || this.#attempt !== attempt) throw new AttemptCancelled();
  }

  /** The call goes on in another page. */
  #onElsewhere(attempt: Attempt): void {
    attempt.cancelled = true;
    this.#release(attempt);
    this.#deps.audio().silence();
    if (this.#attempt !== attempt) return;
    this.#deps.store.patch({ status: "idle", call: null });
    this.#deps.onFailed();
  }

  #onEnd(attempt: Attempt, end: SessionEnd, callId: string): void {
    if (end.endedBy === "elsewhere") return this.#onElsewhere(attempt);
    attempt.cancelled = true;
    this.#release(attempt);
    this.#deps.audio().silence();
    if (end.endedBy === "service") this.#deps.tabLock.announce();
    else void this.#settle(attempt, callId, end.endedBy);
    if (this.#attempt !== attempt) return;
    const { reason } = end;
    if (reason === "sound_blocked" || (end.phase === "setup" && reason === "never_connected"))
      this.#fail(attempt, new PhoneError(reason));
    else this.#showEnded(attempt, reason);
  }

  /** Fetches the final record and shows it if this is still the page's last call. */
  async #settle(attempt: Attempt, callId: string, endedBy: "caller" | "line"): Promise<void> {
    const { service, unfinished, store, tabLock } = this.#deps;
    if (endedBy === "caller") unfinished.add(callId);
    const record = await settleCall(service, callId, endedBy);
    tabLock.announce();
    if (record === null) return unfinished.add(callId);
    unfinished.done(callId);
    if (this.#attempt !== attempt) return;
    // For a call ended from here the service knows only that it ended; we know why.
    const knowsWhy = endedBy === "line" && record.end_reason !== null;
    const patch: Partial<PhoneCall> = { record, ...(knowsWhy ? { endReason: record.end_reason } : {}) };
    store.patchCall(patch);
    const { lastCall } = store.get();
    if (lastCall !== null) store.patch({ lastCall: { ...lastCall, ...patch } });
  }

  #showEnded(attempt: Attempt, reason: PhoneCall["endReason"]): void {
    if (this.#attempt !== attempt) return;
    const { store } = this.#deps;
    const { call } = store.get();
    store.patchCall({ endReason: call?.record?.end_reason ?? reason, muted: false, held: false, reconnecting: false });
    store.patch({ status: "ended" });
    // A session change waits for the call's end, so this may have signed the phone out.
    if (this.#attempt !== attempt) return;
    this.#stopIdleTimer = after(ENDED_SHOWN_MS, () => {
      store.patch({ status: "idle", lastCall: store.get().call, call: null });
    });
  }

  #fail(attempt: Attempt, error: PhoneError, rejoinable: Call | null = null): void {
    const { store } = this.#deps;
    const { status } = store.get();
    if (this.#attempt !== attempt || status === "ended" || status === "idle") return;
    attempt.cancelled = true;
    store.patch({ status: "idle", call: null, error, rejoinable });
    this.#deps.onFailed();
  }

  #release(attempt: Attempt): void {
    attempt.leg?.hangUp();
    attempt.leg = null;
    attempt.microphone?.close();
    attempt.microphone = null;
    attempt.releaseTab?.();
    attempt.releaseTab = null;
    callMarker.clear();
  }
}
