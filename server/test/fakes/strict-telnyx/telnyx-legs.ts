import { randomUUID } from "node:crypto";

/** A live account's behaviour where the documentation is silent. */
export interface Habits {
  /** Whether `is_alive` is true for ringing and parked legs. */
  ringingIsAlive: boolean;
  /** Whether ended legs have an end time. */
  reportsTimes: boolean;
  /** Whether a parked leg must be answered before a transfer. */
  transferNeedsAnswer: boolean;
  /** The `connection_id` in events of the far leg. */
  farConnection: "own" | "none" | "other";
  farDirection: "incoming" | "outgoing";
  /** How long after a leg's end its detail record appears; null: never. */
  recordAfterMs: number | null;
}

export const KNOWN_HABITS: Readonly<Habits> = {
  ringingIsAlive: true,
  reportsTimes: true,
  transferNeedsAnswer: false,
  farConnection: "own",
  farDirection: "outgoing",
  recordAfterMs: 60_000,
};

export interface TelnyxLeg {
  readonly id: string;
  readonly legId: string;
  readonly sessionId: string;
  readonly side: "browser" | "far";
  readonly to: string;
  readonly from: string;
  readonly clientState: string | null;
  readonly startedAt: Date;
  readonly timeLimitSecs: number;
  readonly timeoutSecs: number;
  answeredAt: Date | null;
  endedAt: Date | null;
}

export interface TelnyxEvent {
  readonly type: string;
  readonly leg: TelnyxLeg;
  readonly body: string;
}

interface Commanded {
  readonly to: string;
  readonly from: string;
  readonly clientState: string | null;
  readonly timeLimitSecs: number;
  readonly timeoutSecs: number;
}

interface End {
  readonly cause: string;
  readonly sip: string;
  readonly source?: "caller" | "callee" | "unknown";
}

/** How long an ended leg can still be queried. */
const KNOWN_AFTER_END_MS = 10 * 60_000;

/** The legs of calls and the events that they cause, in the documentation's terms. */
export class TelnyxLegs {
  readonly legs: TelnyxLeg[] = [];
  /** Events to deliver, the oldest first. */
  readonly events: TelnyxEvent[] = [];
  readonly #habits: Habits;
  readonly #connectionId: string;
  readonly #now: () => Date;

  constructor(of: { habits: Habits; connectionId: string; now: () => Date }) {
    this.#habits = of.habits;
    this.#connectionId = of.connectionId;
    this.#now = of.now;
  }

  find(id: string): TelnyxLeg | undefined {
    const leg = this.legs.find((one) => one.id === id);
    const forgotten = leg?.endedAt && this.#now().getTime() - leg.endedAt.getTime() > KNOWN_AFTER_END_MS;
    return forgotten ? undefined : leg;
  }

  get far(): TelnyxLeg[] {
    return this.legs.filter(({ side }) => side === "far");
  }

  /** A browser dials, and its leg is parked. */
  browserDials(of: { to: string; from: string; ticket: string }): TelnyxLeg {
    const clientState = Buffer.from(of.ticket).toString("base64");
    const leg = this.#newLeg({
      ...of,
      clientState,
      sessionId: randomUUID(),
      side: "browser",
      timeLimitSecs: 14_400,
      timeoutSecs: 600,
    });
    this.#tell("call.initiated", leg, { state: "parked", direction: "outgoing", start_time: leg.startedAt.toISOString() });
    return leg;
  }

  /** The service transfers a parked leg, and a second one starts ringing. */
  transfer(parked: TelnyxLeg, to: Commanded): TelnyxLeg {
    const leg = this.#newLeg({ ...to, sessionId: parked.sessionId, side: "far" });
    this.#tell("call.initiated", leg, { state: "bridging", direction: this.#habits.farDirection });
    return leg;
  }

  answer(leg: TelnyxLeg): void {
    if (leg.answeredAt !== null || leg.endedAt !== null) return;
    leg.answeredAt = this.#now();
    this.#tell("call.answered", leg, { state: "answered", start_time: leg.startedAt.toISOString() });
    if (leg.side === "browser") return;
    for (const one of this.#session(leg)) {
      this.answer(one);
      this.#tell("call.bridged", one, {});
    }
  }

  /** Ends a leg and, because `park_after_unbridge` is unset, the legs bridged to it. A leg that only rang does not end the parked one. */
  end(leg: TelnyxLeg, { cause, sip, source = "unknown" }: End): void {
    const wasAnswered = leg.answeredAt !== null;
    for (const one of this.#session(leg)) {
      const stays = leg.side === "far" && !wasAnswered && one.side === "browser";
      if (one.endedAt !== null || stays) continue;
      one.endedAt = this.#now();
      const times = this.#habits.reportsTimes
        ? { start_time: one.startedAt.toISOString(), end_time: one.endedAt.toISOString() }
        : {};
      const ended = { hangup_cause: cause, hangup_source: source, sip_hangup_cause: sip, call_quality_stats: null };
      this.#tell("call.hangup", one, { ...ended, ...times });
      const cost = { total_cost: "0.0140", billed_duration_secs: 60, status: "success", cost_parts: [] };
      if (one.answeredAt !== null) this.#tell("call.cost", one, cost);
    }
  }

  /** Ends legs that exceed their ring or talk limit. */
  enforceLimits(): void {
    const now = this.#now().getTime();
    for (const leg of this.legs) {
      if (leg.endedAt !== null) continue;
      const { answeredAt, startedAt, timeLimitSecs, timeoutSecs } = leg;
      if (answeredAt !== null && now >= answeredAt.getTime() + timeLimitSecs * 1000)
        this.end(leg, { cause: "time_limit", sip: "200" });
      else if (answeredAt === null && now >= startedAt.getTime() + timeoutSecs * 1000)
        this.end(leg, { cause: "timeout", sip: "487" });
    }
  }

  status(leg: TelnyxLeg): Record<string, unknown> {
    const { reportsTimes, ringingIsAlive } = this.#habits;
    const rings = leg.answeredAt === null;
    return {
      record_type: "call",
      call_control_id: leg.id,
      call_leg_id: leg.legId,
      call_session_id: leg.sessionId,
      client_state: leg.clientState ?? "",
      is_alive: leg.endedAt === null && (!rings || ringingIsAlive),
      call_duration: Math.floor(((leg.endedAt ?? this.#now()).getTime() - leg.startedAt.getTime()) / 1000),
      ...(reportsTimes ? { start_time: leg.startedAt.toISOString() } : {}),
      ...(reportsTimes && leg.endedAt !== null ? { end_time: leg.endedAt.toISOString() } : {}),
    };
  }

  /** Detail records of ended legs to phone numbers: billed by Telnyx as SIP trunking. */
  records(sessionId: string | undefined): Record<string, unknown>[] {
    const { recordAfterMs } = this.#habits;
    if (recordAfterMs === null) return [];
    const due = (leg: TelnyxLeg) => leg.endedAt !== null && this.#now().getTime() >= leg.endedAt.getTime() + recordAfterMs;
    return this.far.filter((leg) => due(leg) && (sessionId === undefined || leg.sessionId === sessionId)).map(recordOf);
  }

  #newLeg(of: Omit<TelnyxLeg, "id" | "legId" | "startedAt" | "answeredAt" | "endedAt">): TelnyxLeg {
    const ids = { id: `v3:${randomUUID()}`, legId: randomUUID() };
    const { side, sessionId, to, from, clientState, timeLimitSecs, timeoutSecs } = of;
    const leg = { ...ids, side, sessionId, to, from, clientState, timeLimitSecs, timeoutSecs };
    const made = { ...leg, startedAt: this.#now(), answeredAt: null, endedAt: null };
    this.legs.push(made);
    return made;
  }

  #session(leg: TelnyxLeg): TelnyxLeg[] {
    return this.legs.filter(({ sessionId }) => sessionId === leg.sessionId);
  }

  #tell(type: string, leg: TelnyxLeg, more: Record<string, unknown>): void {
    const habit = leg.side === "far" ? this.#habits.farConnection : "own";
    const connection = { own: { connection_id: this.#connectionId }, other: { connection_id: "900" }, none: {} }[habit];
    const payload = {
      call_control_id: leg.id,
      call_leg_id: leg.legId,
      call_session_id: leg.sessionId,
      ...connection,
      client_state: leg.clientState,
      from: leg.from,
      to: leg.to,
      ...more,
    };
    const data = { record_type: "event", event_type: type, id: randomUUID(), occurred_at: this.#now().toISOString(), payload };
    this.events.push({
      type,
      leg,
      body: JSON.stringify({ data, meta: { attempt: 1, delivered_to: "https://farline.example" } }),
    });
  }
}

function recordOf(leg: TelnyxLeg): Record<string, unknown> {
  const endedMs = leg.endedAt?.getTime() ?? 0;
  const talked = leg.answeredAt === null ? 0 : Math.ceil((endedMs - leg.answeredAt.getTime()) / 1000);
  return {
    record_type: "sip-trunking",
    id: leg.legId,
    telnyx_session_id: leg.sessionId,
    direction: "outbound",
    cli: leg.from,
    cld: leg.to,
    call_sec: talked,
    billed_sec: talked,
    cost: talked === 0 ? "0.0" : "0.0123",
    currency: "USD",
    started_at: leg.startedAt.toISOString(),
    answered_at: leg.answeredAt?.toISOString() ?? null,
    finished_at: leg.endedAt?.toISOString(),
  };
}
