import { readInput, writeInput, type OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import type { OperationName } from "@farline/contract/operator/operations.ts";
import { readReason } from "@farline/texts/reason.ts";
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Context, OperatorContext } from "../src/context.ts";
import { readProposed, verbOf, type ResultOf } from "../src/operations/perform.ts";
import { AppError } from "../src/platform/app-error.ts";
import type { Tx } from "../src/platform/database/database.ts";
import { openApprovals, resultOf, runOperation, type Approval, type Outcome, type Verb } from "../src/operator/operator.ts";
import type { CampaignOrder } from "../src/promotions/promo/campaigns.ts";
import { asOperator } from "./test-context.ts";

/** What the schemas fill in, and the key of a new form. */
type Defaulted = "key" | "again" | "force" | "take" | "ofReview";
type Given<N extends OperationName> = Omit<OperationInput<N>, Defaulted> &
  Partial<Pick<OperationInput<N>, Defaulted & keyof OperationInput<N>>>;

/** Performs an operation, as if a new form or command had sent it. */
export function propose<N extends OperationName>(ctx: OperatorContext, name: N, input: Given<N>): Promise<Outcome<ResultOf<N>>> {
  const order = { key: randomUUID(), ...input } as unknown as OperationInput<N>;
  return planOnly(ctx, name, order).then(() => perform(ctx, name, order));
}

/** Does what an operator ordered, with the input that its route would read. @throws AppError as the operation does */
async function perform<N extends OperationName>(
  ctx: OperatorContext,
  name: N,
  input: OperationInput<N>,
): Promise<Outcome<ResultOf<N>>> {
  const { reason } = input as { readonly reason?: unknown };
  const read = readInput(name, JSON.parse(writeInput(input)), reason);
  if ("wrong" in read) throw new AppError("validation_failed", readReason(read.wrong) ?? { reason: "value_invalid" });
  return runOperation(ctx, name, verbOf(name), { input: read.input, confirms: null });
}

/** Runs a proposed operation once more, as its second operator. @throws AppError as the operation does */
export async function confirmProposed(
  ctx: OperatorContext,
  approval: Approval,
): Promise<{ readonly name: OperationName; readonly outcome: Outcome<unknown> }> {
  const { name, order } = await readProposed(ctx, approval);
  return { name, outcome: await runOperation(ctx, name, verbOf(name) as Verb<OperationName, any>, order) };
}

/** Plans an operation without doing it. @throws Error if the plan already changes rows: a proposal would then have done it */
async function planOnly<N extends OperationName>(ctx: OperatorContext, name: N, order: OperationInput<N>): Promise<void> {
  const verb = verbOf(name);
  const read = readInput(name, JSON.parse(writeInput(order)), (order as { readonly reason?: unknown }).reason);
  if (!("plan" in verb) || "wrong" in read) return;
  const changed = await ctx.handle.db.transaction().execute(async (tx) => {
    const before = await countChanges(tx);
    try {
      await verb.plan(tx, ctx, read.input);
    } catch {
      // What it refuses, the operation itself refuses too.
      return 0;
    }
    return (await countChanges(tx)) - before;
  });
  if (changed > 0) throw new Error(`The plan of ${name} changes ${changed} rows.`);
}

/** Rows that this connection has changed since its statistics were last written, which no running transaction does. */
async function countChanges(tx: Tx): Promise<number> {
  const { rows } = await sql<{ changed: number }>`
    select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::int as changed from pg_stat_xact_user_tables`.execute(tx);
  return rows[0]?.changed ?? 0;
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

let made = 0;

/** Starts a promo campaign: ten percent without limits, except for what `change` sets. A second operator confirms it if it needs one. Returns its code. */
export async function newCampaign(ctx: Context, change: Partial<CampaignOrder> = {}): Promise<string> {
  made += 1;
  const order: CampaignOrder = {
    code: `CODE-${made}`,
    percent: change.fixedMicros === undefined ? 10 : null,
    fixedMicros: null,
    maxBonusMicros: null,
    packageId: null,
    minMicros: 0n,
    maxUses: null,
    budgetMicros: null,
    startsAt: null,
    endsAt: null,
    reason: "a test",
    ...change,
  };
  const { proposal } = await propose(asOperator(ctx, "grace"), "create-promo", order);
  if (proposal !== null) await confirm(asOperator(ctx, "ana"), proposal.id);
  return order.code;
}
