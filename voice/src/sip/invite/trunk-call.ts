import type { Logger } from "pino";
import type { UserAgentCore } from "sip.js/lib/core/index.js";
import { type AttemptEvents, CallAttempt } from "./call-attempt.ts";
import type { CallEnd, DialRequest, OutboundCall, OutboundEvents, TrunkConfig } from "../trunk.ts";

/** Request time-out, extension required. */
const TRUNK_FAULTS = new Set([408, 421]);

export interface TrunkRoute {
  readonly trunk: TrunkConfig;
  readonly prefixes: readonly string[] | undefined;
  readonly core: UserAgentCore;
}

export interface TrunkCallOptions {
  readonly request: DialRequest;
  readonly ownNumber: string;
  readonly events: OutboundEvents;
  /** In the order to be tried. */
  readonly routes: readonly TrunkRoute[];
  readonly firstResponseTimeoutMs: number;
  readonly log: Logger;
  /** An attempt begins: accept its messages. */
  readonly opened: (attempt: CallAttempt) => void;
  /** The attempt is over: stop accepting its messages after a while. */
  readonly closed: (attempt: CallAttempt) => void;
  readonly over: () => void;
}

/** One call to a number: tries trunks one after the other until one takes it. */
export class TrunkCall implements OutboundCall {
  readonly #options: TrunkCallOptions;
  readonly #waiting: TrunkRoute[];
  #attempt: CallAttempt | null = null;
  #ringTimer: NodeJS.Timeout | null = null;
  #firstResponseTimer: NodeJS.Timeout | null = null;
  #hungUp = false;
  #ended = false;

  constructor(options: TrunkCallOptions) {
    this.#options = options;
    this.#waiting = [...options.routes];
  }

  get callId(): string {
    return this.#attempt?.callId ?? "";
  }

  start(): void {
    if (this.#waiting.length === 0) {
      queueMicrotask(() =>
        this.#end({
          sipStatus: 503,
          reason: "No trunk takes this call",
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
    this.#tryNext();
  }

  async hangUp(reason?: string): Promise<void> {
    this.#hungUp = true;
    await this.#attempt?.hangUp("us", reason);
  }

  #tryNext(): void {
    const route = this.#waiting.shift();
    if (route === undefined) return;
    const events: AttemptEvents = {
      onHeard: () => this.#stopWaiting(),
      onProgress: (progress) => this.#options.events.onProgress(progress),
      onAnswer: (answer) => {
        if (this.#ringTimer !== null) clearTimeout(this.#ringTimer);
        this.#options.events.onAnswer(answer);
      },
      onEnd: (end) => this.#onAttemptEnd(attempt, end),
      onRenegotiate: (sdp) => this.#options.events.onRenegotiate(sdp),
    };
    const { request, ownNumber } = this.#options;
    const attempt = new CallAttempt({ core: route.core, trunk: route.trunk, request, ownNumber, events });
    this.#attempt = attempt;
    this.#options.opened(attempt);
    if (this.#waiting.length > 0)
      this.#firstResponseTimer = setTimeout(() => this.#onSilence(attempt, route), this.#options.firstResponseTimeoutMs);
  }

  #onSilence(attempt: CallAttempt, route: TrunkRoute): void {
    if (this.#hungUp || this.#ended) return;
    this.#options.log.warn({ trunk: route.trunk.name }, "trunk is silent, trying the next");
    attempt.abandon();
    this.#options.closed(attempt);
    this.#tryNext();
  }

  #onAttemptEnd(attempt: CallAttempt, end: CallEnd): void {
    this.#stopWaiting();
    this.#options.closed(attempt);
    if (isTrunkFault(end) && !attempt.progressed && !end.answered && !this.#hungUp && this.#waiting.length > 0) {
      this.#options.log.warn({ trunk: end.trunk, sipStatus: end.sipStatus }, "trunk failed, trying the next");
      return this.#tryNext();
    }
    this.#end(end);
  }

  #stopWaiting(): void {
    if (this.#firstResponseTimer !== null) clearTimeout(this.#firstResponseTimer);
    this.#firstResponseTimer = null;
  }

  #end(end: CallEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopWaiting();
    if (this.#ringTimer !== null) clearTimeout(this.#ringTimer);
    this.#options.over();
    this.#options.events.onEnd(end);
  }
}

/** Whether another trunk may reach the number: this one failed, timed out, or wants what we do not do. A refusal of the callee counts. */
function isTrunkFault({ by, sipStatus }: CallEnd): boolean {
  return (
    by === "failure" ||
    (sipStatus >= 300 && sipStatus < 400) ||
    TRUNK_FAULTS.has(sipStatus) ||
    (sipStatus >= 500 && sipStatus < 600)
  );
}
