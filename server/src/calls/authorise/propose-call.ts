import type { ProposedCall } from "@farline/domain/calls/decide-call.ts";
import type { Customer } from "../../accounts/accounts.ts";
import type { CallContext } from "../call-context.ts";
import { readProposedCall } from "../record/proposed-call.ts";

/** Reads everything about a call that needs no lock, and whether a trunk carries it with a margin. */
export async function proposeCall(
  ctx: CallContext,
  customer: Customer,
  request: Parameters<typeof readProposedCall>[2],
): Promise<ProposedCall> {
  const [proposed, isCarried] = await Promise.all([
    readProposedCall(ctx, customer, request),
    ctx.trunks.carries(request.destination),
  ]);
  return { ...proposed, hasMargin: proposed.hasMargin && isCarried };
}
