import type { Call, EndReason, LiveCallResponse } from "@farline/contract/calls.ts";
import { between, settleWithin } from "@farline/domain/durations.ts";
import { callMarker } from "./call-marker.ts";
import { type CallService, isFinal, ServiceRefusal } from "./call-service.ts";
import { callOf, type PhoneState } from "../phone-state.ts";
import type { PhoneStore } from "../phone-store.ts";
import { type CallWatch, settleCall, watchCall } from "./watch-call.ts";
import type { TabLock } from "../tab-lock.ts";
import type { UnfinishedHangups } from "./unfinished-hangups.ts";
import { deviceStamp, serviceNow } from "../../time/clock.ts";
import { createPace, PACES } from "../../time/timers.ts";

const POLL_TIMEOUT_MS = 8000;
/** The provider keeps an answered call this long without its caller; after that the call is no longer offered. */
const OFFER_LIFE_MS = 45_000;
const UNANSWERED_LIFE_MS = 15_000;
/** The outcome of a call that ended while its page was away is shown this long afterwards. */
const OUTCOME_LIFE_MS = 10 * 60_000;
/** The service hangs up 10 s after a page has left its call, unless the reloaded page contacts it before. */
const RETRY_PAUSE_MS = 1000;
/** Refusals that say nothing about the call: the request was too late, too early or too frequent. */
const UNDECIDED = new Set([408, 425, 429]);

interface LiveCallDeps {
  service: CallService;
  store: PhoneStore;
  tabLock: TabLock;
  unfinished: UnfinishedHangups;
  /** Called when the line may open after waiting for a call. */
  onFree(): void;
  /** Called when `rejoinable` is set. */
  onOffer(): void;
}

/**
 * Tracks the customer's running call while this tab is not in it: one that this tab was in before a reload, or one in
 * another tab or on another device. Asks the service until the call is over, so that the screen shows nothing outdated.
 */
export class LiveCallWatch {
  readonly #deps: LiveCallDeps;
  #watch: CallWatch | null = null;
  readonly #pace = createPace(PACES.liveCall, () => void this.look());
  /** Until when a failed request is retried; null while none has failed. */
  #againUntilMs: number | null = null;
  #looking: Promise<void> | null = null;
  /** Counts sign-ins and sign-outs, to discard responses for an earlier customer. */
  #customers = 0;

  constructor(deps: LiveCallDeps) {
    this.#deps = deps;
  }

  /** Polls the service for a running call. Does nothing while this tab is in a call. */
  look(): Promise<void> {
    if (this.#looking !== null) return this.#looking;
    const looking = this.#look().finally(() => {
      if (this.#looking === looking) this.#looking = null;
    });
    this.#looking = looking;
    return looking;
  }

  lookNow(): void {
    this.#watch?.lookNow();
  }

  /**
   * Whether the line may open. Once it is open the provider may hand this tab the running call, including the microphone, so
   * the caller must ask for that first.
   */
  get mayOpenLine(): boolean {
    const { rejoinable, elsewhere } = this.#deps.store.get();
    return rejoinable === null && elsewhere === null && callMarker.get() === null;
  }

  /** Removes the shown call from the screen; the call itself is not changed. */
  forget(): void {
    this.#watch?.stop();
    this.#watch = null;
    this.#pace.stop();
    this.#againUntilMs = null;
    const { rejoinable, elsewhere } = this.#deps.store.get();
    if (rejoinable !== null || elsewhere !== null) this.#deps.store.patch({ rejoinable: null, elsewhere: null, movable: null });
  }

  /** Forgets the customer; responses still in flight are discarded. */
  signOut(): void {
    this.forget();
    this.#looking = null;
    this.#customers += 1;
  }

  /** Ends the shown call at the service, and shows its outcome. */
  async hangUp(): Promise<void> {
    const { rejoinable, elsewhere } = this.#deps.store.get();
    const call = rejoinable ?? elsewhere;
    if (call === null) return;
    this.#deps.unfinished.add(call.id);
    this.forget();
    callMarker.clear();
    const endReason = call.answered_at === null ? "cancelled" : "hangup";
    this.#showOutcome(call, endReason);
    const record = await settleCall(this.#deps.service, call.id, "caller");
    if (record !== null) this.#deps.unfinished.done(call.id);
    this.#deps.tabLock.announce();
    // Not once the caller has closed it, or signed out.
    if (record !== null && this.#deps.store.get().lastCall?.callId === call.id) this.#showOutcome(record, endReason);
  }

  #showOutcome(record: Call, endReason: EndReason | null): void {
    this.#deps.store.patch({ lastCall: { ...callOf(record, null), endReason } });
  }

  /** This tab's call ended while its page was away. */
  async #showMissed(callId: string): Promise<void> {
    const customer = this.#customers;
    const record = await this.#deps.service.getCall(callId).catch(() => null);
    if (record === null || !isFinal(record) || customer !== this.#customers) return;
    const { call, rejoinable, elsewhere, lastCall } = this.#deps.store.get();
    const isBusy = (call ?? rejoinable ?? elsewhere ?? lastCall) !== null;
    if (!isBusy && serviceNow() - Date.parse(record.ended_at ?? "") < OUTCOME_LIFE_MS)
      this.#showOutcome(record, record.end_reason);
  }

  async #look(): Promise<void> {
    if (this.#isInCall) return;
    const customer = this.#customers;
    let answer: LiveCallResponse;
    try {
      const asked = this.#deps.service.getLiveCall(callMarker.get()?.callId ?? null);
      answer = await settleWithin(asked, POLL_TIMEOUT_MS, () => Promise.reject(new Error("no answer in time")));
    } catch (error) {
      if (customer === this.#customers) this.#onRefusal(error instanceof ServiceRefusal ? error.status : null);
      return;
    }
    if (customer !== this.#customers) return;
    this.#againUntilMs = null;
    if (this.#isInCall) return;
    const { call } = answer;
    const marked = callMarker.get()?.callId;
    if (call === null || isFinal(call)) {
      this.#nothing();
      if (marked !== undefined) void this.#showMissed(marked);
      return;
    }
    if (this.#deps.unfinished.has(call.id)) {
      void this.#deps.unfinished.retry();
      return this.#nothing();
    }
    const heldElsewhere = await this.#deps.tabLock.isHeldElsewhere();
    if (this.#isInCall || customer !== this.#customers) return;
    const isOurs = !heldElsewhere && callMarker.get()?.callId === call.id;
    if (answer.rejoinable && isOurs) this.#show({ rejoinable: call, elsewhere: null, movable: null }, isOurs);
    else this.#show({ rejoinable: null, elsewhere: call, movable: answer.line_id }, isOurs);
  }

  get #isInCall(): boolean {
    return this.#deps.store.get().call !== null;
  }

  /**
   * A definite refusal means that there is nothing to rejoin. A service that fails, is too busy or does not respond (`status`
   * null) may still know of a call, so the screen does not change. After sign-out there is nobody to ask for.
   */
  #onRefusal(status: number | null): void {
    if (status === 401) return;
    if (status !== null && status < 500 && !UNDECIDED.has(status)) this.#nothing();
    else this.#lookAgain();
  }

  /** A tab that was in a call retries until it gets a response, as long as the provider may keep the call. */
  #lookAgain(): void {
    if (this.#isInCall || callMarker.get() === null) return;
    this.#againUntilMs ??= performance.now() + OFFER_LIFE_MS;
    if (performance.now() >= this.#againUntilMs) return;
    this.#pace.plan(RETRY_PAUSE_MS);
  }

  #nothing(): void {
    const lineWaited = !this.mayOpenLine;
    this.forget();
    callMarker.clear();
    if (lineWaited) this.#deps.onFree();
  }

  /** @param isOurs whether this tab was in the call, so that its end is news here */
  #show(shown: Pick<PhoneState, "rejoinable" | "elsewhere" | "movable">, isOurs: boolean): void {
    const call = shown.rejoinable ?? shown.elsewhere;
    if (call === null) return;
    this.forget();
    if (shown.rejoinable === null) callMarker.clear();
    else this.#pace.plan(OFFER_LIFE_MS);
    this.#deps.store.patch({ ...shown, keptUntil: serviceNow() + msKept(call) });
    this.#watch = watchCall(this.#deps.service, { callId: call.id, present: shown.rejoinable !== null }, (record) => {
      if (this.#isInCall) return this.forget();
      if (isFinal(record)) {
        this.#nothing();
        return isOurs ? this.#showOutcome(record, record.end_reason) : undefined;
      }
      const isRejoinable = this.#deps.store.get().rejoinable !== null;
      this.#deps.store.patch(isRejoinable ? { rejoinable: record } : { elsewhere: record });
    });
    if (shown.rejoinable !== null) this.#deps.onOffer();
  }
}

/** How long the provider still keeps this tab's call; counted from now if its page had no time to note that it was left. */
function msKept(call: Call): number {
  if (callMarker.get()?.leftAt === null) callMarker.leave();
  const lifeMs = call.answered_at === null ? UNANSWERED_LIFE_MS : OFFER_LIFE_MS;
  const leftAt = callMarker.get()?.leftAt ?? deviceStamp();
  return lifeMs - between(0, deviceStamp() - leftAt, lifeMs);
}
