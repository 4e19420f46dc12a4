import type { LegStats } from "../media/media-plane.ts";
import type { CallLeg } from "./call-leg.ts";

/** An event of a leg, emitted once, except `call.dialling`: the far leg has a new `dialog`, which only the journal needs. Only `call.cost` may follow `call.hangup`. */
export type CallEvent =
  | {
      readonly type: "call.initiated" | "call.dialling" | "call.answered" | "call.bridged";
      readonly leg: CallLeg;
      readonly at: Date;
    }
  | { readonly type: "call.hangup"; readonly leg: CallLeg; readonly at: Date; readonly stats: LegStats | null }
  | { readonly type: "call.cost"; readonly leg: CallLeg; readonly at: Date };
