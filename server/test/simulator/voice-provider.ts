import type { LegEnd } from "../../src/calls/events/end-reason.ts";
import type { World } from "./world.ts";

export interface SimLeg {
  readonly id: string;
  readonly kind: "parked" | "far";
  /** The call that the browser's ticket was for. */
  readonly callId: string;
  readonly startedMs: number;
  answeredMs: number | null;
  endedMs: number | null;
  end: LegEnd | null;
  limitSeconds: number;
  /** The other leg of the same call. */
  otherId: string | null;
}

/** A provider's event about a leg. Its deliveries may be lost, late, repeated and out of order. */
export interface VoiceEvent {
  readonly id: string;
  readonly kind: "initiated" | "answered" | "hangup";
  readonly leg: SimLeg;
  readonly atMs: number;
}

type LegState = { state: "alive" } | { state: "ended"; endedMs: number; answeredMs: number | null };

const REMEMBERS_COMMANDS_MS = 60_000;
const GIVES_UP_PARKED_MS = 30_000;
const RING_LIMIT_MS = 60_000;
const DELIVERIES = 6;

/** The voice provider and the people at both ends. It executes its commands even if the service dies. */
export class VoiceProvider {
  readonly legs = new Map<string, SimLeg>();
  readonly #world: World;
  readonly #tell: (event: VoiceEvent) => (() => Generator<number, void, void>) | null;
  readonly #commands = new Map<string, number>();

  constructor(world: World, tell: (event: VoiceEvent) => (() => Generator<number, void, void>) | null) {
    this.#world = world;
    this.#tell = tell;
  }

  /** A browser's leg arrives with its ticket and waits. */
  arrive(callId: string): SimLeg {
    const leg = this.#add("parked", callId);
    this.#happens("initiated", leg);
    this.#world.after(GIVES_UP_PARKED_MS, () => {
      if (leg.otherId === null) this.#end(leg, { cause: "normal_clearing", sipStatus: null, source: "caller" });
    });
    return leg;
  }

  /** Dials the called person for a waiting leg. A command repeated within a minute does not dial again. */
  transfer(legId: string, limitSeconds: number, commandId: string): "accepted" | "refused" {
    const seenMs = this.#commands.get(commandId);
    if (seenMs !== undefined && this.#world.nowMs - seenMs < REMEMBERS_COMMANDS_MS) return "accepted";
    const parked = this.legs.get(legId);
    if (parked === undefined || parked.endedMs !== null) return "refused";
    this.#commands.set(commandId, this.#world.nowMs);
    const far = this.#add("far", parked.callId);
    Object.assign(far, { limitSeconds, otherId: parked.id });
    parked.otherId = far.id;
    this.#happens("initiated", far);
    this.#ring(far);
    return "accepted";
  }

  /** Ends a leg. Confirms it for unknown and ended legs too. */
  hangUp(legId: string): boolean {
    const leg = this.legs.get(legId);
    if (leg !== undefined) this.#end(leg, { cause: "normal_clearing", sipStatus: null, source: "caller" });
    return true;
  }

  status(legId: string): LegState {
    const leg = this.legs.get(legId);
    if (leg === undefined) throw new Error(`There never was a leg ${legId}.`);
    if (leg.endedMs === null) return { state: "alive" };
    return { state: "ended", endedMs: leg.endedMs, answeredMs: leg.answeredMs };
  }

  /** Raises the limit of a running leg; never lowers it. */
  extend(legId: string, limitSeconds: number): "accepted" | "refused" {
    const leg = this.legs.get(legId);
    if (leg === undefined || leg.endedMs !== null || limitSeconds < leg.limitSeconds) return "refused";
    leg.limitSeconds = limitSeconds;
    this.#cutAtLimit(leg);
    return "accepted";
  }

  #add(kind: SimLeg["kind"], callId: string): SimLeg {
    const id = `${kind}-${this.legs.size + 1}`;
    const leg: SimLeg = {
      ...{ id, kind, callId, startedMs: this.#world.nowMs, answeredMs: null, endedMs: null, end: null },
      ...{ limitSeconds: 0, otherId: null },
    };
    this.legs.set(id, leg);
    return leg;
  }

  #ring(far: SimLeg): void {
    const { random } = this.#world;
    const fate = random.pick(["answers", "answers", "answers", "busy", "silent", "caller gives up", "network"] as const);
    const afterMs = fate === "silent" ? RING_LIMIT_MS : random.between(800, 25_000);
    this.#world.after(afterMs, () => {
      if (far.endedMs !== null) return;
      if (fate === "answers") this.#answer(far);
      else if (fate === "busy") this.#end(far, { cause: "user_busy", sipStatus: 486, source: "callee" });
      else if (fate === "silent") this.#end(far, { cause: "timeout", sipStatus: 408, source: "callee" });
      else if (fate === "network") this.#end(far, { cause: "unspecified", sipStatus: 503, source: "unknown" });
      else this.#end(far, { cause: "originator_cancel", sipStatus: 487, source: "caller" });
    });
  }

  #answer(far: SimLeg): void {
    const { random, nowMs } = this.#world;
    far.answeredMs = nowMs;
    this.#happens("answered", far);
    const parked = this.#other(far);
    if (parked !== undefined) {
      parked.answeredMs = nowMs;
      this.#happens("answered", parked);
    }
    this.#cutAtLimit(far);
    const talkMs = random.between(200, random.pick([9_000, 120_000, 1_200_000]));
    this.#world.after(talkMs, () => {
      const source = random.pick(["caller", "callee"]);
      this.#end(far, { cause: "normal_clearing", sipStatus: 200, source });
    });
  }

  /** The provider's own timer, which cuts the call even if the service is down. */
  #cutAtLimit(far: SimLeg): void {
    if (far.answeredMs === null) return;
    const { limitSeconds } = far;
    this.#world.after(far.answeredMs + limitSeconds * 1000 - this.#world.nowMs, () => {
      if (far.limitSeconds === limitSeconds) this.#end(far, { cause: "time_limit", sipStatus: 200, source: "unknown" });
    });
  }

  #end(leg: SimLeg, end: LegEnd): void {
    if (leg.endedMs !== null) return;
    leg.endedMs = this.#world.nowMs;
    leg.end = end;
    this.#happens("hangup", leg);
    const other = this.#other(leg);
    if (other !== undefined && other.endedMs === null) this.#end(other, { ...end, source: end.source });
  }

  #other(leg: SimLeg): SimLeg | undefined {
    return leg.otherId === null ? undefined : this.legs.get(leg.otherId);
  }

  #happens(kind: VoiceEvent["kind"], leg: SimLeg): void {
    const event: VoiceEvent = { id: `${leg.id}:${kind}`, kind, leg: { ...leg }, atMs: this.#world.nowMs };
    const { random, failureRates } = this.#world;
    this.#world.note(`${leg.id} ${kind}${leg.end === null ? "" : ` (${leg.end.cause})`}`);
    if (random.chance(failureRates.eventLost)) return;
    do this.#deliver(event, 1, random.chance(failureRates.eventLate) ? random.between(1_000, 600_000) : random.between(20, 400));
    while (random.chance(failureRates.eventRepeated));
  }

  #deliver(event: VoiceEvent, attempt: number, delayMs: number): void {
    this.#world.after(delayMs, () => {
      const again = (done: boolean) => {
        if (!done && attempt < DELIVERIES) this.#deliver(event, attempt + 1, attempt * 5_000);
      };
      const work = this.#tell(event);
      if (work !== null && !this.#world.serve(`hears ${event.id}`, work, again)) again(false);
    });
  }
}
