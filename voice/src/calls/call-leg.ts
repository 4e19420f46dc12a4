import { randomUUID } from "node:crypto";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { TrunkAttempt } from "../call-route.ts";
import { newControlId } from "../nodes/node-ids.ts";
import type { CallEnd } from "./hangup-causes.ts";
import type { LegStats } from "../media/media-plane.ts";

export interface CustomHeader {
  readonly name: string;
  readonly value: string;
}

/** The identifiers of one leg; both legs of a call share `sessionId`. */
export interface LegIds {
  /** Identifies the leg in commands, and contains the node's name. Unguessable, "v3:…". */
  readonly controlId: string;
  readonly legId: string;
  readonly sessionId: string;
}

type LegState = "parked" | "bridging" | "answered" | "hangup";

export interface CallLeg extends LegIds {
  readonly side: "browser" | "far";
  readonly connectionId: string;
  readonly from: string;
  readonly to: string;
  readonly callerName: string | null;
  /** The credential of the call's browser leg. */
  readonly username: string;
  readonly customHeaders: readonly CustomHeader[];
  readonly startedAt: Date;
  /** Base64 text of the service, returned in every later event. */
  clientState: string | null;
  state: LegState;
  answeredAt: Date | null;
  endedAt: Date | null;
  end: CallEnd | null;
  /** Of a far leg that was dialled: for `FarNetwork.endDialog` after a crash. */
  dialog: string | null;
  /** Of a far leg: its trunk, and all attempts, as of the answer or the end. */
  trunk: string | null;
  attempts: readonly TrunkAttempt[];
  /** The carrier's rate; null if unknown. */
  cost: BillingRate | null;
  /** If the call ended because a side was lost: when that side was last heard. */
  heardUntil: Date | null;
}

type NewLeg = Omit<
  CallLeg,
  keyof LegIds | "answeredAt" | "endedAt" | "end" | "dialog" | "heardUntil" | "trunk" | "attempts" | "cost"
> & {
  readonly node: string;
  readonly sessionId?: string;
};

/** An event of a leg, emitted once, except `call.dialog`: the far leg has a new `dialog`, which only the journal needs. Only `call.cost` may follow `call.hangup`. */
export type CallEvent =
  | {
      readonly type: "call.initiated" | "call.dialog" | "call.answered" | "call.bridged";
      readonly leg: CallLeg;
      readonly at: Date;
    }
  | { readonly type: "call.hangup"; readonly leg: CallLeg; readonly at: Date; readonly stats: LegStats | null }
  | { readonly type: "call.cost"; readonly leg: CallLeg; readonly at: Date };

/** Creates a leg with new identifiers. */
export function createLeg({ node, ...leg }: NewLeg): CallLeg {
  return {
    ...leg,
    controlId: newControlId(node),
    legId: randomUUID(),
    sessionId: leg.sessionId ?? randomUUID(),
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

/** Creates the far leg of a browser's call. */
export function createFarLeg(
  { sessionId, connectionId, username }: CallLeg,
  far: Pick<NewLeg, "node" | "from" | "to" | "callerName" | "clientState" | "startedAt">,
): CallLeg {
  return createLeg({ ...far, sessionId, connectionId, username, side: "far", customHeaders: [], state: "bridging" });
}

/** The leg's duration in whole seconds. */
export function legSeconds(leg: CallLeg): number {
  return Math.max(0, Math.round(((leg.endedAt ?? new Date()).getTime() - leg.startedAt.getTime()) / 1000));
}

/** A refused command, which changed nothing. */
export class CallProblem extends Error {
  readonly code: "unknown" | "ended" | "wrong_state" | "bad_destination" | "bad_caller" | "bad_digits" | "bad_limit" | "too_many";

  constructor(code: CallProblem["code"], message: string) {
    super(message);
    this.name = "CallProblem";
    this.code = code;
  }
}
