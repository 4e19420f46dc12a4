import type { CallRoute } from "../../call-route.ts";
import { isAccountRefusal, isAddressFault, isTrunkFault } from "../routing/trunk-fault.ts";
import type { CallPlan } from "../routing/trunk-router.ts";
import type { TrunkTry } from "../routing/trunk-try.ts";
import { type AttemptEvents, CallAttempt } from "./call-attempt.ts";
import type { TrunkLine } from "../trunk-line.ts";
import type { FarEnd, DialRequest, FarCall, FarEvents, TrunkConfig } from "../trunk.ts";

interface TrunkCallOptions {
  readonly request: DialRequest;
  readonly exchangeNumber: string;
  readonly events: FarEvents;
  readonly plan: CallPlan;
  readonly lineOf: (trunk: TrunkConfig) => TrunkLine;
  readonly addressesOf: (trunk: TrunkConfig) => readonly string[];
  readonly firstResponseTimeoutMs: number;
  /** An attempt starts: accept its messages. */
  readonly onAttemptStart: (attempt: CallAttempt) => void;
  /** The attempt is over: stop accepting its messages after the linger time. */
  readonly onAttemptEnd: (attempt: CallAttempt) => void;
  /** The carrier took the call, or refused our account with this status. */
  readonly onAccount: (trunk: string, refusedWith: number | null) => void;
  readonly onEnded: () => void;
}

/** One call to a number: tries trunks in order until one accepts it. */
export class TrunkCall implements FarCall {
  readonly #options: TrunkCallOptions;
  #attempt: CallAttempt | null = null;
  #ringTimer: NodeJS.Timeout | null = null;
  #firstResponseTimer: NodeJS.Timeout | null = null;
  #hungUp = false;
  #ended = false;

  constructor(options: TrunkCallOptions) {
    this.#options = options;
  }

  get route(): CallRoute {
    return this.#options.plan.route;
  }

  get trunkAddresses(): readonly string[] {
    return this.#attempt === null ? [] : this.#options.addressesOf(this.#attempt.line.trunk);
  }

  start(): void {
    const { plan } = this.#options;
    const first = plan.next();
    if (first === null) {
      queueMicrotask(() =>
        this.#end({
          sipStatus: 503,
          reason: plan.refusal,
          q850Cause: null,
          by: "failure",
          answered: false,
          trunk: "",
        }),
      );
      return;
    }
    this.#ringTimer = setTimeout(() => {
      this.#hungUp = true;
      void this.#attempt?.hangUp("timeout", "no answer");
    }, this.#options.request.ringTimeoutMs);
    this.#start(first);
  }

  async hangUp(reason?: string): Promise<void> {
    this.#hungUp = true;
    await this.#attempt?.hangUp("us", reason);
  }

  #start(trunkTry: TrunkTry): void {
    const { request, exchangeNumber, lineOf } = this.#options;
    const line = lineOf(trunkTry.offer.trunk);
    const events: AttemptEvents = {
      onResponse: () => this.#stopWaiting(),
      onDialog: (dialog) => this.#options.events.onDialog(dialog),
      onProgress: (progress) => {
        trunkTry.progressed();
        this.#options.onAccount(line.trunk.name, null);
        this.#options.events.onProgress(progress);
      },
      onAnswer: (answer) => {
        if (this.#ringTimer !== null) clearTimeout(this.#ringTimer);
        trunkTry.answered();
        this.#options.onAccount(line.trunk.name, null);
        this.#options.events.onAnswer(answer);
      },
      onEnd: (end) => this.#onAttemptEnd(attempt, trunkTry, end),
      onRenegotiate: (sdp) => this.#options.events.onRenegotiate(sdp),
    };
    const attempt = new CallAttempt({ line, request, exchangeNumber, events });
    this.#attempt = attempt;
    this.#options.onAttemptStart(attempt);
    this.#firstResponseTimer = setTimeout(() => this.#onSilence(attempt, trunkTry), this.#options.firstResponseTimeoutMs);
  }

  /** Without another address or trunk the call stays on the silent one, which may still respond. */
  #onSilence(attempt: CallAttempt, trunkTry: TrunkTry): void {
    if (this.#hungUp || this.#ended) return;
    const { request, plan, onAttemptEnd } = this.#options;
    const trunk = trunkTry.offer.trunk.name;
    const hasAddress = attempt.avoidAddress();
    const next = hasAddress ? trunkTry : plan.next();
    if (next === null) return;
    request.log.warn(
      { trunk },
      hasAddress ? "address of trunk does not respond, trying another" : "trunk does not respond, trying the next",
    );
    if (!hasAddress) trunkTry.silent();
    attempt.abandon();
    onAttemptEnd(attempt);
    this.#start(next);
  }

  #onAttemptEnd(attempt: CallAttempt, trunkTry: TrunkTry, end: FarEnd): void {
    this.#stopWaiting();
    this.#options.onAttemptEnd(attempt);
    const mayRepeat = !attempt.progressed && !end.answered && !this.#hungUp;
    if (mayRepeat && isAddressFault(end) && attempt.avoidAddress()) return this.#start(trunkTry);
    trunkTry.ended(end);
    if (isAccountRefusal(end)) this.#options.onAccount(end.trunk, end.sipStatus);
    const next = mayRepeat && isTrunkFault(end) ? this.#options.plan.next() : null;
    if (next === null) return this.#end(end);
    this.#options.request.log.warn({ trunk: end.trunk, sipStatus: end.sipStatus }, "trunk failed, trying the next");
    this.#start(next);
  }

  #stopWaiting(): void {
    if (this.#firstResponseTimer !== null) clearTimeout(this.#firstResponseTimer);
    this.#firstResponseTimer = null;
  }

  #end(end: FarEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopWaiting();
    if (this.#ringTimer !== null) clearTimeout(this.#ringTimer);
    this.#options.onEnded();
    this.#options.events.onEnd(end);
  }
}
