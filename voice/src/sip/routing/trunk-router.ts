import type { Logger } from "pino";
import { type CallRoute, MAX_ATTEMPTS } from "../../call-route.ts";
import type { TrunkConfig } from "../trunk.ts";
import { findOffers, type TrunkOffer, type WantedRoute } from "./find-offers.ts";
import { orderOffers } from "./order-offers.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { TrunkLimits } from "./trunk-limits.ts";
import { type TrunkAvailability, TrunkTry } from "./trunk-try.ts";

const MAX_UNKNOWN = 50;

export interface RouterOptions {
  readonly log: Logger;
  /** Whether a trunk is known to be out of order: it is then tried last, as if its breaker were open. */
  readonly isDown?: (trunk: string) => boolean;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** At least 0 and below 1. */
  readonly random?: () => number;
}

/** Chooses trunks for calls, and remembers how the trunks do. */
export class TrunkRouter {
  #trunks: readonly TrunkConfig[] = [];
  #states: ReadonlyMap<string, TrunkAvailability> = new Map();
  readonly #log: Logger;
  readonly #isDown: (trunk: string) => boolean;
  readonly #unknown = new Set<string>();
  readonly #now: () => number;
  readonly #random: () => number;

  constructor(options: RouterOptions) {
    const { log, isDown = () => false, now = () => performance.now(), random = Math.random } = options;
    this.#log = log;
    this.#isDown = isDown;
    this.#now = now;
    this.#random = random;
  }

  /** The trunks from now on. One whose name was there before keeps its calls and its faults. */
  use(trunks: readonly TrunkConfig[]): void {
    const now = this.#now;
    this.#trunks = trunks;
    this.#states = new Map(
      trunks.map(({ name }) => [
        name,
        this.#states.get(name) ?? { circuit: new CircuitBreaker(now), limits: new TrunkLimits(now) },
      ]),
    );
  }

  /** Whether at least one trunk takes the number, and each of them carries Opus. */
  takesOpus(number: string): boolean {
    const { offers } = findOffers(this.#trunks, { to: number, codec: "g711" });
    return offers.length > 0 && offers.every(({ trunk }) => trunk.opus);
  }

  /** The trunks of a call in their order; none is taken before it is tried. */
  plan(wanted: WantedRoute): CallPlan {
    const { to: number, prices } = wanted;
    for (const trunk of prices?.costs.keys() ?? []) this.#warnOfUnknown(trunk);
    const { offers, problems } = findOffers(this.#trunks, wanted);
    if (problems.length > 0) this.#log.info({ problems }, "trunks that may not carry this call");
    const isUnhealthy = (trunk: string): boolean => this.#isDown(trunk) || (this.#states.get(trunk)?.circuit.open ?? false);
    const none = problems.length > 0 ? "No trunk carries this call for its price" : "No trunk takes this call";
    const refusal = offers.length > 0 ? "Every trunk is at its limit" : none;
    return new CallPlan(orderOffers(offers, isUnhealthy, this.#random), refusal, (offer) => this.#take(offer, number));
  }

  #take(offer: TrunkOffer, number: string): TrunkTry | null {
    const trunk = offer.trunk.name;
    const state = this.#states.get(trunk);
    // Out of service since the call began.
    if (state === undefined) return null;
    if (!state.limits.take(offer.trunk)) {
      this.#log.info({ trunk }, "trunk is at its limit");
      return null;
    }
    return new TrunkTry({
      offer,
      number,
      state,
      now: this.#now,
      onCircuit: (change) =>
        this.#log.warn({ trunk }, change === "opened" ? "trunk fails: calls go elsewhere for a while" : "trunk works again"),
    });
  }

  /** Once each: a deck for a wrong name would never count. */
  #warnOfUnknown(trunk: string): void {
    if (this.#states.has(trunk) || this.#unknown.has(trunk) || this.#unknown.size >= MAX_UNKNOWN) return;
    this.#unknown.add(trunk);
    this.#log.warn({ trunk }, "there is a price list for a trunk that SIP_TRUNKS does not name");
  }
}

/** The trunks that are left for one call, and those that were tried. */
export class CallPlan {
  /** Why no trunk could be taken, if that is so; a sentence without its full stop. */
  readonly refusal: string;
  readonly #left: TrunkOffer[];
  readonly #tries: TrunkTry[] = [];
  readonly #take: (offer: TrunkOffer) => TrunkTry | null;

  constructor(offers: readonly TrunkOffer[], refusal: string, take: (offer: TrunkOffer) => TrunkTry | null) {
    this.#left = [...offers];
    this.refusal = refusal;
    this.#take = take;
  }

  static none(refusal: string): CallPlan {
    return new CallPlan([], refusal, () => null);
  }

  /** Whether another trunk may be left. */
  get hasMore(): boolean {
    return this.#left.length > 0 && this.#tries.length < MAX_ATTEMPTS;
  }

  /** Takes the next trunk that is below its limits; null when none is left. */
  next(): TrunkTry | null {
    while (this.hasMore) {
      const offer = this.#left.shift();
      const taken = offer === undefined ? null : this.#take(offer);
      if (taken === null) continue;
      this.#tries.push(taken);
      return taken;
    }
    return null;
  }

  get route(): CallRoute {
    const offer = this.#tries.at(-1)?.offer;
    return {
      trunk: offer?.trunk.name ?? null,
      cost: offer?.cost ?? null,
      attempts: this.#tries.map(({ attempt }) => attempt),
    };
  }
}
