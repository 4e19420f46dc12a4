import { dialledNumber } from "@farline/domain/numbers/extension.ts";
import type { Logger } from "pino";
import type { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import { callClock } from "./call-clock.ts";
import { closeInTime } from "./close-in-time.ts";
import { CallProblem, createFarLeg, createLeg, type CallEvent, type CallLeg } from "./call-leg.ts";
import { ANSWERED_GRACE_MS, CallerPresence, UNANSWERED_GRACE_MS } from "./caller-presence.ts";
import type { CallerIds } from "./caller-ids.ts";
import type { ParkRequest, TransferRequest } from "./leg-requests.ts";
import type { BrowserLeg, MediaSource } from "../media/media-plane.ts";
import type { FarAnswer, FarNetwork } from "../sip/trunk.ts";
import type { CallerLine } from "./caller-line.ts";
import { FarSide } from "./far-side.ts";
import {
  endBadOffer,
  endByCaller,
  endByCommand,
  endByTimeLimit,
  endConnectionLost,
  endFarLost,
  endFull,
  endMediaFailed,
  endRejected,
  endSoundBlocked,
  endUnrouted,
  type CallEnd,
} from "./hangup-causes.ts";
import { TimeLimit } from "./time-limit.ts";

/** A parked leg ends if no command routes it within this time. */
export const PARK_TIMEOUT_MS = 20_000;
/** An echo call ends when the caller is lost for this long. */
const ECHO_GRACE_MS = 5_000;
/** A far end that sends neither audio nor reports for this long is lost. */
const FAR_SILENCE_MS = 30_000;

const e164 = /^\+[1-9]\d{6,14}$/;
const digitText = /^[0-9*#A-D,]{1,100}$/;

export interface CallDeps {
  /** This exchange's name, which the ids of its legs contain. */
  readonly node: string;
  readonly media: MediaSource;
  readonly network: FarNetwork;
  readonly emit: (event: CallEvent) => void;
  readonly callerIds: CallerIds;
  readonly log: Logger;
  /** For warnings that a caller or carrier can trigger repeatedly. */
  readonly limitedLog: RateLimitedLog;
  /** Called once, after the call has released its timers and media. */
  readonly onEnded: (call: Call) => void;
}

/**
 * One call: the browser's leg, parked until a command routes it, and then the far leg. Each leg ends exactly once, in whatever order
 * events arrive, and the end of one ends the other.
 */
export class Call {
  readonly accountId: string;
  readonly browser: CallLeg;
  readonly #deps: CallDeps;
  /** Names the call in its lines. */
  #log: Logger;
  readonly #line: CallerLine;
  readonly #now = callClock();
  #far: CallLeg | null = null;
  #farSide: FarSide | null = null;
  #media: BrowserLeg | null = null;
  readonly #mediaReady: Promise<BrowserLeg | null>;
  #end: CallEnd | null = null;
  #parkTimer: NodeJS.Timeout | undefined;
  #limit: TimeLimit | null = null;
  #echoing = false;
  readonly #presence: CallerPresence;

  /** Parks the browser's leg, emits its event and starts opening the media. */
  constructor(request: ParkRequest, deps: CallDeps) {
    const { accountId, line, offerSdp, ...leg } = request;
    this.accountId = accountId;
    this.#line = line;
    this.#deps = deps;
    this.browser = createLeg({ ...leg, node: deps.node, side: "browser", state: "parked", startedAt: this.#now() });
    this.#log = deps.log.child({ session: this.browser.sessionId });
    this.#presence = new CallerPresence(
      () => (this.#echoing ? ECHO_GRACE_MS : this.#answered ? ANSWERED_GRACE_MS : UNANSWERED_GRACE_MS),
      {
        gone: (heardUntil) => this.#finish(endConnectionLost, heardUntil),
        neverHeard: () => this.#finish(endSoundBlocked),
      },
      this.#now,
    );
    this.#parkTimer = setTimeout(() => this.#finish(endUnrouted), PARK_TIMEOUT_MS);
    this.#emit("call.initiated", this.browser);
    this.#mediaReady = this.#openMedia(offerSdp);
  }

  get far(): CallLeg | null {
    return this.#far;
  }

  get legs(): readonly CallLeg[] {
    return this.#far === null ? [this.browser] : [this.browser, this.#far];
  }

  get over(): boolean {
    return this.#end !== null;
  }

  /**
   * Dials the far end, once the caller can be heard, and bridges it to the browser's leg. Only the number that the parked leg dialled may be called, with the exchange's
   * caller id or a proven one.
   * @throws CallProblem `ended`, `wrong_state` (already routed), `bad_destination` or `bad_caller`.
   */
  transfer(request: TransferRequest): CallLeg {
    this.#requireLive();
    if (this.#far !== null || this.#echoing) throw new CallProblem("wrong_state", "The call already has a destination");
    if (!e164.test(request.to)) throw new CallProblem("bad_destination", "to must be an E.164 number");
    if (request.to !== dialledNumber(this.browser.to))
      throw new CallProblem("bad_destination", "to must be the number that the parked leg dialled");
    const from = request.from ?? this.browser.from;
    if (!this.#deps.callerIds.allows(from, request.fromProof))
      throw new CallProblem("bad_caller", "from must be a number of this exchange, or come with its proof");
    clearTimeout(this.#parkTimer);
    if (request.callId !== undefined) this.#log = this.#log.child({ call: request.callId });
    this.#limit = this.#newLimit(request.timeLimitSecs);
    const far = createFarLeg(this.browser, {
      ...{ node: this.#deps.node, from, to: request.to, startedAt: this.#now() },
      callerName: request.displayName ?? null,
      clientState: request.targetClientState ?? null,
    });
    this.#far = far;
    this.#emit("call.initiated", far);
    this.#dial(far, request).catch((error: unknown) => this.#mediaFailed("dial", error));
    return far;
  }

  /** Ends both legs. @throws CallProblem `ended` */
  hangUp(): void {
    this.#requireLive();
    this.#finish(endByCommand(this.#answered));
  }

  /** Refuses a parked leg. @throws CallProblem `ended`, `wrong_state` once the leg is answered */
  reject(cause: "CALL_REJECTED" | "USER_BUSY"): void {
    this.#requireLive();
    if (this.browser.state === "answered") throw new CallProblem("wrong_state", "The call is already answered");
    this.#finish(endRejected(cause));
  }

  /** Answers the browser's leg before, or without, a far end. @throws CallProblem `ended` */
  answer(): void {
    this.#requireLive();
    this.#mediaReady.then(() => this.#answerBrowser()).catch((error: unknown) => this.#mediaFailed("answer", error));
  }

  /**
   * Answers a parked leg and echoes its audio for at most `timeLimitSecs`, without a trunk.
   * @throws CallProblem `ended`, `wrong_state` once the leg is routed or answered
   */
  echo(timeLimitSecs: number): void {
    this.#requireLive();
    if (this.#far !== null || this.#echoing || this.browser.answeredAt !== null)
      throw new CallProblem("wrong_state", "Only a parked call can be echoed");
    clearTimeout(this.#parkTimer);
    this.#echoing = true;
    this.#limit = this.#newLimit(timeLimitSecs);
    this.#mediaReady.then((media) => this.#startEcho(media)).catch((error: unknown) => this.#mediaFailed("echo", error));
  }

  /**
   * Raises the time limit of a routed call, counted from the far end's answer.
   * @throws CallProblem `ended`, `wrong_state` before the call is routed, `bad_limit` for less than the current limit
   */
  extend(timeLimitSecs: number): void {
    this.#requireLive();
    if (this.#far === null || this.#limit === null) throw new CallProblem("wrong_state", "The call is not routed yet");
    if (!this.#limit.raise(timeLimitSecs)) throw new CallProblem("bad_limit", "The time limit is already higher");
  }

  /** Sends keypad digits to the far end. @throws CallProblem `ended`, `bad_digits`, `wrong_state` before there is a far end */
  sendDigits(digits: string): void {
    this.#requireLive();
    if (!digitText.test(digits))
      throw new CallProblem("bad_digits", "digits may be 0-9, *, #, A-D and a comma for a pause, at most 100");
    if (this.#media === null || this.#farSide === null) throw new CallProblem("wrong_state", "There is no far end yet");
    this.#media
      .sendDigits(digits)
      .catch((error: unknown) => this.#deps.limitedLog.warn({ err: error, session: this.browser.sessionId }, "digits not sent"));
  }

  /** The caller's page has opened its microphone, whose audio has yet to arrive. */
  microphoneIsOpen(): void {
    if (!this.over) this.#presence.hasMicrophone();
  }

  /** The caller hung up. Idempotent. */
  callerHungUp(): void {
    this.#finish(endByCaller(this.#answered));
  }

  /** Puts the call on hold or resumes it. @throws CallProblem `ended`, `wrong_state` before there is media */
  hold(on: boolean): void {
    this.#requireLive();
    if (this.#media === null) throw new CallProblem("wrong_state", "There is no media yet");
    this.#media.hold(on);
  }

  /** ICE restart: answers the browser's new offer. Rejects with CallProblem or MediaError. */
  async restartMedia(offerSdp: string): Promise<string> {
    this.#requireLive();
    const media = await this.#mediaReady;
    this.#requireLive();
    if (media === null) throw new CallProblem("wrong_state", "There is no media");
    return media.restart(offerSdp);
  }

  /** The caller's connection was lost; the call ends unless it returns within the grace period. */
  connectionLost(): void {
    if (!this.over) this.#presence.connectionLost();
  }

  connectionRestored(): void {
    if (!this.over) this.#presence.connectionRestored();
  }

  /**
   * The caller's connection is back. If their audio still arrives, repeats the events that they may have missed. If not (a reload, a
   * changed network), or if `moved` to another browser, offers new media.
   */
  resume({ moved = false } = {}): void {
    this.#resume(moved).catch((error: unknown) =>
      // The call continues; without audio the grace period ends it.
      this.#deps.limitedLog.warn({ err: error, session: this.browser.sessionId }, "call not resumed"),
    );
  }

  /** Takes the browser's answer to our offer. Rejects with CallProblem or MediaError. */
  async acceptMediaAnswer(answerSdp: string): Promise<void> {
    this.#requireLive();
    if (this.#media === null) throw new CallProblem("wrong_state", "There is no media yet");
    await this.#media.acceptAnswer(answerSdp);
  }

  /** Ends the call for a reason of the exchange, such as shutdown. */
  stop(end: CallEnd): void {
    this.#finish(end);
  }

  get #answered(): boolean {
    return ((this.#echoing ? this.browser : this.#far)?.answeredAt ?? null) !== null;
  }

  #newLimit(seconds: number): TimeLimit {
    return new TimeLimit(seconds, () => this.#finish(endByTimeLimit));
  }

  #requireLive(): void {
    if (this.over) throw new CallProblem("ended", "Call has already ended");
  }

  #emit(type: "call.initiated" | "call.dialog" | "call.answered" | "call.bridged", leg: CallLeg, at = this.#now()): void {
    this.#deps.emit({ type, leg, at });
  }

  async #openMedia(offerSdp: string): Promise<BrowserLeg | null> {
    try {
      const to = dialledNumber(this.browser.to);
      const wanted = to !== null && this.#deps.network.supportsOpus(to) ? "opus" : "g711";
      const media = await this.#deps.media.openLeg(offerSdp, wanted, this.browser.sessionId);
      if (this.over) {
        await media.close();
        return null;
      }
      this.#media = media;
      media.onEnded(() => this.#finish(endMediaFailed));
      media.onHeardChange((change) => void (this.over || this.#presence.hear(change)));
      media.onFarSilent((silentMs) => this.#farSilent(silentMs));
      if (this.over) return null;
      this.#line.ringing(this.browser);
      this.#line.media(media.answerSdp);
      // Open RTP while the service decides. A failure surfaces when the call is dialled.
      if (to !== null) media.openRtp().catch(() => undefined);
      return media;
    } catch (error) {
      this.#mediaFailed("offer", error);
      return null;
    }
  }

  async #resume(moved: boolean): Promise<void> {
    const media = await this.#mediaReady;
    if (media === null || this.over) return;
    const offer = (!moved && (await media.isHeard())) || this.over ? null : await media.reofferMedia();
    if (this.over) return;
    if (offer === null) this.#line.repeat();
    else this.#line.reoffer(offer.offerSdp, this.browser);
  }

  #startEcho(media: BrowserLeg | null): void {
    if (media === null || this.over) return;
    media.echo();
    this.#answerBrowser();
    this.#limit?.start();
  }

  async #dial(far: CallLeg, request: TransferRequest): Promise<void> {
    const media = await this.#mediaReady;
    if (media === null || this.over) return;
    // Nobody is rung by a caller who cannot be heard.
    await this.#presence.audible;
    if (this.over) return;
    const { network, limitedLog } = this.#deps;
    this.#farSide = new FarSide({
      leg: far,
      media,
      network,
      log: this.#log,
      limitedLog,
      over: () => this.over,
      onDialog: () => this.#emit("call.dialog", far),
      onRinging: () => this.#line.farRinging(this.browser),
      onAnswer: (answer) => this.#onFarAnswer(far, answer),
      onEnd: (end) => this.#finish(end),
    });
    await this.#farSide.dial(request);
  }

  #onFarAnswer(far: CallLeg, { from, dialog }: FarAnswer): void {
    const at = this.#now();
    Object.assign(far, { answeredAt: at, state: "answered", from, dialog });
    this.#recordRoute();
    this.#limit?.start();
    this.#emit("call.answered", far, at);
    this.#answerBrowser(at);
    this.#emit("call.bridged", this.browser, at);
    this.#emit("call.bridged", far, at);
  }

  #recordRoute(): void {
    const route = this.#farSide?.route ?? null;
    if (this.#far !== null && route !== null) Object.assign(this.#far, route);
  }

  /** The far end is silent, which is normal before its answer. */
  #farSilent(silentMs: number): void {
    const answeredAtMs = this.#far?.answeredAt?.getTime() ?? null;
    if (this.over || answeredAtMs === null) return;
    const nowMs = this.#now().getTime();
    const heardUntilMs = Math.max(answeredAtMs, nowMs - silentMs);
    if (nowMs - heardUntilMs >= FAR_SILENCE_MS) this.#finish(endFarLost, new Date(heardUntilMs));
  }

  #answerBrowser(at = this.#now()): void {
    if (this.over || this.browser.answeredAt !== null) return;
    this.browser.answeredAt = at;
    this.browser.state = "answered";
    this.#line.answered(this.browser);
    this.#emit("call.answered", this.browser, at);
  }

  #mediaFailed(step: string, error: unknown): void {
    if (this.over) return;
    this.#log.warn({ err: error, step }, "media failed");
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (step === "offer" && code === "bad_sdp") this.#finish(endBadOffer);
    else this.#finish(code === "no_capacity" ? endFull : endMediaFailed);
  }

  #finish(end: CallEnd, heardUntil: Date | null = null): void {
    if (this.over) return;
    this.#end = end;
    const at = this.#now();
    clearTimeout(this.#parkTimer);
    this.#limit?.stop();
    this.#presence.stop();
    for (const leg of this.legs) Object.assign(leg, { state: "hangup", endedAt: at, end, heardUntil });
    this.#line.ended(end);
    this.#release(at).catch((error: unknown) => this.#log.error({ err: error }, "release of a call failed"));
  }

  /** Hangs up the far end, closes the media and reports both legs. A slow media process does not delay the report. */
  async #release(at: Date): Promise<void> {
    const hungUp = this.#farSide
      ?.hangUp()
      .catch((error: unknown) => this.#log.warn({ err: error }, "hang-up of the far end failed"));
    const stats = this.#media === null ? null : await closeInTime(this.#media);
    this.#recordRoute();
    for (const leg of this.legs) this.#deps.emit({ type: "call.hangup", leg, at, stats });
    await hungUp;
    if (this.#far !== null) this.#deps.emit({ type: "call.cost", leg: this.#far, at: this.#now() });
    this.#deps.onEnded(this);
  }
}
