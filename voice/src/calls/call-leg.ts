import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { randomUUID } from "node:crypto";
import type { TrunkAttempt } from "../call-route.ts";
import { newControlId } from "../nodes/node-ids.ts";
import type { CallEnd } from "./hangup-causes.ts";

export interface CustomHeader {
  readonly name: string;
  readonly value: string;
}

/** The identifiers of one leg; both legs of a call share `sessionId`. */
export interface LegIds {
  /** Names the leg in commands, and its node: unguessable, "v3:…". */
  readonly controlId: string;
  readonly legId: string;
  readonly sessionId: string;
}

export type LegState = "parked" | "bridging" | "answered" | "hangup";

/** One side of a call, as commands and events describe it. */
export interface CallLeg extends LegIds {
  readonly side: "browser" | "far";
  readonly connectionId: string;
  readonly from: string;
  readonly to: string;
  readonly callerName: string | null;
  /** The signed-in credential behind the call's browser leg. */
  readonly username: string;
  readonly customHeaders: readonly CustomHeader[];
  readonly startedAt: Date;
  /** Base64 text of the commanding service, given back in every later event. */
  clientState: string | null;
  state: LegState;
  answeredAt: Date | null;
  endedAt: Date | null;
  end: CallEnd | null;
  /** Of an answered far leg: what the network needs to end it without this process. */
  dialog: string | null;
  /** Of a far leg: the trunk that carries it, and every attempt to find one, as of its answer or its end. */
  trunk: string | null;
  attempts: readonly TrunkAttempt[];
  /** What the trunk's carrier takes; null where nobody has said it. */
  cost: BillingRate | null;
  /** If the call ended because one side was gone: when it was last heard. */
  heardUntil: Date | null;
}

export type NewLeg = Omit<
  CallLeg,
  keyof LegIds | "startedAt" | "answeredAt" | "endedAt" | "end" | "dialog" | "heardUntil" | "trunk" | "attempts" | "cost"
> & {
  /** The node that has the leg. */
  readonly node: string;
  readonly sessionId?: string;
};

/** Starts a leg now, in its first state, with fresh identifiers. */
export function createLeg({ node, ...leg }: NewLeg): CallLeg {
  return {
    ...leg,
    controlId: newControlId(node),
    legId: randomUUID(),
    sessionId: leg.sessionId ?? randomUUID(),
    startedAt: new Date(),
    answeredAt: null,
    endedAt: null,
    end: null,
    dialog: null,
    trunk: null,
    attempts: [],
    cost: null,
    heardUntil: null,
  };
}

/** Whole seconds the leg has lasted, counted from its start. */
export function legSeconds(leg: CallLeg): number {
  return Math.max(0, Math.round(((leg.endedAt ?? new Date()).getTime() - leg.startedAt.getTime()) / 1000));
}
