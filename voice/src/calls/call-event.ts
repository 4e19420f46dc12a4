import type { LegStats } from "../media/media-plane.ts";
import type { CallLeg } from "./call-leg.ts";

/** An event of a leg, emitted once. Only `call.cost` may follow `call.hangup`. */
export type CallEvent =
  | { readonly type: "call.initiated" | "call.answered" | "call.bridged"; readonly leg: CallLeg; readonly at: Date }
  | { readonly type: "call.hangup"; readonly leg: CallLeg; readonly at: Date; readonly stats: LegStats | null }
  | { readonly type: "call.cost"; readonly leg: CallLeg; readonly at: Date };
