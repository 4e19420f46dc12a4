import { findOffers, type TrunkOffer as Offer } from "@farline/domain/rates/find-offers.ts";
import type { Logger } from "pino";
import { type CallRoute, MAX_ATTEMPTS } from "../../call-route.ts";
import type { DialRequest, TrunkConfig } from "../trunk.ts";
import { orderOffers } from "./order-offers.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { TrunkLimits } from "./trunk-limits.ts";
import { type TrunkAvailability, TrunkTry } from "./trunk-try.ts";

const MAX_UNKNOWN = 50;

type TrunkOffer = Offer<TrunkConfig>;
type WantedRoute = Pick<DialRequest, "to" | "codec" | "prices" | "log">;

interface RouterOptions {
  readonly log: Logger;
  /** Whether a trunk is known to be down: it is then tried last, as if its circuit breaker were open. */
  readonly isDown?: (trunk: string) => boolean;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
  /** In [0, 1). */
  readonly random?: () => number;
}

/** Chooses trunks for calls, and tracks each trunk's limits and circuit breaker. */
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

  /** Replaces the trunks. A trunk with the same name as before keeps its counters. */
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

  /** Whether at least one trunk serves the number, and all that do support Opus. */
  supportsOpus(number: string): boolean {
    const { offers } = findOffers(this.#trunks, { to: number });
    return offers.length > 0 && offers.every(({ trunk }) => trunk.opus);
  }

  /** Whether a trunk's circuit breaker has opened, and no call has succeeded since. */
  isFailing(trunk: string): boolean {
    return this.#states.get(trunk)?.circuit.failing ?? false;
  }

  /** The ordered trunks of a call. Limits are counted only when a trunk is tried. */
  plan(wanted: WantedRoute): CallPlan {
    const { to: number, codec, prices, log } = wanted;
    for (const trunk of prices?.costs.keys() ?? []) this.#warnOfUnknown(trunk);
    const { offers, problems } = findOffers(codec === "opus" ? this.#trunks.filter(({ opus }) => opus) : this.#trunks, wanted);
    if (problems.length > 0) log.info({ problems }, "trunks excluded from this call");
    const isUnhealthy = (trunk: string): boolean => this.#isDown(trunk) || (this.#states.get(trunk)?.circuit.open ?? false);
    const none = problems.length > 0 ? "No trunk carries this call for its price" : "No trunk takes this call";
    const refusal = offers.length > 0 ? "Every trunk is at its limit" : none;
    return new CallPlan(orderOffers(offers, isUnhealthy, this.#random), refusal, (offer) => this.#take(offer, number, log));
  }

  #take(offer: TrunkOffer, number: string, log: Logger): TrunkTry | null {
    const trunk = offer.trunk.name;
    const state = this.#states.get(trunk);
    // Removed since the call started.
    if (state === undefined) return null;
    if (!state.limits.take(offer.trunk)) {
      log.info({ trunk }, "trunk is at its limit");
      return null;
    }
    return new TrunkTry({
      offer,
      number,
      state,
      now: this.#now,
      onCircuit: (change) =>
        this.#log.warn(
          { trunk },
          change === "opened" ? "trunk failing, circuit breaker opened" : "trunk recovered, circuit breaker closed",
        ),
    });
  }

  /** Warns once for each name: the price list of an unknown trunk is never used. */
  #warnOfUnknown(trunk: string): void {
    if (this.#states.has(trunk) || this.#unknown.has(trunk) || this.#unknown.size >= MAX_UNKNOWN) return;
    this.#unknown.add(trunk);
    this.#log.warn({ trunk }, "price list for a trunk that is not in SIP_TRUNKS");
  }
}

export class CallPlan {
  /** Why no trunk is available. No full stop. */
  readonly refusal: string;
  readonly #untried: TrunkOffer[];
  readonly #tries: TrunkTry[] = [];
  readonly #take: (offer: TrunkOffer) => TrunkTry | null;

  constructor(offers: readonly TrunkOffer[], refusal: string, take: (offer: TrunkOffer) => TrunkTry | null) {
    this.#untried = [...offers];
    this.refusal = refusal;
    this.#take = take;
  }

  static none(refusal: string): CallPlan {
    return new CallPlan([], refusal, () => null);
  }

  get hasMore(): boolean {
    return this.#untried.length > 0 && this.#tries.length < MAX_ATTEMPTS;
  }

  /** Takes the next trunk that is below its limits; null if none is left. */
  next(): TrunkTry | null {
    while (this.hasMore) {
      const offer = this.#untried.shift();
      const trunkTry = offer === undefined ? null : this.#take(offer);
      if (trunkTry === null) continue;
      this.#tries.push(trunkTry);
      return trunkTry;
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
