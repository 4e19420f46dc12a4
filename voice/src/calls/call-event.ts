import type { LegStats } from "../media/media-plane.ts";
import type { CallLeg } from "./call-leg.ts";

/** Something happened to a leg. Emitted once each; `call.hangup` is a leg's last but for `call.cost`. */
export type CallEvent =
  | { readonly type: "call.initiated" | "call.answered" | "call.bridged"; readonly leg: CallLeg; readonly at: Date }
  | { readonly type: "call.hangup"; readonly leg: CallLeg; readonly at: Date; readonly stats: LegStats | null }
  /** `cost`: what its trunk takes; null where nobody has said it. */
  | { readonly type: "call.cost"; readonly leg: CallLeg; readonly at: Date };
