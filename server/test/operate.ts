import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import type { OperationName } from "@farline/contract/operator/operations.ts";
import { randomUUID } from "node:crypto";
import type { OperatorContext } from "../src/context.ts";
import { confirmProposed, perform, type ResultOf } from "../src/operations/operations.ts";
import { openApprovals, resultOf, type Outcome } from "../src/operator/operator.ts";

/** What the schemas fill in, and the key of a new form. */
type Defaulted = "key" | "again" | "force" | "take";
type Given<N extends OperationName> = Omit<OperationInput<N>, Defaulted> &
  Partial<Pick<OperationInput<N>, Defaulted & keyof OperationInput<N>>>;

/** Performs an operation, as if a new form or command had sent it. */
export function propose<N extends OperationName>(ctx: OperatorContext, name: N, input: Given<N>): Promise<Outcome<ResultOf<N>>> {
  return perform(ctx, name, { key: randomUUID(), ...input } as unknown as OperationInput<N>);
}

/** The same, whose result is wanted. @throws AppError conflict for a proposal */
export async function operate<N extends OperationName>(ctx: OperatorContext, name: N, input: Given<N>): Promise<ResultOf<N>> {
  return resultOf(await propose(ctx, name, input));
}

/** Confirms an open proposal as its second operator, the newest unless it is named. @returns what the operation results in */
export async function confirm(ctx: OperatorContext, id?: string): Promise<any> {
  const open = await openApprovals(ctx);
  const approval = id === undefined ? open.at(-1) : open.find((one) => one.id === id);
  if (approval === undefined) throw new Error("No such proposal waits.");
  return resultOf((await confirmProposed(ctx, approval)).outcome);
}
